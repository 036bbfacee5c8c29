import { textsOf } from '../../../texts/texts.ts'
import { csrfField, passkeyForm, passkeyNameField, providerButtons } from '../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { timeAt } from '../../times.ts'
import { type AppOffer, newAppSection } from '../enrol.ts'
import { type AccountPage, framed } from './frame.ts'
import { panel, row, rowButton, rowList } from './rows.ts'

export type SecurityPage = AccountPage & {
  hasPassword: boolean
  /** Whether the user has an authenticator app. */
  totp: boolean
  /** A new secret, for a user without an authenticator app. */
  offer: AppOffer | undefined
  keys: { id: string; name: string; lastUsedAt: Date | null }[]
  linked: { id: string; name: string; email: string | null }[]
  /** Providers that are not linked. */
  offered: { id: string; name: string }[]
  /** Remaining recovery codes. */
  left: number
  /** Options of navigator.credentials.create; undefined where passkeys are not available. */
  passkey: object | undefined
}

/** From this number on, the page says that few recovery codes are left. */
const FEW = 3

export function securityPage(page: SecurityPage): string {
  const { locale, csrf, notice, errors = {}, totp, keys, left } = page
  const [texts, own] = [textsOf(locale), textsOf(locale, 'profile')]
  const any = totp || keys.length > 0
  return framed({
    reader: page,
    at: '/account/security',
    heading: own.securityTitle,
    lead: any ? own.securityLead : own.securityNone,
    notice,
    errors,
    labels: {
      code: texts.enrolCode,
      ...Object.fromEntries(keys.map(({ id }) => [`name-${id}`, texts.passkeyName])),
    },
    body: html`<form method="post" action="/account/security/remove" id="remove" hidden>
${csrfField(csrf)}
</form>
${any && left <= FEW && html`<p class="alert wait"><span>${fill(own.codesFew, { left: String(left) })}</span></p>`}
${passkeyPanel(page)}
${passwordPanel(page)}
${factorPanel(page, any)}
${page.linked.length + page.offered.length > 0 && providerPanel(page)}`,
  })
}

function passkeyPanel(page: SecurityPage): Content {
  const { locale, csrf, keys, passkey } = page
  const [texts, own] = [textsOf(locale), textsOf(locale, 'profile')]
  if (keys.length === 0 && !passkey) return undefined
  const used = (at: Date | null) =>
    at ? fill(own.passkeyUsed, { time: timeAt(page, at, 'date') }) : own.passkeyUnused
  const keyRow = (key: SecurityPage['keys'][number]) =>
    row(
      icons.fingerprint,
      bdi(key.name),
      [used(key.lastUsedAt)],
      renaming(page, key),
      removeButton(page, 'factor', key, 'remove'),
    )
  return panel({
    id: 'passkeys',
    title: own.passkeys,
    hint: own.passkeysHint,
    body: html`${keys.length > 0 && rowList(keys.map(keyRow))}
${passkey && html`<div class="add">${passkeyForm({ action: '/account/security/passkey', csrf, options: passkey, use: 'create', label: texts.enrolPasskey, fault: texts.passkeyNotMade })}</div>`}`,
  })
}

function passwordPanel({ locale, hasPassword }: SecurityPage): Html {
  const own = textsOf(locale, 'profile')
  const change = html`<a class="button quiet" id="change-password" href="/account/password">${hasPassword ? own.change : own.firstPasswordTitle}</a>`
  return panel({
    id: 'with-password',
    title: own.password,
    hint: hasPassword ? own.passwordLead : own.passwordNone,
    action: change,
  })
}

function factorPanel(page: SecurityPage, any: boolean): Html {
  const { locale, csrf, totp, offer, left, passkey, errors = {} } = page
  const own = textsOf(locale, 'profile')
  const app = { id: 'totp', name: own.app }
  const codes = html`<form method="post" action="/account/security/codes">
${csrfField(csrf)}
<button type="submit" id="renew" class="quiet" aria-describedby="codes-left">${own.renewCodes}</button>
</form>`
  const codesLeft = html`<span id="codes-left">${fill(own.codesLeft, { left: String(left) })}</span>`
  return panel({
    id: 'second-step',
    title: own.secondStep,
    hint: own.secondStepHint,
    body: html`${
      any &&
      rowList([
        totp && row(icons.phone, own.app, [], removeButton(page, 'factor', app, 'remove')),
        row(icons.key, own.codes, [codesLeft], codes),
      ])
    }
${offer && newAppSection({ locale, action: '/account/security/app', csrf, app: offer, open: !passkey, errors })}`,
  })
}

/** The form in a row of the list, which opens below it. */
function renaming(
  { locale, csrf, errors = {} }: SecurityPage,
  { id, name }: SecurityPage['keys'][number],
): Html {
  const [own, error] = [textsOf(locale, 'profile'), errors[`name-${id}`]]
  return html`<details class="unfold"${error && html` open`}>
<summary class="button quiet" aria-label="${fillPlain(own.renameOf, { name })}">${own.rename}</summary>
<form method="post" action="/account/security/rename">
${csrfField(csrf)}
<input type="hidden" name="passkey" value="${id}">
${passkeyNameField({ id: `name-${id}`, label: textsOf(locale).passkeyName, value: name, error })}
<div class="actions"><button type="submit" class="quiet">${own.save}</button></div>
</form>
</details>
`
}

function removeButton(
  { locale }: SecurityPage,
  field: 'factor' | 'provider',
  { id, name }: { id: string; name: string },
  form?: string,
): Html {
  const own = textsOf(locale, 'profile')
  return rowButton({
    name: field,
    value: id,
    text: own.remove,
    of: fillPlain(own.removeOf, { name }),
    form,
    isDangerous: true,
  })
}

function providerPanel(page: SecurityPage): Html {
  const { locale, csrf, linked, offered } = page
  const own = textsOf(locale, 'profile')
  const linkedRow = (provider: SecurityPage['linked'][number]) =>
    row(
      icons.plug,
      bdi(provider.name),
      [provider.email && bdi(provider.email)],
      removeButton(page, 'provider', provider),
    )
  return panel({
    id: 'linked',
    title: own.providers,
    hint: own.providersHint,
    body: html`${
      linked.length > 0 &&
      html`<form method="post" action="/account/security/unlink">
${csrfField(csrf)}
${rowList(linked.map(linkedRow))}
</form>`
    }
${
  offered.length > 0 &&
  providerButtons(
    offered.map(({ id, name }) => ({ id, name, url: `/account/security/link/${id}` })),
    own.link,
  )
}`,
  })
}

import { LANGUAGE_TAGS, type Locale, textsOf } from '../../../texts/texts.ts'
import { csrfField, passkeyNameField, providerButtons } from '../../forms.ts'
import { bdi, fill, fillPlain, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { type AppOffer, newAppSection, newPasskeySection } from '../enrol.ts'
import { type Faults, framed } from './frame.ts'
import { row, rowButton } from './rows.ts'

export type SecurityPage = {
  locale: Locale
  csrf: string
  notice?: string | undefined
  errors?: Faults
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

export function securityPage(page: SecurityPage): string {
  const { locale, csrf, notice, errors = {}, totp, keys, left, offer, passkey } = page
  const [texts, own] = [textsOf(locale), textsOf(locale, 'profile')]
  const any = totp || keys.length > 0
  return framed({
    locale,
    at: '/account/security',
    icon: icons.key,
    heading: own.securityTitle,
    lead: any ? own.securityLead : own.securityNone,
    notice,
    errors,
    labels: {
      code: texts.enrolCode,
      ...Object.fromEntries(keys.map(({ id }) => [`name-${id}`, texts.passkeyName])),
    },
    body: html`${any && factorList(page)}
${
  any &&
  html`<form method="post" action="/account/security/codes">
${csrfField(csrf)}
<p class="hint" id="codes-left">${fill(own.codesLeft, { left: String(left) })}</p>
<div class="actions"><button type="submit" id="renew" class="quiet" aria-describedby="codes-left">${own.renewCodes}</button></div>
</form>`
}
${passkey && newPasskeySection({ locale, action: '/account/security/passkey', csrf, passkey })}
${offer && newAppSection({ locale, action: '/account/security/app', csrf, app: offer, open: !passkey, errors })}
${page.linked.length + page.offered.length > 0 && providerList(page)}`,
  })
}

/** The form in a row of the list, which opens below it. */
function renaming(
  { locale, csrf, errors = {} }: SecurityPage,
  { id, name }: SecurityPage['keys'][number],
): Html {
  const [own, error] = [textsOf(locale, 'profile'), errors[`name-${id}`]]
  return html`<details${error && html` open`}>
<summary class="link" aria-label="${fillPlain(own.renameOf, { name })}">${own.rename}</summary>
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
  locale: Locale,
  field: 'factor' | 'provider',
  { id, name }: { id: string; name: string },
  form?: string,
): Html {
  const own = textsOf(locale, 'profile')
  return rowButton(field, id, own.remove, fillPlain(own.removeOf, { name }), form)
}

function providerList({ locale, csrf, linked, offered }: SecurityPage): Html {
  const own = textsOf(locale, 'profile')
  return html`<section aria-labelledby="linked">
<h2 id="linked">${own.providers}</h2>
${
  linked.length > 0 &&
  html`<form method="post" action="/account/security/unlink">
${csrfField(csrf)}
<ul class="scopes">
${linked.map(({ id, name, email }) => row(bdi(name), [email && bdi(email)], removeButton(locale, 'provider', { id, name })))}</ul>
</form>`
}
${
  offered.length > 0 &&
  providerButtons(
    offered.map(({ id, name }) => ({ id, name, url: `/account/security/link/${id}` })),
    own.link,
  )
}
</section>`
}

function factorList(page: SecurityPage): Html {
  const { locale, csrf, totp, keys } = page
  const own = textsOf(locale, 'profile')
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'medium', timeZone: 'UTC' })
  const removal = (of: { id: string; name: string }) => removeButton(locale, 'factor', of, 'remove')
  const used = (at: Date | null) =>
    at ? fill(own.passkeyUsed, { time: time.format(at) }) : own.passkeyUnused
  const keyRow = (key: SecurityPage['keys'][number]) =>
    row(bdi(key.name), [used(key.lastUsedAt)], renaming(page, key), removal(key))
  return html`<form method="post" action="/account/security/remove" id="remove">
${csrfField(csrf)}
</form>
<ul class="scopes">
${totp && row(own.app, [], removal({ id: 'totp', name: own.app }))}${keys.map(keyRow)}</ul>`
}

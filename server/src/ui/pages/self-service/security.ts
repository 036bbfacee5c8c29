import { csrfField, passkeyNameField, providerButtons } from '../../forms.ts'
import { bdi, fill, type Html, html } from '../../html.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from '../../i18n/texts.ts'
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
  const [texts, own] = [textsOf(locale), textsOf(locale, 'account')]
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
${keys.map((key) => renaming(page, key))}
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

function renaming(
  { locale, csrf, errors = {} }: SecurityPage,
  { id, name }: SecurityPage['keys'][number],
): Html {
  const [own, error] = [textsOf(locale, 'account'), errors[`name-${id}`]]
  return html`<details class="more"${error && html` open`}>
<summary>${fill(own.renameOf, { name: bdi(name) })}</summary>
<form method="post" action="/account/security/rename">
${csrfField(csrf)}
<input type="hidden" name="passkey" value="${id}">
${passkeyNameField({ id: `name-${id}`, label: textsOf(locale).passkeyName, value: name, error })}
<div class="actions"><button type="submit" class="quiet">${own.save}</button></div>
</form>
</details>
`
}

function providerList({ locale, csrf, linked, offered }: SecurityPage): Html {
  const own = textsOf(locale, 'account')
  const button = (id: string, name: string) =>
    rowButton(
      'provider',
      id,
      own.remove,
      own.removeOf.replace('{name}', () => name),
    )
  return html`<section aria-labelledby="linked">
<h2 id="linked">${own.providers}</h2>
${
  linked.length > 0 &&
  html`<form method="post" action="/account/security/unlink">
${csrfField(csrf)}
<ul class="scopes">
${linked.map(({ id, name, email }) => row(bdi(name), [email && bdi(email)], button(id, name)))}</ul>
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

function factorList({ locale, csrf, totp, keys }: SecurityPage): Html {
  const own = textsOf(locale, 'account')
  const time = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'medium', timeZone: 'UTC' })
  const button = (value: string, name: string) =>
    rowButton(
      'factor',
      value,
      own.remove,
      own.removeOf.replace('{name}', () => name),
    )
  const used = (at: Date | null) =>
    at ? fill(own.passkeyUsed, { time: time.format(at) }) : own.passkeyUnused
  return html`<form method="post" action="/account/security/remove">
${csrfField(csrf)}
<ul class="scopes">
${totp && row(own.app, [], button('totp', own.app))}${keys.map(({ id, name, lastUsedAt }) => row(bdi(name), [used(lastUsedAt)], button(id, name)))}</ul>
</form>`
}

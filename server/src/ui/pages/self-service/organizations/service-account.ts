/** One service account of an organization, and the page that shows a new key once. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { nameAsHeading } from '../../../layout.ts'
import { type AccountPage, framed } from '../frame.ts'
import { badge } from '../rows.ts'
import type { MemberOption } from './choices.ts'
import {
  addressOf,
  keyList,
  nameAndRoles,
  notAllowed,
  type ProgramsOrganization,
  type ShownKey,
} from './service-accounts.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

type ServiceAccountPage = AccountPage & {
  organization: ProgramsOrganization
  serviceAccount: { id: string; name: string; clientId: string; disabled: boolean; keys: ShownKey[] }
  /** It has a role that admins of the account cannot assign: they only revoke its keys. */
  isReserved: boolean
  roles: MemberOption[]
  /** A number that the form of a new key uses once. */
  once: string
  /** The name as entered, if it was refused. */
  typed?: string | undefined
}

export function serviceAccountPage(page: ServiceAccountPage): string {
  const { locale, csrf, organization, serviceAccount, isReserved, notice, errors } = page
  const { allowsServiceAccounts } = organization
  const texts = textsOf(locale, 'serviceAccounts')
  const { id, name, clientId, disabled, keys } = serviceAccount
  const all = addressOf(organization)
  const at = `${all}/${id}`
  return framed({
    locale,
    at,
    icon: icons.key,
    ...nameAsHeading(name),
    tabs: organizationTabs(locale, organization, '/service-accounts', true),
    lead: html`${texts.clientId} <code>${clientId}</code>${disabled && badge(texts.disabled)}`,
    notice,
    errors,
    labels: { name: texts.name },
    body: html`${isReserved ? html`<p>${texts.reserved}</p>` : notAllowed(locale, organization)}
<section aria-labelledby="keys">
<h2 id="keys">${texts.keys}</h2>
${keyList(locale, csrf, at, keys)}
${!isReserved && allowsServiceAccounts && keyForm(page, at)}
</section>
${!isReserved && changes(page, at)}
<p class="note"><a href="${all}">${texts.all}</a></p>`,
  })
}

function keyForm({ locale, csrf, once }: ServiceAccountPage, at: string): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const lifetimes: [number, string][] = [
    [2_592_000, texts.days30],
    [7_776_000, texts.days90],
    [31_536_000, texts.days365],
    [0, texts.forever],
  ]
  const option = ([seconds, label]: [number, string]) =>
    html`<option value="${seconds}"${seconds === 7_776_000 && html` selected`}>${label}</option>\n`
  return html`<form method="post" action="${at}">
${csrfField(csrf)}
<input type="hidden" name="once" value="${once}">
<div class="field">
<label for="expiresIn">${texts.expiresIn}</label>
<select id="expiresIn" name="expiresIn" aria-describedby="key-hint">
${lifetimes.map(option)}</select>
<p class="hint" id="key-hint">${texts.newKeyLead}</p>
</div>
<div class="actions"><button type="submit" id="create-key">${texts.newKey}</button></div>
</form>`
}

function changes(page: ServiceAccountPage, at: string) {
  const { locale, csrf, serviceAccount, organization } = page
  const texts = textsOf(locale, 'serviceAccounts')
  const { disabled } = serviceAccount
  const isAllowed = organization.allowsServiceAccounts
  const act = (action: 'disable' | 'enable' | 'delete', hint?: Content): Html =>
    html`<form method="post" action="${at}/${action}">
${csrfField(csrf)}
${hint && html`<p class="hint" id="${action}-hint">${hint}</p>`}
<div class="actions"><button type="submit" id="${action}" class="quiet"${hint && html` aria-describedby="${action}-hint"`}>${texts[action]}</button></div>
</form>`
  const folded = (action: 'disable' | 'delete', hint: string) =>
    html`<details class="more"><summary>${texts[action]}</summary>
${act(action, hint)}
</details>
`
  return html`${isAllowed && nameForm(page, at)}
${disabled ? isAllowed && act('enable') : folded('disable', texts.disableLead)}
${folded('delete', texts.deleteLead)}`
}

function nameForm(
  { locale, csrf, serviceAccount, roles, typed, errors }: ServiceAccountPage,
  at: string,
): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const { name } = serviceAccount
  return html`<section aria-labelledby="edit">
<h2 id="edit">${texts.edit}</h2>
<form method="post" action="${at}/edit">
${csrfField(csrf)}
<input type="hidden" name="nameBefore" value="${name}">
${nameAndRoles(locale, typed ?? name, roles, errors)}
<div class="actions"><button type="submit" id="submit" class="quiet">${textsOf(locale, 'profile').save}</button></div>
</form>
</section>`
}

type NewKeyPage = {
  locale: Locale
  organization: TabbedOrganization
  serviceAccount: { id: string; name: string; clientId: string }
  secret: string
  tokenAddress: string
  /** Where the user continues. */
  next: string
}

export function newKeyPage({
  locale,
  organization,
  serviceAccount: { id, name, clientId },
  secret,
  tokenAddress,
  next,
}: NewKeyPage): string {
  const texts = textsOf(locale, 'serviceAccounts')
  const rows: [string, string, string][] = [
    ['secret', texts.key, secret],
    ['client', texts.clientId, clientId],
    ['address', texts.tokenAddress, tokenAddress],
  ]
  return framed({
    locale,
    at: `${addressOf(organization)}/${id}`,
    icon: icons.check,
    heading: texts.keyTitle,
    names: { name },
    tabs: organizationTabs(locale, organization, '/service-accounts', true),
    notice: texts.keyOnce,
    body: html`<dl class="details claims copied">
${rows.map(([key, label, value]) => html`<div><dt>${label}</dt><dd><code id="${key}">${bdi(value)}</code></dd></div>\n`)}</dl>
<p>${texts.keyUse}</p>
<div class="actions"><a class="button" id="next" href="${next}">${texts.keyCopied}</a></div>`,
  })
}

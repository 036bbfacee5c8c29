/** The service accounts of an organization with their keys, and the form for a new one. */

import { LANGUAGE_TAGS, type Locale, textsOf, timeInUtc } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import { badge, namesOf, row } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

export type ShownKey = { id: string; hint: string; expiresAt: Date | null; lastUsedAt: Date | null }

type ServiceAccount = {
  id: string
  name: string
  clientId: string
  disabled: boolean
  /** Names. */
  roles: string[]
  keys: ShownKey[]
}

/** `allowsServiceAccounts`: the system does; otherwise some have remained. */
export type ProgramsOrganization = TabbedOrganization & { system: string; allowsServiceAccounts: boolean }

type ServiceAccountsPage = AccountPage & {
  organization: ProgramsOrganization
  serviceAccounts: ServiceAccount[]
}

export const addressOf = ({ id }: TabbedOrganization) => `/account/organizations/${id}/service-accounts`

export function serviceAccountsPage(page: ServiceAccountsPage): string {
  const { locale, organization, serviceAccounts, notice, errors } = page
  const texts = textsOf(locale, 'serviceAccounts')
  const at = addressOf(organization)
  return framed({
    locale,
    at,
    icon: icons.key,
    heading: texts.title,
    names: { account: organization.name },
    tabs: organizationTabs(locale, organization, '/service-accounts'),
    notice,
    errors,
    body: html`<p>${fill(texts.lead, { system: bdi(organization.system) })}</p>
${notAllowed(locale, organization)}
${serviceAccounts.length === 0 && html`<p role="status">${texts.none}</p>`}
${organization.allowsServiceAccounts && html`<div class="actions"><a class="button${serviceAccounts.length > 0 && ' quiet'}" id="new" href="${at}/new">${texts.new}</a></div>`}
${serviceAccounts.map((each) => section(page, each))}`,
  })
}

/** What an admin can still do. */
export const notAllowed = (
  locale: Locale,
  { allowsServiceAccounts, system }: ProgramsOrganization,
): Content =>
  !allowsServiceAccounts &&
  html`<p id="not-allowed">${fill(textsOf(locale, 'serviceAccounts').notAllowed, { system: bdi(system) })}</p>`

function section({ locale, csrf, organization }: ServiceAccountsPage, program: ServiceAccount): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const { id, name, clientId, disabled, roles, keys } = program
  const at = `${addressOf(organization)}/${id}`
  const label = fillPlain(texts.manage, { name })
  return html`<section aria-labelledby="of-${id}">
<h2 id="of-${id}"><a href="${at}" title="${label}">${bdi(name)}</a>${disabled && badge(texts.disabled)}</h2>
<p class="hint">${roles.length > 0 ? namesOf(locale, roles) : textsOf(locale, 'organization').noRoles}<br>${texts.clientId} <code>${clientId}</code></p>
${keys.length > 0 ? keyList(locale, csrf, at, keys) : html`<p>${texts.noKey}${organization.allowsServiceAccounts && html`. <a href="${at}" aria-describedby="of-${id}">${texts.newKey}</a>`}</p>`}
</section>
`
}

/** The keys by their last characters. Each can be revoked, after a second step. */
export function keyList(locale: Locale, csrf: string, at: string, keys: ShownKey[]): Content {
  const texts = textsOf(locale, 'serviceAccounts')
  if (keys.length === 0) return html`<p>${texts.noKey}</p>`
  const item = ({ id, hint, expiresAt, lastUsedAt }: ShownKey): Html => {
    const key = `tk_…${hint}`
    const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now()
    const used = lastUsedAt ? fill(texts.used, { time: timeInUtc(lastUsedAt, locale) }) : texts.unused
    const label = fillPlain(texts.revokeOf, { key })
    return row(
      html`<code>${bdi(key)}</code>${isOver && badge(textsOf(locale, 'organization').isExpired)}`,
      [expiryOf(locale, expiresAt, isOver), used],
      html`<details><summary class="link" aria-label="${label}">${texts.revoke}</summary>
<form method="post" action="${at}/revoke">
${csrfField(csrf)}
<p class="hint" id="hint-${id}">${texts.revokeLead}</p>
<div class="actions"><button type="submit" class="quiet" name="key" value="${id}" aria-describedby="hint-${id}">${label}</button></div>
</form></details>`,
    )
  }
  return html`<ul class="scopes" aria-label="${texts.keys}">
${keys.map(item)}</ul>`
}

function expiryOf(locale: Locale, at: Date | null, isOver: boolean): Content {
  const texts = textsOf(locale, 'serviceAccounts')
  if (at === null) return texts.noExpiry
  const format = new Intl.DateTimeFormat(LANGUAGE_TAGS[locale], { dateStyle: 'long', timeZone: 'UTC' })
  return fill(isOver ? texts.expired : texts.expires, { date: format.format(at) })
}

type NewPage = AccountPage & {
  organization: TabbedOrganization
  /** The name as entered before. */
  typed: string
  roles: MemberOption[]
}

export function newServiceAccountPage({ locale, csrf, organization, typed, roles, errors }: NewPage): string {
  const texts = textsOf(locale, 'serviceAccounts')
  const at = addressOf(organization)
  return framed({
    locale,
    at: `${at}/new`,
    icon: icons.key,
    heading: texts.new,
    tabs: organizationTabs(locale, organization, '/service-accounts', true),
    lead: texts.newLead,
    errors,
    labels: { name: texts.name },
    body: html`<form method="post" action="${at}/new">
${csrfField(csrf)}
${nameAndRoles(locale, typed, roles, errors)}
<div class="actions"><button type="submit" id="submit">${texts.create}</button></div>
</form>
<p class="note"><a href="${at}">${texts.all}</a></p>`,
  })
}

export function nameAndRoles(
  locale: Locale,
  name: string,
  roles: MemberOption[],
  errors: AccountPage['errors'] = {},
): Html {
  const texts = textsOf(locale, 'serviceAccounts')
  const hint = html`${texts.nameHint}`
  const input = { id: 'name', label: texts.name, value: name, hint, autocomplete: 'off', max: 100 }
  return html`${textField(input, errors)}
${choices(locale, 'roles', roles)}
${roles.some(({ isAdmin }) => isAdmin) && html`<p class="hint">${texts.adminHint}</p>`}`
}

/** The service accounts of an organization with their keys, and the form for a new one. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { timeAt } from '../../../times.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, emptyList, joined, namesOf, panel, panelForm, row } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'

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
    reader: page,
    at,
    organization,
    heading: texts.tab,
    lead: fill(texts.lead, { system: bdi(organization.system) }),
    acts:
      organization.allowsServiceAccounts &&
      html`<a class="button" id="new" href="${at}/new">${texts.new}</a>`,
    notice,
    errors,
    body: html`${notAllowed(locale, organization)}
${serviceAccounts.length === 0 && panel({ body: emptyList(icons.program, texts.none) })}
${serviceAccounts.map((each) => section(page, each))}`,
  })
}

/** What an admin can still do. */
export const notAllowed = (
  locale: Locale,
  { allowsServiceAccounts, system }: ProgramsOrganization,
): Content =>
  !allowsServiceAccounts &&
  html`<p class="note" id="not-allowed">${fill(textsOf(locale, 'serviceAccounts').notAllowed, { system: bdi(system) })}</p>`

function section(page: ServiceAccountsPage, program: ServiceAccount): Html {
  const { locale, organization } = page
  const texts = textsOf(locale, 'serviceAccounts')
  const { id, name, clientId, disabled, roles, keys } = program
  const at = `${addressOf(organization)}/${id}`
  const label = fillPlain(texts.manage, { name })
  const rolesOf = roles.length > 0 ? namesOf(locale, roles) : textsOf(locale, 'organization').noRoles
  return panel({
    id: `of-${id}`,
    title: html`<a href="${at}" title="${label}">${bdi(name)}</a>${disabled && badge(texts.disabled)}`,
    hint: joined(rolesOf, html`${texts.clientId} <code>${clientId}</code>`),
    action:
      keys.length === 0 &&
      organization.allowsServiceAccounts &&
      html`<a class="button quiet" href="${at}" aria-describedby="of-${id}">${texts.newKey}</a>`,
    body: keyList(page, at, keys),
  })
}

/** The keys by their last characters. Each can be revoked, after a second step. */
export function keyList(page: AccountPage, at: string, keys: ShownKey[]): Content {
  const { locale, csrf } = page
  const texts = textsOf(locale, 'serviceAccounts')
  if (keys.length === 0) return emptyList(icons.key, texts.noKey)
  const item = ({ id, hint, expiresAt, lastUsedAt }: ShownKey): Html => {
    const key = `tk_…${hint}`
    const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now()
    const used = lastUsedAt ? fill(texts.used, { time: timeAt(page, lastUsedAt) }) : texts.unused
    const label = fillPlain(texts.revokeOf, { key })
    return row(
      icons.key,
      html`<code>${bdi(key)}</code>${isOver && badge(textsOf(locale, 'organization').isExpired)}`,
      [joined(expiryOf(page, expiresAt, isOver), used)],
      html`<details class="unfold"><summary class="button quiet danger" aria-label="${label}">${texts.revoke}</summary>
<form method="post" action="${at}/revoke">
${csrfField(csrf)}
<p class="hint" id="hint-${id}">${texts.revokeLead}</p>
<div class="actions"><button type="submit" class="danger filled" name="key" value="${id}" aria-describedby="hint-${id}">${label}</button></div>
</form></details>`,
    )
  }
  return html`<ul class="rows" aria-label="${texts.keys}">
${keys.map(item)}</ul>`
}

function expiryOf(page: AccountPage, at: Date | null, isOver: boolean): Content {
  const texts = textsOf(page.locale, 'serviceAccounts')
  if (at === null) return texts.noExpiry
  return fill(isOver ? texts.expired : texts.expires, { date: timeAt(page, at, 'date') })
}

type NewPage = AccountPage & {
  organization: TabbedOrganization
  /** The name as entered before. */
  typed: string
  roles: MemberOption[]
}

export function newServiceAccountPage(page: NewPage): string {
  const { locale, csrf, organization, typed, roles, errors } = page
  const texts = textsOf(locale, 'serviceAccounts')
  const at = addressOf(organization)
  return framed({
    reader: page,
    at: `${at}/new`,
    organization,
    crumb: { href: at, text: texts.all },
    heading: texts.new,
    lead: texts.newLead,
    errors,
    labels: { name: texts.name },
    body: panel({
      body: panelForm({
        action: `${at}/new`,
        csrf,
        body: html`${nameAndRoles(locale, typed, roles, errors)}`,
        foot: [html`<button type="submit" id="submit">${texts.create}</button>`],
      }),
    }),
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

/** The list of the members of an organization. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { bdi, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { framed } from '../frame.ts'
import { badge, namesOf, row } from '../rows.ts'
import { pager } from './pager.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

const STATUSES = ['active', 'pending', 'blocked'] as const
type Status = (typeof STATUSES)[number]

type MembersPage = {
  locale: Locale
  organization: TabbedOrganization
  members: { id: string; email: string; name: string | null; status: Status; roles: string[] }[]
  filters: { page: number; search: string; status: Status | undefined }
  hasNext: boolean
  notice?: string | undefined
}

export function membersPage(page: MembersPage): string {
  const { locale, organization, members, notice } = page
  const texts = textsOf(locale, 'organization')
  const at = `/account/organizations/${organization.id}/members`
  const item = ({ id, email, name, status, roles }: MembersPage['members'][number]) => {
    const title = bdi(name ?? email)
    const details = [name !== null && bdi(email), roles.length > 0 && namesOf(locale, roles)]
    return row(
      html`${organization.isAccountAdmin ? html`<a href="${at}/${id}">${title}</a>` : title}${status !== 'active' && badge(texts[status])}`,
      details,
    )
  }
  return framed({
    locale,
    at,
    icon: icons.person,
    heading: texts.membersTitle,
    names: { account: organization.name },
    tabs: organizationTabs(locale, organization, '/members'),
    notice,
    body: html`${filterForm(page, at)}
${members.length > 0 ? html`<ul class="scopes">\n${members.map(item)}</ul>` : html`<p role="status">${texts.noMembers}</p>`}
${pager(page, at, texts.members)}`,
  })
}

function filterForm({ locale, organization, filters }: MembersPage, at: string): Html {
  const texts = textsOf(locale, 'organization')
  const option = (value: string, label: string) =>
    html`<option value="${value}"${value === (filters.status ?? '') && html` selected`}>${label}</option>\n`
  return html`<form method="get" action="${at}" class="search" role="search">
<div class="field">
<label for="search">${texts.search}</label>
<input id="search" name="search" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="254" value="${filters.search}">
</div>
${
  organization.isAccountAdmin &&
  html`<div class="field">
<label for="status">${texts.status}</label>
<select id="status" name="status">
${option('', texts.anyStatus)}${STATUSES.map((each) => option(each, texts[each]))}</select>
</div>`
}
<button type="submit" id="submit" class="quiet">${texts.find}</button>
</form>`
}

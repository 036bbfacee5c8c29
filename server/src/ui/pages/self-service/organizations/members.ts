/** The list of the members of an organization. */

import { templateOf } from '../../../../texts/message.ts'
import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { type AccountPage, framed, initials } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, emptyList, panel } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'
import { pager } from './pager.ts'

const STATUSES = ['active', 'pending', 'blocked'] as const
type Status = (typeof STATUSES)[number]

type Filters = { page: number; search: string; status: Status | undefined }

type Member = {
  id: string
  email: string
  name: string | null
  status: Status
  isSelf: boolean
  /** It has a role that only the application assigns. */
  isFixed: boolean
  /** The application has blocked it. */
  isBlockedAbove: boolean
  /** Names. */
  roles: string[]
  /** The roles of the menu; undefined if they are on the page of the member only. */
  options: MemberOption[] | undefined
}

type MembersPage = AccountPage & {
  organization: TabbedOrganization
  members: Member[]
  filters: Filters
  hasNext: boolean
}

/** The filters as the query of an address. */
export function queryOf({ page, search, status }: Filters): URLSearchParams {
  const query = new URLSearchParams()
  if (search) query.set('search', search)
  if (status) query.set('status', status)
  if (page > 1) query.set('page', String(page))
  return query
}

const TONES = { active: '', pending: 'wait', blocked: 'bad' } as const

const addressOf = ({ organization }: MembersPage) => `/account/organizations/${organization.id}/members`

export function membersPage(page: MembersPage): string {
  const { locale, organization, members, notice, errors } = page
  const { id, isAccountAdmin } = organization
  const texts = textsOf(locale, 'organization')
  const at = addressOf(page)
  const invite = html`<a class="button" href="/account/organizations/${id}/invitations">${texts.inviteTitle}</a>`
  return framed({
    reader: page,
    at,
    organization,
    isWide: true,
    heading: texts.members,
    acts: isAccountAdmin && invite,
    notice,
    errors,
    body: panel({
      body: html`<div class="bar">${filterForm(page, at)}</div>
${members.length > 0 ? table(page) : emptyList(icons.people, texts.noMembers)}
${isAccountAdmin && members.length > 0 && selectedBar(page)}
${pager(page, at, texts.members)}`,
    }),
  })
}

function table(page: MembersPage): Html {
  const { locale, organization, members } = page
  const texts = textsOf(locale, 'organization')
  const { isAccountAdmin } = organization
  const all = html`<th class="tight"><input type="checkbox" data-select="members" aria-label="${texts.selectAll}" hidden></th>`
  return html`<table class="table">
<thead><tr>${isAccountAdmin && all}<th>${texts.member}</th><th>${texts.roles}</th>${isAccountAdmin && html`<th>${texts.status}</th><th><span class="hidden">${texts.actions}</span></th>`}</tr></thead>
<tbody>
${members.map((member) => tableRow(page, member))}</tbody>
</table>`
}

function tableRow(page: MembersPage, member: Member): Html {
  const { locale, organization } = page
  const texts = textsOf(locale, 'organization')
  const { id, email, name, status, isSelf } = member
  const { isAccountAdmin } = organization
  const shown = name ?? email
  const title = isAccountAdmin ? html`<a href="${addressOf(page)}/${id}">${bdi(shown)}</a>` : bdi(shown)
  const who = html`<td><span class="who">${initials(email, shown, 'round')}<span class="names">${title}${isSelf && badge(texts.you)}${name !== null && html` <small>${bdi(email)}</small>`}</span></span></td>`
  if (!isAccountAdmin) return html`<tr>${who}<td data-label="${texts.roles}">${chipRow(member)}</td></tr>\n`
  const box = html`<td class="tight"><input type="checkbox" form="several" name="members" value="${id}" aria-label="${fillPlain(texts.selectOne, { member: shown })}"></td>`
  return html`<tr>${box}${who}<td data-label="${texts.roles}">${rolesMenu(page, member)}</td><td data-label="${texts.status}">${status !== 'active' && badge(texts[status], TONES[status])}</td><td class="act">${actions(page, member)}</td></tr>
`
}

const chips = ({ roles }: Pick<Member, 'roles'>): Content =>
  roles.map((role) => html`<span class="chip">${bdi(role)}</span> `)

const chipRow = (member: Pick<Member, 'roles'>): Content =>
  member.roles.length > 0 && html`<span class="chips">${chips(member)}</span>`

/** The field by which a form comes back to this list. */
const listField = ({ filters }: MembersPage): Html =>
  html`<input type="hidden" name="list" value="${String(queryOf(filters))}">`

function rolesMenu(page: MembersPage, member: Member): Content {
  const { locale, csrf } = page
  const { id, email, name, isFixed, options = [] } = member
  const texts = textsOf(locale, 'organization')
  if (isFixed || options.length === 0) return chipRow(member)
  const said = fillPlain(texts.rolesOf, { member: name ?? email })
  return html`<details class="menu roles"><summary><span class="hidden">${said}: </span>${member.roles.length > 0 ? chips(member) : html`<span class="chip none">${texts.noRoles}</span>`}${icons.down}</summary>
<div class="pop start"><form method="post" action="${addressOf(page)}/${id}/roles">
${csrfField(csrf)}
${listField(page)}
${choices(locale, 'roles', options)}
<button type="submit">${texts.saveRoles}</button>
</form></div></details>`
}

function actions(
  page: MembersPage,
  { id, email, name, status, isSelf, isFixed, isBlockedAbove }: Member,
): Html {
  const { locale, csrf } = page
  const texts = textsOf(locale, 'organization')
  const at = addressOf(page)
  const isChangeable = !isSelf && !isFixed
  const asks = (action: 'block' | 'remove', icon: Html, text: string) =>
    html`<a class="entry danger" href="${at}/several?do=${action}&amp;members=${id}">${icon}${text}</a>
`
  const act = (action: 'approve' | 'unblock') => html`<form method="post" action="${at}/${id}/status">
${csrfField(csrf)}
${listField(page)}
<button type="submit" class="entry" name="action" value="${action}">${icons.tick}${texts[action]}</button>
</form>
`
  return html`<details class="menu"><summary><span class="hidden">${fillPlain(texts.more, { member: name ?? email })}</span>${icons.more}</summary>
<div class="pop"><a href="${at}/${id}">${icons.person}${texts.details}</a>
${isChangeable && status === 'pending' && act('approve')}${isChangeable && status === 'blocked' && !isBlockedAbove && act('unblock')}${isChangeable && status !== 'blocked' && asks('block', icons.barred, texts.block)}${isChangeable && asks('remove', icons.trash, texts.remove)}</div></details>`
}

/** What can be done with the members that are chosen: a page asks before. */
function selectedBar(page: MembersPage): Html {
  const texts = textsOf(page.locale, 'organization')
  const button = (action: string, text: string, isDangerous: boolean) =>
    html`<button type="submit" class="quiet${isDangerous && ' danger'}" name="do" value="${action}">${text}</button>
`
  return html`<form method="get" action="${addressOf(page)}/several" id="several" class="selected">
<b data-selected="${templateOf(texts.selected)}" role="status">${texts.withSelected}</b>
${button('roles', texts.changeRoles, false)}${button('block', texts.block, true)}${button('remove', texts.removeNow, true)}</form>`
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

/** One member of an organization, for its admins. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { nameAsHeading } from '../../../layout.ts'
import { type AccountPage, framed } from '../frame.ts'
import { badge } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'
import { organizationTabs, type TabbedOrganization } from './tabs.ts'

export type MemberPage = AccountPage & {
  organization: TabbedOrganization
  member: {
    id: string
    email: string
    name: string | null
    status: 'active' | 'pending' | 'blocked'
    /** Why an admin cannot change the member, or not its status. */
    restriction: 'reserved' | 'blockedAbove' | 'awaitsApplication' | null
    isSelf: boolean
  }
  roles: MemberOption[]
  profiles: MemberOption[]
}

export function memberPage(page: MemberPage): string {
  const { locale, organization, member, notice, errors } = page
  const texts = textsOf(locale, 'organization')
  const at = `/account/organizations/${organization.id}/members`
  const parts = member.isSelf
    ? html`<p class="lead">${texts.yourself}</p>
${rolesForm(page, at)}`
    : html`${statusForm(page, at)}
${rolesForm(page, at)}
${endings(page, at)}`
  return framed({
    locale,
    at: `${at}/${member.id}`,
    icon: icons.person,
    ...nameAsHeading(member.name ?? member.email),
    tabs: organizationTabs(locale, organization, '/members', true),
    lead: html`${member.name !== null && bdi(member.email)}${badge(texts[member.status])}`,
    notice,
    errors,
    body: html`${member.restriction !== null && html`<p>${texts[member.restriction]}</p>`}
${member.restriction === 'reserved' ? undefined : parts}
<p class="note"><a href="${at}">${texts.allMembers}</a></p>`,
  })
}

const memberOf = ({ member }: MemberPage) => bdi(member.name ?? member.email)

/** A form with one button. */
const act = (
  { csrf }: MemberPage,
  action: string,
  { id, label, value, hint }: { id: string; label: string; value?: string; hint?: Content },
): Html => html`<form method="post" action="${action}">
${csrfField(csrf)}
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
<div class="actions"><button type="submit" id="${id}"${value && html` name="action" value="${value}"`}${id !== 'approve' && html` class="quiet"`}${hint && html` aria-describedby="${id}-hint"`}>${label}</button></div>
</form>`

function statusForm(page: MemberPage, at: string): Content {
  const { locale, member } = page
  if (member.status === 'active' || member.restriction !== null) return undefined
  const texts = textsOf(locale, 'organization')
  const id = member.status === 'pending' ? 'approve' : 'unblock'
  return act(page, `${at}/${member.id}/status`, { id, label: texts[id], value: id })
}

function rolesForm({ locale, csrf, member, roles, profiles }: MemberPage, at: string): Content {
  const texts = textsOf(locale, 'organization')
  if (roles.length + profiles.length === 0) return html`<p>${texts.noneToChoose}</p>`
  return html`<form method="post" action="${at}/${member.id}/roles">
${csrfField(csrf)}
${choices(locale, 'roles', roles)}
${choices(locale, 'profiles', profiles)}
<div class="actions"><button type="submit" id="save">${texts.saveMember}</button></div>
</form>`
}

function endings(page: MemberPage, at: string): Html {
  const { locale, member } = page
  const texts = textsOf(locale, 'organization')
  const names = { member: memberOf(page) }
  const path = `${at}/${member.id}`
  const folded = (id: string, label: string, action: string, hint: Html, value?: string) =>
    html`<details class="more"><summary>${label}</summary>
${act(page, action, { id, label, hint, ...(value && { value }) })}
</details>
`
  return html`${member.status === 'active' && folded('hand-over', texts.handOver, `${path}/hand-over`, fill(texts.handOverLead, names))}
${member.status !== 'blocked' && folded('block', texts.block, `${path}/status`, fill(texts.blockLead, names), 'block')}
${folded('remove', texts.remove, `${path}/remove`, fill(texts.removeLead, names))}`
}

/** One member of an organization, for its admins. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../../../html.ts'
import { nameAsHeading } from '../../../layout.ts'
import { type AccountPage, framed } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, panel, panelForm } from '../rows.ts'
import { choices, type MemberOption } from './choices.ts'

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
    ? html`<p class="note">${texts.yourself}</p>
${rolesForm(page, at)}`
    : html`${statusForm(page, at)}
${rolesForm(page, at)}
${endings(page, at)}`
  return framed({
    reader: page,
    at: `${at}/${member.id}`,
    organization,
    crumb: { href: at, text: texts.allMembers },
    ...nameAsHeading(member.name ?? member.email),
    lead: leadOf(page),
    notice,
    errors,
    body: html`${member.restriction !== null && html`<p class="note">${texts[member.restriction]}</p>`}
${member.restriction === 'reserved' ? undefined : parts}`,
  })
}

const TONES = { pending: 'wait', blocked: 'bad' } as const

/** The address below a name, and a status that is not the usual one. */
function leadOf({ locale, member: { name, email, status } }: MemberPage): Content {
  const isUsual = status === 'active'
  if (isUsual) return name !== null && bdi(email)
  return html`${name !== null && bdi(email)}${badge(textsOf(locale, 'organization')[status], TONES[status])}`
}

const memberOf = ({ member }: MemberPage) => bdi(member.name ?? member.email)

type Act = { id: string; label: string; value?: string; hint?: Content; isDangerous?: boolean }

/** A panel with a form of one button; that of a change that ends something opens first. */
function act({ csrf }: MemberPage, action: string, { id, label, value, hint, isDangerous }: Act): Html {
  const look = isDangerous ? 'danger filled' : id === 'approve' ? '' : 'quiet'
  const form = html`<form method="post" action="${action}">
${csrfField(csrf)}
<button type="submit" id="${id}"${value && html` name="action" value="${value}"`} class="${look}"${hint && html` aria-describedby="do-${id}-hint"`}>${label}</button>
</form>`
  return panel({
    id: `do-${id}`,
    title: label,
    hint,
    action: isDangerous
      ? html`<details class="unfold"><summary class="button quiet danger">${label}</summary>
${form}
</details>`
      : form,
  })
}

function statusForm(page: MemberPage, at: string): Content {
  const { locale, member } = page
  if (member.status === 'active' || member.restriction !== null) return undefined
  const texts = textsOf(locale, 'organization')
  const id = member.status === 'pending' ? 'approve' : 'unblock'
  const hint = fill(texts[`${id}Lead`], { member: memberOf(page) })
  return act(page, `${at}/${member.id}/status`, { id, label: texts[id], value: id, hint })
}

function rolesForm({ locale, csrf, member, roles, profiles }: MemberPage, at: string): Content {
  const texts = textsOf(locale, 'organization')
  if (roles.length + profiles.length === 0) return html`<p class="note">${texts.noneToChoose}</p>`
  return panel({
    body: panelForm({
      action: `${at}/${member.id}/roles`,
      csrf,
      isColumns: true,
      body: html`${choices(locale, 'roles', roles)}
${choices(locale, 'profiles', profiles)}`,
      foot: [html`<button type="submit" id="save">${texts.saveMember}</button>`],
    }),
  })
}

function endings(page: MemberPage, at: string): Html {
  const { locale, member } = page
  const texts = textsOf(locale, 'organization')
  const names = { member: memberOf(page) }
  const path = `${at}/${member.id}`
  const part = (id: string, label: string, action: string, hint: Html, value?: string) =>
    act(page, action, { id, label, hint, isDangerous: true, ...(value && { value }) })
  return html`${member.status === 'active' && part('hand-over', texts.handOver, `${path}/hand-over`, fill(texts.handOverLead, names))}
${member.status !== 'blocked' && part('block', texts.block, `${path}/status`, fill(texts.blockLead, names), 'block')}
${part('remove', texts.remove, `${path}/remove`, fill(texts.removeLead, names))}`
}

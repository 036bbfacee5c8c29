/** The page that asks before several members are changed, and that names those who were not. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, type Html, html } from '../../../html.ts'
import { type AccountPage, framed, initials } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { panel, panelFoot, row, rowList } from '../rows.ts'
import type { MemberOption } from './choices.ts'

type SeveralPage = AccountPage & {
  organization: TabbedOrganization
  action: 'roles' | 'block' | 'remove'
  /** `reason`: why the member was not changed. */
  members: { id: string; email: string; name: string | null; reason: string | undefined }[]
  /** How many were removed by somebody else meanwhile. */
  gone: number
  /** Those that an admin may give. */
  roles: MemberOption[]
}

export function severalPage(page: SeveralPage): string {
  const { locale, csrf, organization, action, members, gone, errors } = page
  const texts = textsOf(locale, 'organization')
  const list = `/account/organizations/${organization.id}/members`
  const number = members.length === 1 ? 'One' : 'Several'
  const said = {
    roles: { heading: texts[`roles${number}`], lead: texts[`roles${number}Lead`], button: texts.saveRoles },
    block: { heading: texts[`block${number}`], lead: texts[`block${number}Lead`], button: texts.block },
    remove: {
      heading: texts[`remove${number}`],
      lead: texts[`remove${number}Lead`],
      button: texts.removeNow,
    },
  }[action]
  const member = ({ id, email, name, reason }: SeveralPage['members'][number]) =>
    row(
      initials(email, name ?? email, 'round'),
      html`${bdi(name ?? email)}<input type="hidden" name="members" value="${id}">`,
      [name !== null && bdi(email), reason && html`<span class="fault">${reason}</span>`],
    )
  const form = html`<form method="post" action="${list}/several">
${csrfField(csrf)}
<input type="hidden" name="do" value="${action}">
${rowList(members.map(member))}
${action === 'roles' && choices(page)}
${panelFoot(
  html`<a class="button quiet" id="cancel" href="${list}">${textsOf(locale).cancel}</a>`,
  html`<button type="submit" id="submit"${action !== 'roles' && html` class="danger filled"`}>${said.button}</button>`,
)}
</form>`
  return framed({
    reader: page,
    at: `${list}/several`,
    organization,
    crumb: { href: list, text: texts.allMembers },
    heading: said.heading,
    lead: said.lead,
    errors,
    body: html`${gone > 0 && html`<p class="note">${texts.memberGone}</p>`}
${members.length > 0 && panel({ body: form })}`,
  })
}

function choices({ locale, roles }: SeveralPage): Content {
  const texts = textsOf(locale, 'organization')
  const box = (name: 'add' | 'remove', { id, name: role }: MemberOption): Html =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${id}"><span>${bdi(role)}</span></label>
`
  const group = (name: 'add' | 'remove', legend: string) => html`<fieldset class="checks">
<legend>${legend}</legend>
${roles.map((role) => box(name, role))}</fieldset>`
  if (roles.length === 0) return html`<div class="body"><p>${texts.noneToChoose}</p></div>`
  return html`<div class="body columns">
${group('add', texts.rolesAdd)}
${group('remove', texts.rolesRemove)}
</div>`
}

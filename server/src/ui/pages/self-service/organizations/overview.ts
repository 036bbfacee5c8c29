/** The first page of an organization: the user's own membership, its admins, and leaving it. */

import { textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, type Html, html } from '../../../html.ts'
import { nameAsHeading } from '../../../layout.ts'
import { timeAt } from '../../../times.ts'
import { type AccountPage, framed, initials } from '../frame.ts'
import type { TabbedOrganization } from '../organization-parts.ts'
import { badge, namesOf, panel, row, rowList } from '../rows.ts'

type OverviewPage = AccountPage & {
  organization: TabbedOrganization & {
    /** Its name. */
    system: string
    /** Names of the user's roles. */
    roles: string[]
    since: Date
  }
  admins: { name: string | null; email: string }[]
  hasMoreAdmins: boolean
}

export function organizationOverview(page: OverviewPage): string {
  const { organization, notice, errors } = page
  return framed({
    reader: page,
    at: `/account/organizations/${organization.id}`,
    organization,
    ...nameAsHeading(organization.name),
    notice,
    errors,
    body: html`${facts(page)}
${adminsPanel(page)}
${leaving(page)}`,
  })
}

type LeavingPage = AccountPage & {
  organization: Pick<OverviewPage['organization'], 'id' | 'name' | 'system'>
}

const leaving = ({ locale, csrf, organization, errors }: LeavingPage): Html => {
  const texts = textsOf(locale, 'organization')
  return panel({
    id: 'leaving',
    title: texts.leave,
    hint: fill(texts.leaveLead, { account: bdi(organization.name) }),
    action: html`<details class="unfold"${errors?.form && html` open`}>
<summary class="button quiet danger">${texts.leave}</summary>
<form method="post" action="/account/organizations/${organization.id}/leave">
${csrfField(csrf)}
<div class="actions"><button type="submit" id="leave" class="danger filled" aria-describedby="leaving-hint">${texts.leaveNow}</button></div>
</form>
</details>`,
  })
}

/** Only the form to leave. */
export function leavePage(page: LeavingPage): string {
  const { organization } = page
  return framed({
    reader: page,
    at: `/account/organizations/${organization.id}`,
    ...nameAsHeading(organization.name),
    body: leaving(page),
  })
}

type BarredPage = LeavingPage & {
  organization: { isSuspended: boolean }
  /** Of the application. */
  support: string | undefined
}

/** All that a member sees of an organization that is suspended, or that requires single sign-on. */
export function barredOrganization(page: BarredPage): string {
  const { locale, organization, support, errors } = page
  const texts = textsOf(locale, 'organization')
  const names = { account: bdi(organization.name), system: bdi(organization.system) }
  return framed({
    reader: page,
    at: `/account/organizations/${organization.id}`,
    ...nameAsHeading(organization.name),
    lead: fill(organization.isSuspended ? texts.suspendedLead : texts.closedLead, names),
    acts:
      support !== undefined &&
      organization.isSuspended &&
      html`<a class="button" id="support" href="${support}" rel="noreferrer">${fill(texts.support, names)}</a>`,
    errors,
    labels: {},
    body: leaving(page),
  })
}

function facts(page: OverviewPage): Html {
  const { locale, organization } = page
  const texts = textsOf(locale, 'organization')
  const rows: [string, Content][] = [
    [texts.application, bdi(organization.system)],
    [texts.yourRoles, organization.roles.length > 0 ? namesOf(locale, organization.roles) : texts.noRoles],
    [texts.since, timeAt(page, organization.since, 'date')],
  ]
  return panel({
    body: html`<dl class="details">
${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}</dl>`,
  })
}

function adminsPanel({ locale, person, organization, admins, hasMoreAdmins }: OverviewPage): Html {
  const texts = textsOf(locale, 'organization')
  const { id, isAccountAdmin, membersVisible } = organization
  const admin = ({ name, email }: OverviewPage['admins'][number]) =>
    row(
      initials(email, name ?? email, 'round'),
      html`${bdi(name ?? email)}${email === person.email && badge(texts.you)}`,
      [name !== null && bdi(email)],
    )
  return panel({
    id: 'admins',
    title: texts.admins,
    hint: admins.length === 0 ? texts.noAdmins : hasMoreAdmins && texts.moreAdmins,
    action:
      (isAccountAdmin || membersVisible) &&
      html`<a class="button quiet" href="/account/organizations/${id}/members">${texts.allMembers}</a>`,
    body: admins.length > 0 && rowList(admins.map(admin)),
  })
}

/** The first page of an organization: the user's own membership, its admins, and leaving it. */

import { LANGUAGE_TAGS, textsOf } from '../../../../texts/texts.ts'
import { csrfField } from '../../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../../html.ts'
import { icons } from '../../../icons.ts'
import { nameAsHeading } from '../../../layout.ts'
import { type AccountPage, framed, textField } from '../frame.ts'
import { badge, namesOf } from '../rows.ts'
import { organizationTabs } from './tabs.ts'

type OverviewPage = AccountPage & {
  organization: {
    id: string
    name: string
    /** Its name. */
    system: string
    /** Names of the user's roles. */
    roles: string[]
    since: Date
    isAccountAdmin: boolean
    membersVisible: boolean
    hasServiceAccounts: boolean
    returnTo?: string | undefined
    acceptOtherAddress: boolean
    requireMfa: boolean
    /** The application or the installation has decided that. */
    requireMfaAbove: boolean
  }
  /** Of the active members; for admins. */
  withoutFactor?: number | undefined
  admins: { name: string | null; email: string }[]
  hasMoreAdmins: boolean
  /** The address of the user. */
  email: string
  /** The name as entered, if it was refused. */
  typed?: string | undefined
}

export function organizationOverview(page: OverviewPage): string {
  const { locale, organization, notice, errors } = page
  const texts = textsOf(locale, 'organization')
  const at = `/account/organizations/${organization.id}`
  return framed({
    locale,
    at,
    icon: icons.badge,
    ...nameAsHeading(organization.name),
    tabs: organizationTabs(locale, organization, ''),
    notice,
    errors,
    labels: { name: texts.name },
    body: html`${facts(page)}
${organization.isAccountAdmin && settings(page, at)}
${leaving(page)}`,
  })
}

type LeavingPage = AccountPage & {
  organization: Pick<OverviewPage['organization'], 'id' | 'name' | 'system'>
}

const leaving = ({ locale, csrf, organization, errors }: LeavingPage): Html => {
  const texts = textsOf(locale, 'organization')
  return html`<details class="more"${errors?.form && html` open`}>
<summary>${texts.leave}</summary>
<form method="post" action="/account/organizations/${organization.id}/leave">
${csrfField(csrf)}
<p class="hint" id="leave-hint">${fill(texts.leaveLead, { account: bdi(organization.name) })}</p>
<div class="actions"><button type="submit" id="leave" class="quiet" aria-describedby="leave-hint">${texts.leave}</button></div>
</form>
</details>`
}

/** Only the form to leave. */
export function leavePage(page: LeavingPage): string {
  const { locale, organization } = page
  return framed({
    locale,
    at: `/account/organizations/${organization.id}`,
    icon: icons.badge,
    ...nameAsHeading(organization.name),
    body: leaving(page),
  })
}

/** All that a member sees of a suspended organization. */
export function suspendedOrganization(page: LeavingPage): string {
  const { locale, organization, errors } = page
  const texts = textsOf(locale, 'organization')
  const names = { account: bdi(organization.name), system: bdi(organization.system) }
  return framed({
    locale,
    at: `/account/organizations/${organization.id}`,
    icon: icons.barred,
    ...nameAsHeading(organization.name),
    lead: fill(texts.suspendedLead, names),
    errors,
    labels: {},
    body: leaving(page),
  })
}

function settings(page: OverviewPage, at: string): Html {
  const { locale, csrf, organization, typed, errors = {} } = page
  const texts = textsOf(locale, 'organization')
  const { name, membersVisible, acceptOtherAddress } = organization
  const input = { id: 'name', label: texts.name, value: typed ?? name, autocomplete: 'off', max: 100 }
  return html`<section aria-labelledby="settings">
<h2 id="settings">${texts.settings}</h2>
<form method="post" action="${at}">
${csrfField(csrf)}
<input type="hidden" name="nameBefore" value="${name}">
${textField(input, errors)}
<div class="checks">${flag('membersVisible', membersVisible, texts.membersVisible)}
${flag('acceptOtherAddress', acceptOtherAddress, texts.acceptOtherAddress, texts.acceptOtherAddressHint)}
${factorFlag(page)}</div>
<div class="actions"><button type="submit" id="submit">${textsOf(locale, 'profile').save}</button></div>
</form>
</section>`
}

/** What a higher authority requires is shown, and cannot be changed here. */
function factorFlag({ locale, organization, withoutFactor = 0 }: OverviewPage): Html {
  const texts = textsOf(locale, 'organization')
  const { requireMfa, requireMfaAbove } = organization
  const members = new Intl.NumberFormat(LANGUAGE_TAGS[locale]).format(withoutFactor)
  const hint = requireMfaAbove ? texts.requireMfaAbove : fillPlain(texts.requireMfaHint, { members })
  return flag('requireMfa', requireMfa, texts.requireMfa, hint, requireMfaAbove)
}

/** A setting, with the state that the page shows. A fixed one is not sent. */
const flag = (name: string, isOn: boolean, label: string, hint?: string, isFixed = false): Html =>
  html`<input type="hidden" name="${name}Before" value="${isOn && !isFixed ? 'yes' : 'no'}">
<label class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${isOn && html` checked`}${isFixed && html` disabled`}${hint && html` aria-describedby="${name}-hint"`}><span>${label}</span></label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`

function facts({ locale, organization, admins, hasMoreAdmins, email }: OverviewPage): Content {
  const texts = textsOf(locale, 'organization')
  const tag = LANGUAGE_TAGS[locale]
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(organization.since)
  const person = (admin: OverviewPage['admins'][number]) =>
    html`<li>${bdi(admin.name ?? admin.email)}${admin.email === email && badge(texts.you)}${admin.name !== null && html`<small>${bdi(admin.email)}</small>`}</li>`
  const rows: [string, Content][] = [
    [texts.application, bdi(organization.system)],
    [texts.yourRoles, organization.roles.length > 0 ? namesOf(locale, organization.roles) : texts.noRoles],
    [texts.since, date],
    [
      texts.admins,
      admins.length > 0
        ? html`<ul class="people">${admins.map(person)}${hasMoreAdmins && html`<li>${texts.moreAdmins}</li>`}</ul>`
        : texts.noAdmins,
    ],
  ]
  return html`<dl class="details claims facts">
${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}</dl>`
}

/** Navigation between the pages of one organization. */

import { type Locale, textsOf } from '../../../../texts/texts.ts'
import { bdi, fill, type Html, html } from '../../../html.ts'

export type TabbedOrganization = {
  id: string
  name: string
  isAccountAdmin: boolean
  membersVisible: boolean
  /** There are some, or the system allows them. */
  hasServiceAccounts: boolean
  /** The name of the system, and where it is, if the user came from there. */
  system?: string
  returnTo?: string | undefined
}

type Tab = '' | '/members' | '/invitations' | '/service-accounts' | '/activity'

/** `within`: the page is below that of the tab. */
export function organizationTabs(
  locale: Locale,
  { id, isAccountAdmin, membersVisible, hasServiceAccounts, system, returnTo }: TabbedOrganization,
  at: Tab,
  within = false,
): Html | undefined {
  const texts = textsOf(locale, 'organization')
  const all: [Tab, string, boolean][] = [
    ['', texts.overview, true],
    ['/members', texts.members, isAccountAdmin || membersVisible],
    ['/invitations', texts.invitations, isAccountAdmin],
    ['/service-accounts', textsOf(locale, 'serviceAccounts').tab, isAccountAdmin && hasServiceAccounts],
    ['/activity', textsOf(locale, 'activity').tab, isAccountAdmin],
  ]
  const tabs = all.filter(([, , isShown]) => isShown)
  const current = html` aria-current="${within ? 'true' : 'page'}"`
  const back =
    returnTo &&
    system &&
    html`<p class="back"><a href="${returnTo}" id="return">${fill(textsOf(locale).returnTo, { system: bdi(system) })}</a></p>
`
  return html`${back}<nav class="pages tabs" aria-label="${texts.tabs}">
${tabs.map(([path, label]) => html`<a href="/account/organizations/${id}${path}"${path === at && current}>${label}</a>\n`)}</nav>`
}

/** Navigation between the pages of one organization. */

import { type Locale, textsOf } from '../../../texts/texts.ts'
import type { OrganizationLook } from '../../avatar.ts'
import type { Html } from '../../html.ts'
import { icons } from '../../icons.ts'

export type TabbedOrganization = {
  id: string
  name: string
  isAccountAdmin: boolean
  membersVisible: boolean
  branding?: OrganizationLook
  /** There are some, or the system allows them. */
  hasServiceAccounts: boolean
  /** It has domains or connections, or its admins may add some. */
  hasSso: boolean
  /** The name of the system, and where it is, if the user came from there. */
  system?: string
  returnTo?: string | undefined
}

/** The pages that the user may open, as entries of a navigation. */
export function organizationParts(
  locale: Locale,
  { id, isAccountAdmin, membersVisible, hasServiceAccounts, hasSso }: TabbedOrganization,
): (readonly [path: string, text: string, icon: Html])[] {
  const texts = textsOf(locale, 'organization')
  const all = [
    ['', texts.overview, icons.house, true],
    ['/members', texts.members, icons.people, isAccountAdmin || membersVisible],
    ['/invitations', texts.invitations, icons.envelope, isAccountAdmin],
    ['/sso', textsOf(locale, 'singleSignOn').tab, icons.key, isAccountAdmin && hasSso],
    [
      '/service-accounts',
      textsOf(locale, 'serviceAccounts').tab,
      icons.program,
      isAccountAdmin && hasServiceAccounts,
    ],
    ['/activity', textsOf(locale, 'activity').tab, icons.list, isAccountAdmin],
    ['/settings', texts.settings, icons.gear, isAccountAdmin],
  ] as const
  return all.flatMap(([path, text, icon, isShown]) =>
    isShown ? [[`/account/organizations/${id}${path}`, text, icon] as const] : [],
  )
}

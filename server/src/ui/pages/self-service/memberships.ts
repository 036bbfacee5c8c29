/** Memberships of the user, and the scopes allowed to applications. */
import { initialOf } from '../../../texts/brand.ts'
import { textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, fill, fillPlain, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { type AccountPage, framed } from './frame.ts'
import { badge, row, rowButton } from './rows.ts'

type Membership = {
  accountId: string
  /** Names of the account and the system. */
  account: string
  system: string
  kind: 'personal' | 'organization'
  status: 'active' | 'pending' | 'blocked' | 'suspended'
  /** It is an organization whose page the user can open. */
  hasPage: boolean
  /** Its pages ask for a second factor, except the one to leave it. */
  requireMfa: boolean
  /** Names. */
  roles: string[]
  /** Scopes and claims; null without a consent. */
  allowed: string[] | null
}

export function membershipsPage({
  locale,
  csrf,
  notice,
  memberships,
}: AccountPage & { memberships: Membership[] }): string {
  const texts = textsOf(locale, 'profile')
  const { leave } = textsOf(locale, 'organization')
  const item = ({
    accountId,
    account,
    kind,
    system,
    status,
    hasPage,
    requireMfa,
    roles,
    allowed,
  }: Membership) => {
    const details = [
      bdi(system),
      kind === 'personal' && texts.personal,
      roles.length > 0 && bdi(roles.join(', ')),
      allowed && allowed.length > 0 && fill(texts.allowed, { scopes: bdi(allowed.join(', ')) }),
    ]
    const leaving =
      hasPage &&
      requireMfa &&
      html`<a class="link" href="/account/organizations/${accountId}/leaving">${leave}</a>`
    const of = fillPlain(texts.revokeOf, { system })
    const title = bdi(account || initialOf(system))
    const name = html`${hasPage ? html`<a href="/account/organizations/${accountId}">${title}</a>` : title}${status !== 'active' && badge(texts[status])}`
    const revoke = allowed && rowButton('accountId', accountId, texts.revoke, of)
    return row(name, details, leaving ? html`<span class="acts">${leaving}${revoke}</span>` : revoke)
  }
  return framed({
    locale,
    at: '/account/accounts',
    icon: icons.badge,
    heading: texts.membershipsTitle,
    lead: memberships.length > 0 ? texts.membershipsLead : texts.membershipsNone,
    notice,
    body:
      memberships.length > 0 &&
      html`<form method="post" action="/account/accounts/revoke">
${csrfField(csrf)}
<ul class="scopes">
${memberships.map(item)}</ul>
</form>`,
  })
}

/** The organizations of the user, and the applications that the user has allowed to read data. */
import { initialOf } from '../../../texts/brand.ts'
import { textsOf } from '../../../texts/texts.ts'
import { csrfField } from '../../forms.ts'
import { bdi, type Content, fill, fillPlain, type Html, html } from '../../html.ts'
import { icons } from '../../icons.ts'
import { accessWords } from '../consent.ts'
import { type AccountPage, framed, initials } from './frame.ts'
import { badge, emptyList, joined, namesOf, panel, row, rowButton, rowList } from './rows.ts'

type OwnMembership = {
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
  /** It signs in by a connection of the organization. */
  isManaged: boolean
  /** Scopes and claims; null without a consent. */
  allowed: string[] | null
}

type MembershipsPage = AccountPage & { memberships: OwnMembership[] }

export function membershipsPage(page: MembershipsPage): string {
  const { locale, notice, memberships } = page
  const texts = textsOf(locale, 'profile')
  const organizations = memberships.filter(({ kind }) => kind === 'organization')
  return framed({
    reader: page,
    at: '/account/accounts',
    heading: texts.membershipsTitle,
    lead: texts.membershipsLead,
    notice,
    body: panel({
      body:
        organizations.length > 0
          ? rowList(organizations.map((each) => organizationRow(page, each)))
          : emptyList(icons.building, texts.membershipsNone),
    }),
  })
}

const STATUS_TONES = { active: '', pending: 'wait', blocked: 'bad', suspended: 'bad' } as const

const statusOf = (page: MembershipsPage, { status }: OwnMembership): Content =>
  status !== 'active' && badge(textsOf(page.locale, 'profile')[status], STATUS_TONES[status])

function organizationRow(page: MembershipsPage, membership: OwnMembership): Html {
  const { accountId, account, system, hasPage, requireMfa, roles, isManaged } = membership
  const texts = textsOf(page.locale, 'profile')
  const { leave } = textsOf(page.locale, 'organization')
  const path = `/account/organizations/${accountId}`
  const title = bdi(account || initialOf(system))
  return row(
    initials(accountId, account || system, 'l'),
    html`${hasPage ? html`<a href="${path}">${title}</a>` : title}${statusOf(page, membership)}`,
    [
      joined(bdi(system), roles.length > 0 && namesOf(page.locale, roles)),
      isManaged && fill(texts.managedBy, { organization: bdi(account) }),
    ],
    hasPage &&
      html`<span class="acts">${requireMfa && html`<a class="button quiet" href="${path}/leaving">${leave}</a>`}<a class="button quiet" href="${path}" aria-label="${fillPlain(texts.openOf, { account })}">${texts.open}</a></span>`,
  )
}

/** Applications of which the user is a member without an organization, and those that have a consent. */
export function applicationsPage(page: MembershipsPage): string {
  const { locale, csrf, notice, memberships } = page
  const texts = textsOf(locale, 'profile')
  const shown = memberships.filter(({ kind, allowed }) => kind === 'personal' || allowed !== null)
  const list = html`<form method="post" action="/account/applications/revoke">
${csrfField(csrf)}
${rowList(shown.map((each) => applicationRow(page, each)))}
</form>`
  return framed({
    reader: page,
    at: '/account/applications',
    heading: texts.applicationsTitle,
    lead: texts.applicationsLead,
    notice,
    body: panel({ body: shown.length > 0 ? list : emptyList(icons.plug, texts.applicationsNone) }),
  })
}

function applicationRow(page: MembershipsPage, membership: OwnMembership): Html {
  const { accountId, account, kind, system, roles, allowed } = membership
  const texts = textsOf(page.locale, 'profile')
  return row(
    initials(system, system, 'l'),
    html`${bdi(system)}${kind === 'personal' && statusOf(page, membership)}`,
    [
      joined(
        kind === 'organization' && bdi(account),
        kind === 'personal' && roles.length > 0 && namesOf(page.locale, roles),
      ),
      allowed &&
        allowed.length > 0 &&
        fill(texts.allowed, { scopes: joined(...accessWords(allowed, textsOf(page.locale))) }),
    ],
    allowed &&
      rowButton({
        name: 'accountId',
        value: accountId,
        text: texts.revoke,
        of: fillPlain(texts.revokeOf, { system }),
      }),
  )
}

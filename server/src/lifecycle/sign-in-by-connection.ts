/**
 * Which user an identity provider of an organization has authenticated. The threat: whoever controls the
 * provider can state any subject and any address. So its word leads to a user only if
 *
 * 1. the subject is linked to that user, and no foreign address is stated with it; or
 * 2. the address is in a domain that the organization has verified, and the provider vouches for it. Its user
 *    is a member, is invited, or becomes a member if the connection adds members (`jit`); or
 * 3. the address is that of a member who has typed a code that was sent to it in this sign-in. The code says
 *    nothing elsewhere: the verification of the address does not change.
 *
 * What follows is a link, which is valid in the account only, and at most a membership of it. The user's own
 * row, credentials and verified address do not change. Whatever refuses the sign-in leaves no trace in these
 * tables, and no refusal depends on a user who exists outside the account.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { Failure, type FailureCode } from '../errors.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { limitOf } from '../http/limits/guard.ts'
import { type Rule, reserve } from '../http/limits/queries.ts'
import { notify } from '../jobs/email/budget.ts'
import { connectionLinked } from '../jobs/email/messages.ts'
import { record } from '../journal/audit/record.ts'
import { lockAccount } from '../resources/accounts/queries.ts'
import {
  findLinkOf,
  findMemberBy,
  listGivenRoles,
  type SharedConnection,
  shareConnection,
  touchLink,
} from '../resources/connections/linking.ts'
import { insertLink } from '../resources/connections/links.ts'
import { isVerifiedBy } from '../resources/domains/match.ts'
import { findPendingTo } from '../resources/invitations/queries.ts'
import type { Mailing } from '../resources/memberships/approval.ts'
import { createMembership } from '../resources/memberships/create.ts'
import { demandUnblocked, findMembershipOf } from '../resources/memberships/queries.ts'
import { hasForbiddenRoles, stateFacts, waitForEntry } from '../resources/memberships/stated.ts'
import { findEnabledUser } from '../resources/sign-ins/queries.ts'
import { shareSystem } from '../resources/systems/queries.ts'
import { findUserOf, lockUser, lockUserOf, type User } from '../resources/users/queries.ts'
import { noteCreatedByAccount } from '../resources/users/system-users.ts'
import { acceptByConnection } from './accept-invitation.ts'
import { createUser } from './create-user.ts'

/** What the provider states of a person, as far as it decides. */
export type Stated = {
  subject: string | null
  /** The required claims that are missing or differ. */
  missing: string[]
  email: string | null
  address: 'verified' | 'unverified' | 'guest'
  /** The claim `hd` if the connection requires it: the issuer is one that organizations share. */
  hostedDomain: string | null
  name: string | null
  givenName: string | null
  familyName: string | null
  locale: string | null
}

export type RefusedByConnection =
  | 'no_subject'
  | 'claim_missing'
  | 'no_address'
  | 'address_unverified'
  | 'address_foreign'
  | 'not_member'
  | 'identity_conflict'
  | 'reserved_role'
  | 'account_suspended'
  | 'connection_not_fresh'
  | 'connection_without_mfa'

/** What the user can show: a code that is sent to the address, or a second factor of their own. */
export type Remedy = { by: 'code' | 'factor'; userId: string }

/**
 * Why a sign-in is refused. Thrown, so that its transaction is rolled back. `remedy`: with it, the sign-in is
 * not refused.
 */
export class ConnectionRefusal extends Error {
  readonly code: RefusedByConnection
  readonly remedy: Remedy | undefined
  constructor(code: RefusedByConnection, remedy?: Remedy) {
    super(code)
    this.code = code
    this.remedy = remedy
  }
}

const refused = (code: RefusedByConnection) => new ConnectionRefusal(code)

/** The connection, and when its provider has answered; ms since 1970, by the clock of the database. */
export type Answered = { id: string; systemId: string; accountId: string; at: number }

/** `isByCode`: an emailed code has linked the user in this sign-in. `wasMember`: before this sign-in. */
export type LinkedSignIn = {
  userId: string
  linkId: string
  connection: SharedConnection
  isByCode: boolean
  wasMember: boolean
}

/** Memberships that the connections of an account add: 5,000 at once, then 600 an hour. */
export const MEMBERS_ADDED = {
  kind: 'steady',
  burst: 5_000,
  every: 6,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/**
 * The user of an answer, with the link that the sign-in rests on. Rows are locked in the order of all
 * transactions: user, system, account, connection, membership. Throws a `ConnectionRefusal`, or
 * `unavailable` if a row has changed meanwhile. `mailbox`: the user who has typed the emailed code.
 */
export async function signInByConnection(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  answered: Answered,
  stated: Stated,
  mailbox: string | undefined,
): Promise<LinkedSignIn> {
  const { subject } = stated
  if (subject === null) throw refused('no_subject')
  if (stated.missing.length > 0) throw refused('claim_missing')
  const link = await findLinkOf(tx, answered.id, subject)
  return link
    ? signInLinked(tx, answered, { ...stated, subject }, link.userId)
    : linkFirst(tx, mailing, actor, answered, { ...stated, subject }, mailbox)
}

type Identified = Stated & { subject: string }

/** Rule 1. A link of an address that has changed is kept if the organization vouches for the new one. */
async function signInLinked(
  tx: Db,
  answered: Answered,
  stated: Identified,
  userId: string,
): Promise<LinkedSignIn> {
  await demandEnabled(tx, await lockUser(tx, EVERYTHING, userId), answered)
  const connection = await shareAnswering(tx, answered)
  const link = await findLinkOf(tx, answered.id, stated.subject)
  if (link?.userId !== userId) throw changedMeanwhile()
  const { email } = stated
  const isStill = email === null || email === link.email || (await isVouched(tx, answered, stated, email))
  if (!isStill) throw refused('identity_conflict')
  const member = await findMembershipOf(tx, { userId, accountId: answered.accountId })
  if (!member) throw changedMeanwhile()
  await demandOpen(tx, member.id, connection)
  await touchLink(tx, link.id, email ?? link.email)
  await stateFacts(tx, member.id, factsOf(stated))
  return { userId, linkId: link.id, connection, isByCode: false, wasMember: true }
}

/** Rules 2 and 3: the first sign-in with this subject, or the first after it was unlinked. */
async function linkFirst(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  answered: Answered,
  stated: Identified,
  mailbox: string | undefined,
): Promise<LinkedSignIn> {
  const { systemId, accountId } = answered
  const { email } = stated
  if (email === null) throw refused('no_address')
  const isByCode = !(await isVouched(tx, answered, stated, email))
  if (isByCode) await demandMailbox(tx, answered, email, mailbox)
  const known = await lockUserOf(tx, email)
  if (isByCode && known?.id !== mailbox) throw changedMeanwhile()
  if (known) await demandEnabled(tx, known, answered)
  const system = await shareSystem(tx, EVERYTHING, systemId)
  const account = await lockAccount(tx, EVERYTHING, accountId)
  const connection = await shareAnswering(tx, answered)
  if (answered.at <= (connection.linksAfter ?? 0)) throw refused('connection_not_fresh')
  const joining = { system, account, connection, email, known, mayAdd: connection.jit && !isByCode }
  const { user, membershipId, wasMember } = await memberOf(tx, mailing, actor, joining)
  await demandOpen(tx, membershipId, connection)
  const link = { accountId, connectionId: answered.id, userId: user.id }
  const linkId = await insertLink(tx, { ...link, subject: stated.subject, email, groups: [] }).catch(
    (error: unknown) => {
      throw LINKED.has(failureOf(error)?.code) ? refused('identity_conflict') : error
    },
  )
  await stateFacts(tx, membershipId, factsOf(stated))
  await record(
    tx,
    { ...actor, type: 'user', id: user.id },
    {
      action: 'connection.linked',
      target: { type: 'connection', id: answered.id },
      ...{ systemId, accountId },
      changes: { userId: [null, user.id], ...(isByCode && { mailedCode: [null, true] }) },
    },
  )
  const names = { connection: connection.name, account: account.name }
  if (known) await notify(tx, mailing.seal, connectionLinked(known, system, names), systemId, accountId)
  return { userId: user.id, linkId, connection, isByCode, wasMember }
}

/** Rule 3. Whether the address has a user makes no difference, unless the user is a member. */
async function demandMailbox(
  tx: Db,
  answered: Answered,
  email: string,
  mailbox: string | undefined,
): Promise<void> {
  const userId = await findLinkable(tx, answered, email)
  if (userId !== undefined && userId === mailbox) return
  const code = (await isVerifiedBy(tx, answered, email)) ? 'address_unverified' : 'address_foreign'
  throw new ConnectionRefusal(code, userId === undefined ? undefined : { by: 'code', userId })
}

/**
 * The user whom a code links: the system knows the address as that of a member. An invitation is not enough:
 * an admin can invite every address, and would read from the page whether it has a user.
 */
async function findLinkable(
  db: Db,
  { systemId, accountId }: Answered,
  email: string,
): Promise<string | undefined> {
  const userId = await findMemberBy(db, { accountId, address: email })
  return userId !== undefined && (await findEnabledUser(db, userId, systemId)) ? userId : undefined
}

/** The subject has another user, or the user another subject. */
const LINKED = new Set<FailureCode | undefined>(['link_taken', 'link_exists'])

type Joining = {
  system: Awaited<ReturnType<typeof shareSystem>>
  account: Awaited<ReturnType<typeof lockAccount>>
  connection: SharedConnection
  email: string
  /** The row-locked user of the address. */
  known: User | undefined
  /** The connection adds members, and the organization vouches for the address. */
  mayAdd: boolean
}
type Joined = { user: { id: string; email: string }; membershipId: string; wasMember: boolean }

/** The membership of the user of a vouched address: by an invitation, or by the connection without one. */
async function memberOf(tx: Db, mailing: Mailing, actor: Actor, joining: Joining): Promise<Joined> {
  const { account, email, known, mayAdd } = joining
  const present = known && (await findMembershipOf(tx, { userId: known.id, accountId: account.id }))
  if (known && present) return { user: known, membershipId: present.id, wasMember: true }
  const invitation = await findPendingTo(tx, { accountId: account.id, email })
  if (!invitation && !mayAdd) throw refused('not_member')
  if (!(await reserve(tx, limitOf(mailing.seal, 'members-by-connection', MEMBERS_ADDED, account.id))))
    throw new Failure('unavailable', { retryAfter: 60 })
  const user = known ?? (await addUser(tx, mailing.seal, actor, account, email))
  const self = { ...actor, type: 'user' as const, id: user.id }
  try {
    const isInvited = invitation && (await acceptByConnection(tx, mailing, self, invitation, user))
    if (!isInvited) await addMember(tx, mailing, self, { ...joining, user })
  } catch (error) {
    if (failureOf(error)?.code === 'insufficient_authority') throw refused('not_member')
    throw error
  }
  const member = await findMembershipOf(tx, { userId: user.id, accountId: account.id })
  if (!member) throw changedMeanwhile()
  // A former holder of the mailbox may still know the password.
  if (known) await waitForEntry(tx, member.id)
  return { user, membershipId: member.id, wasMember: false }
}

/** Adds a member as an admin of the account does, but lifts no block, also none of the account. */
async function addMember(
  tx: Db,
  mailing: Mailing,
  actor: Actor,
  { system, account, connection, user, mayAdd }: Joining & { user: Joined['user'] },
): Promise<void> {
  if (!mayAdd) throw refused('not_member')
  await demandUnblocked(tx, { userId: user.id, systemId: system.id, accountId: account.id }, 'user')
  const roles = await listGivenRoles(tx, connection)
  // Only the system and the platform set `reservedRoles`, and the default roles that are reserved.
  const rolesBy = connection.reservedRoles ? 'system' : 'account'
  await createMembership(tx, mailing, actor, { addedBy: 'account', user, system, account, roles, rolesBy })
}

/** Of a new user only the address is valid everywhere. */
async function addUser(
  tx: Db,
  seal: Seal,
  actor: Actor,
  { id: accountId, systemId }: Joining['account'],
  email: string,
): Promise<User> {
  const id = crypto.randomUUID()
  const self = { ...actor, type: 'user' as const, id }
  const entry = { action: 'user.registered', systemId, changes: {} } as const
  const created = await createUser(tx, seal, self, systemId, { id, email }, entry)
  if (!created) throw changedMeanwhile()
  await noteCreatedByAccount(tx, { userId: id, systemId }, accountId)
  return created
}

const changedMeanwhile = () =>
  new Failure('unavailable', {
    detail: 'The user or the connection was changed by another request.',
    retryAfter: 1,
  })

/** Whether the organization vouches for an address: it is in its domain, and stated as verified. */
const isVouched = async (
  db: Db,
  place: Answered,
  { address, hostedDomain }: Stated,
  email: string,
): Promise<boolean> =>
  address === 'verified' &&
  (await isVerifiedBy(db, place, email)) &&
  (hostedDomain === null || (await isVerifiedBy(db, place, `@${hostedDomain}`)))

/** The user of a disabled connection, or of one that has refused earlier answers, is not signed in. */
async function shareAnswering(tx: Db, answered: Answered): Promise<SharedConnection> {
  const connection = await shareConnection(tx, answered)
  if (!connection?.enabled || answered.at <= (connection.proofsAfter ?? 0)) throw changedMeanwhile()
  if (connection.isSuspended) throw refused('account_suspended')
  return connection
}

async function demandEnabled(tx: Db, { id }: User, { systemId }: Answered): Promise<void> {
  if (!(await findEnabledUser(tx, id, systemId))) throw refused('not_member')
}

/** A connection signs nobody in who may act for members, nor by default who has another reserved role. */
async function demandOpen(tx: Db, membershipId: string, { reservedRoles }: SharedConnection): Promise<void> {
  if (await hasForbiddenRoles(tx, membershipId, { reservedRoles })) throw refused('reserved_role')
}

const factsOf = ({ email, name, givenName, familyName, locale }: Stated) => ({
  email,
  profile: Object.fromEntries(
    Object.entries({ name, givenName, familyName, locale }).filter(([, value]) => value !== null),
  ),
})

/** Whom an answer would sign in. `isByCode`: with an emailed code. */
export type Meant = { userId: string; isByCode: boolean }

/** Without any change; undefined: a user who does not exist yet, or nobody. */
export async function findMeant(db: Db, answered: Answered, stated: Stated): Promise<Meant | undefined> {
  const { subject, email } = stated
  const link = subject === null ? undefined : await findLinkOf(db, answered.id, subject)
  if (link) return { userId: link.userId, isByCode: false }
  if (email === null) return undefined
  const isTheirs = await isVouched(db, answered, stated, email)
  const userId = isTheirs ? (await findUserOf(db, email))?.id : await findLinkable(db, answered, email)
  return userId === undefined ? undefined : { userId, isByCode: !isTheirs }
}

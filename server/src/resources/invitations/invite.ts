/**
 * Inviting an address to an organization. Nothing depends on whether the address has a user, except that a
 * member of the account is not invited: its administrators see the members anyway.
 */
import type { Config } from '../../config/config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { Failure } from '../../errors.ts'
import { type Actor, authorityOf, type Caller, EVERYTHING, reachOf, SERVER } from '../../http/authority.ts'
import { dailyRule, limitOf } from '../../http/limits/guard.ts'
import { type Limit, type Rule, reserve, secondsToWait } from '../../http/limits/queries.ts'
import { type Cause, reserveEmail } from '../../jobs/email/budget.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { invitationEmail } from '../../jobs/email/messages.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { type Account, lockAccount } from '../accounts/queries.ts'
import { demandTokenSize } from '../memberships/token-size.ts'
import { uniqueIds } from '../roles/assignment.ts'
import { findSystem } from '../systems/queries.ts'
import { entryOfInvitation, recordChanges } from './changes.ts'
import {
  addressState,
  demandInvitable,
  endInvitation,
  expireInvitations,
  findOpened,
  type Invitation,
  insertInvitation,
  lockInvitation,
  lockOpen,
  replaceLink,
} from './queries.ts'

export const INVITATION_PATH = '/invitation'

export type InviteParts = {
  seal: Seal
  config: Pick<Config, 'BASE_URL' | 'TTL_INVITATION'>
  rules: InvitationRules
}

/**
 * The limits of the emails of one account, of one system, and of the admins of all its accounts together.
 */
export type InvitationRules = { account: Rule; system: Rule }

export const invitationRules = (
  config: Pick<Config, 'INVITATIONS_PER_DAY' | 'SYSTEM_INVITATIONS_PER_DAY'>,
): InvitationRules => ({
  account: dailyRule(config.INVITATIONS_PER_DAY),
  system: dailyRule(config.SYSTEM_INVITATIONS_PER_DAY),
})

export type WantedInvitation = {
  email: string
  roles?: string[] | undefined
  profiles?: string[] | undefined
  message?: string | undefined
  expiresIn?: number | undefined
  notify?: boolean | undefined
}

/**
 * A scheme, `www.`, an IP address, or a dot between a label and letters: what an email client may make a link
 * of. The dot of Japanese and Chinese ends a sentence there, except between ASCII letters.
 */
const LINK =
  /:\/\/|(?:https?|mailto|tel):\S|www[.。]|[\p{L}\p{N}-]\.\p{L}{2}|[a-z\d-]。[a-z]{2}|\d(?:\.\d{1,3}){3}/iu

/** Whether a text looks like it contains a link, also one written with characters that are not seen. */
const hasLink = (text: string) => LINK.test(text.normalize('NFKC').replace(/[\p{Cf}\p{M}]/gu, ''))

export const linkHashOf = (seal: Seal, token: string) => seal.hash(token, 'link:invitation')
const hrefOf = ({ config }: InviteParts, token: string) =>
  `${config.BASE_URL}${INVITATION_PATH}?token=${token}`

/** The row-locked organization in reach. Throws `not_organization`, also in a 1:1 system. */
export async function lockOrganization(tx: Db, caller: Caller, accountId: string): Promise<Account> {
  const account = await lockAccount(tx, reachOf(caller), accountId)
  const { multiAccount } = await findSystem(tx, EVERYTHING, account.systemId)
  if (account.kind !== 'organization' || !multiAccount) throw new Failure('not_organization')
  return account
}

/**
 * Invites an address to a row-locked organization. `url` is returned only if no email was sent: it proves
 * nothing about the mailbox. Throws `links_not_allowed`, `membership_exists`, `invitation_exists`,
 * `role_not_in_system`, `profile_not_in_system`, `insufficient_authority`, `limit_reached` or
 * `too_many_requests`.
 */
export async function invite(
  tx: Db,
  parts: InviteParts,
  caller: Caller,
  { id: accountId, systemId }: Account,
  { email, roles = [], profiles = [], message, expiresIn, notify: mailed = true }: WantedInvitation,
): Promise<{ invitation: Invitation; url?: string }> {
  const { seal, config } = parts
  const addedBy = authorityOf(caller)
  if (!mailed && addedBy === 'account')
    throw new Failure('insufficient_authority', { detail: 'The admin of an account receives no link.' })
  if (message !== undefined && hasLink(message)) throw new Failure('links_not_allowed')
  const { isMember, locale } = await addressState(tx, { accountId, email, by: addedBy })
  if (isMember) throw new Failure('membership_exists')
  const given = { roles: uniqueIds(roles), profiles: uniqueIds(profiles) }
  await demandInvitable(tx, { systemId, ...given, by: addedBy })
  if (given.roles.length + given.profiles.length > 0) await demandTokenSize(tx, given)
  await recordChanges(tx, SERVER, 'invitation.expired', await expireInvitations(tx, { accountId, email }))
  const token = randomToken()
  const invitation = await insertInvitation(tx, {
    systemId,
    accountId,
    email,
    ...given,
    message: message ?? null,
    linkHash: linkHashOf(seal, token),
    mailed,
    lifetime: expiresIn ?? config.TTL_INVITATION,
    addedBy,
    invitedBy: caller.actor.type === 'user' ? caller.actor.id : null,
  })
  const changes = difference({}, { email, ...given })
  await recordChanges(tx, caller.actor, 'invitation.created', [invitation], changes)
  if (!mailed) return { invitation, url: hrefOf(parts, token) }
  await demandBudget(tx, parts, invitation)
  await mailInvitation(tx, parts, invitation, { token, locale })
  return { invitation }
}

/**
 * Counts an email of an account to an address; for a system or the platform, which can have any number of
 * accounts, also as its own. The limit of all accounts is last: its row is locked until the transaction ends.
 * Throws `too_many_requests`.
 */
async function demandBudget(
  tx: Db,
  { seal, rules }: InviteParts,
  { accountId, systemId, addedBy, email }: Pick<Invitation, 'accountId' | 'systemId' | 'addedBy' | 'email'>,
): Promise<void> {
  const demand = async (limit: Limit, detail: string) => {
    if (await reserve(tx, limit)) return
    const retryAfter = Math.max(1, await secondsToWait(tx, [limit]))
    throw new Failure('too_many_requests', { detail, retryAfter })
  }
  await demand(
    limitOf(seal, 'invitations', rules.account, accountId),
    'The account has sent as many invitations as it may for now.',
  )
  const causes: Cause[] = [{ accountId }]
  if (addedBy !== 'account') causes.push(addedBy === 'system' ? { systemId } : 'platform')
  for (const cause of causes) {
    const retryAfter = await reserveEmail(tx, seal, email, cause)
    if (retryAfter > 0)
      throw new Failure('too_many_requests', {
        detail: 'This address has received as many emails as it may for now.',
        retryAfter,
      })
  }
  if (addedBy === 'platform') return
  await demand(
    limitOf(seal, 'system invitations', rules.system, systemId, addedBy),
    addedBy === 'system'
      ? 'The system has sent as many invitations as it may for now.'
      : 'The accounts of the system have sent as many invitations as they may for now.',
  )
}

async function mailInvitation(
  tx: Db,
  parts: InviteParts,
  { id, email, lifetime, systemId }: Invitation,
  { token, locale }: { token: string; locale: string | null },
): Promise<void> {
  const opened = await findOpened(tx, id)
  const href = hrefOf(parts, token)
  if (!opened) throw new Error('an invitation is mailed while it is locked')
  const turn = { systemId, isAwaited: false }
  await enqueueEmail(tx, parts.seal, invitationEmail({ email, locale }, opened, href, lifetime), turn)
}

/** Sends a pending invitation of a row-locked account again, with a new link and a new lifetime. */
export async function sendAgain(
  tx: Db,
  parts: InviteParts,
  caller: Caller,
  key: { accountId: string; id: string },
): Promise<Invitation> {
  const before = await lockInvitation(tx, reachOf(caller), key)
  if (before.status !== 'pending') throw new Failure('invitation_ended')
  const { accountId, email } = before
  const { isMember, locale } = await addressState(tx, { accountId, email, by: authorityOf(caller) })
  if (isMember) throw new Failure('membership_exists')
  await demandBudget(tx, parts, before)
  return replaceAndMail(tx, parts, caller.actor, before, locale)
}

/** Sends a row-locked invitation with a new link. */
async function replaceAndMail(
  tx: Db,
  parts: InviteParts,
  actor: Actor,
  before: Invitation,
  locale: string | null,
): Promise<Invitation> {
  const token = randomToken()
  const after = await replaceLink(tx, before, linkHashOf(parts.seal, token))
  await record(tx, actor, { action: 'invitation.resent', ...entryOfInvitation(after) })
  await mailInvitation(tx, parts, after, { token, locale })
  return after
}

/** Its link becomes invalid. Does nothing if the invitation has ended. */
export async function revokeInvitation(
  tx: Db,
  caller: Caller,
  key: { accountId: string; id: string },
): Promise<void> {
  const before = await lockInvitation(tx, reachOf(caller), key)
  if (before.status !== 'pending') return
  const ended = await endInvitation(tx, before.id, 'revoked')
  await recordChanges(tx, caller.actor, 'invitation.revoked', [ended])
}

/**
 * Emails the invitation of a link that the API returned to its address: an emailed link proves the mailbox.
 * The other link becomes invalid. Nothing is sent if the account or the address has received the maximum.
 */
export async function mailByLink(tx: Db, parts: InviteParts, actor: Actor, linkHash: Buffer): Promise<void> {
  const before = await lockOpen(tx, { linkHash })
  if (!before) return
  const { accountId, email } = before
  const { locale } = await addressState(tx, { accountId, email, by: before.addedBy })
  try {
    await demandBudget(tx, parts, before)
  } catch (error) {
    if (failureOf(error)?.code === 'too_many_requests') return
    throw error
  }
  await replaceAndMail(tx, parts, actor, before, locale)
}

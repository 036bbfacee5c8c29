/**
 * The exemption of a member from single sign-on: for people whom the identity provider of the organization
 * does not know, and the way back in when it fails. The membership and its account are locked against
 * sign-ins, so that each has opened its session before, which ends here, or finds the change (`isOpenToOwn`
 * of standing.ts).
 */
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { authorityOf, type Caller, EVERYTHING, ranksAbove } from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { type Account, findAccount, requiresSso } from '../resources/accounts/queries.ts'
import { demandSetUp } from '../resources/domains/rights.ts'
import type { Mailing } from '../resources/memberships/approval.ts'
import { entryOfMembership } from '../resources/memberships/create.ts'
import { hasFactorToExempt, notifyExempted, updateExemption } from '../resources/memberships/exemption.ts'
import { findMembership, type LockedMembership, type Membership } from '../resources/memberships/queries.ts'
import { findSystem } from '../resources/systems/queries.ts'
import { demandChangeable } from './change-membership.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Changes a membership that is row-locked after its account. Of two authorities that exempt the member the
 * higher one counts. Throws `insufficient_authority`, `sso_not_enabled`, `not_organization` or
 * `factor_missing`.
 */
export async function exemptMember(
  tx: Db,
  mailing: Mailing,
  caller: Caller,
  before: LockedMembership,
  isExempt: boolean,
): Promise<Membership> {
  const by = authorityOf(caller)
  const { ssoExemptBy: now } = before
  const isAbove = now !== null && ranksAbove(by).includes(now)
  if (!isExempt && isAbove) throw refused('A higher authority has exempted the member. Only it can end that.')
  if (isExempt ? isAbove || now === by : now === null) return before
  demandChangeable(caller, before)
  const account = await findAccount(tx, EVERYTHING, before.accountId)
  if (isExempt) await demandExemptible(tx, caller, before, account)
  await updateExemption(tx, before.id, isExempt ? by : null)
  const after = await findMembership(tx, EVERYTHING, before.id)
  await noteExemption(tx, caller, before, after)
  if (isExempt) await notifyExempted(tx, mailing, caller, after)
  else if (requiresSso(account)) await endOwn(tx, caller, before)
  return after
}

const refused = (detail: string) => new Failure('insufficient_authority', { detail })

/** The threat: an admin whose password is stolen opens the organization to that password. */
async function demandExemptible(
  tx: Db,
  caller: Caller,
  { id, userId, systemId }: LockedMembership,
  { kind, ssoRequiredBy, ssoSelfService }: Account,
): Promise<void> {
  const by = authorityOf(caller)
  const { multiAccount, organizationSso } = await findSystem(tx, EVERYTHING, systemId)
  if (kind !== 'organization' || !multiAccount) throw new Failure('not_organization')
  if (by === 'account') {
    demandSetUp(caller, { organizationSso, ssoSelfService })
    if (caller.actor.id === userId) throw refused('Nobody exempts themself. Another admin can do it.')
  }
  if (ssoRequiredBy !== null && ranksAbove(by).includes(ssoRequiredBy))
    throw refused('A higher authority requires single sign-on. Only it exempts members.')
  if (!(await hasFactorToExempt(tx, id))) throw new Failure('factor_missing')
}

async function noteExemption(tx: Db, { actor }: Caller, before: Membership, after: Membership) {
  const shown = ({ ssoExemptBy }: Membership) => ({ ssoExempt: ssoExemptBy !== null, ssoExemptBy })
  const changes = difference(shown(before), shown(after))
  await record(tx, actor, { action: 'membership.sso_exempt', ...entryOfMembership(after), changes })
}

const endOwn = (tx: Db, { actor }: Caller, { id, systemId }: Membership) =>
  endSessions(tx, actor, { systemId, membershipId: id, withoutConnection: true }, 'sso_required')

/**
 * An organization requires single sign-on: its memberships open only to a login by one of its connections.
 * The threat: another login goes on or begins at this moment. The account is locked against sign-ins, so that
 * each has opened its session before, which ends here, or finds the requirement (`isClosed` of standing.ts).
 */
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { authorityOf, type Caller, EVERYTHING, ranksAbove } from '../http/authority.ts'
import { isSignInTooOld, signInTooOld } from '../http/recent-sign-in.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueueAccounts, entryOfAccount } from '../resources/accounts/event.ts'
import { type Account, requiresSso, updateAccount } from '../resources/accounts/queries.ts'
import { countEnabled } from '../resources/connections/queries.ts'
import { demandSetUp } from '../resources/domains/rights.ts'
import { findSystem } from '../resources/systems/queries.ts'
import { endSessions } from './end-sessions.ts'

/**
 * Changes a row-locked account; `lockToChange` has locked what this needs. Of two authorities that require it
 * the higher one counts. Throws `insufficient_authority`, `insufficient_user_authentication`,
 * `sso_not_enabled`, `not_organization`, `platform_system` or `connection_required`.
 */
export async function requireSso(
  tx: Db,
  caller: Caller,
  before: Account,
  isRequired: boolean,
): Promise<Account> {
  const by = authorityOf(caller)
  const { ssoRequiredBy: now } = before
  const isAbove = now !== null && ranksAbove(by).includes(now)
  if (!isRequired && isAbove)
    throw new Failure('insufficient_authority', {
      detail: 'A higher authority requires single sign-on. Only it can stop requiring it.',
    })
  if (isRequired ? isAbove || now === by : now === null) return before
  await demandRight(tx, caller, before, isRequired)
  const after = await noteRequirement(tx, caller, before, isRequired ? by : null)
  // Also those of exempt members, whose exemption by a lower authority does not count any more.
  if (isRequired) await endSessions(tx, caller.actor, OTHERS(after.id), 'sso_required')
  return after
}

const OTHERS = (accountId: string) => ({ accountId, withoutConnection: true as const })

/** The system and the platform can always stop requiring it: that is the way back in. */
async function demandRight(
  tx: Db,
  caller: Caller,
  { id, kind, systemId, ssoSelfService }: Account,
  isRequired: boolean,
): Promise<void> {
  const isOfAdmin = authorityOf(caller) === 'account'
  const { platform, multiAccount, organizationSso } = await findSystem(tx, EVERYTHING, systemId)
  if (isRequired && platform) throw new Failure('platform_system')
  if (isRequired && (kind !== 'organization' || !multiAccount)) throw new Failure('not_organization')
  if (isRequired || isOfAdmin) demandSetUp(caller, { organizationSso, ssoSelfService })
  if (!isRequired) return
  // An admin who cannot sign in by a connection would lock everybody out.
  if (isOfAdmin && (!caller.connectionId || isSignInTooOld(caller))) throw signInTooOld()
  if ((await countEnabled(tx, id)) === 0) throw new Failure('connection_required')
}

async function noteRequirement(
  tx: Db,
  { actor }: Caller,
  before: Account,
  ssoRequiredBy: Account['ssoRequiredBy'],
): Promise<Account> {
  const after = await updateAccount(tx, before.id, { ssoRequiredBy })
  const shown = (account: Account) => ({
    ssoRequired: requiresSso(account),
    ssoRequiredBy: account.ssoRequiredBy,
  })
  const changes = difference(shown(before), shown(after))
  await record(tx, actor, { action: 'account.sso_required', ...entryOfAccount(after), changes })
  await enqueueAccounts(tx, actor, 'account.updated', after)
  return after
}

/**
 * Before the last enabled connection of an account ends, of which `lockConnection` has locked all, and which
 * nobody could sign in by any more. With `force`, which is of the system and the platform, the account stops
 * requiring single sign-on. Throws `connection_required`.
 */
export async function releaseOrRefuse(
  tx: Db,
  caller: Caller,
  account: Account,
  { force }: { force: boolean },
): Promise<void> {
  if (!requiresSso(account) || (await countEnabled(tx, account.id)) > 1) return
  if (!force || authorityOf(caller) === 'account') throw new Failure('connection_required')
  await requireSso(tx, caller, account, false)
}

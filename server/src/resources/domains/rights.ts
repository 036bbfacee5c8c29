/** Who sets up single sign-on of an organization: its domains. */
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import {
  type Authority,
  authorityOf,
  type Caller,
  EVERYTHING,
  ranksAbove,
  reachOf,
} from '../../http/authority.ts'
import { type Account, findAccount, lockAccount } from '../accounts/queries.ts'
import { type System, shareSystem } from '../systems/queries.ts'

type Switches = Pick<System, 'organizationSso'> & Pick<Account, 'ssoSelfService'>

/** `off` is for every authority: the system does not have the feature. */
export function maySetUp(authority: Authority, { organizationSso, ssoSelfService }: Switches): boolean {
  if (organizationSso === 'off') return false
  return authority !== 'account' || organizationSso === 'account' || ssoSelfService
}

/** Throws `sso_not_enabled`. */
export function demandSetUp(caller: Caller, switches: Switches): void {
  if (!maySetUp(authorityOf(caller), switches)) throw new Failure('sso_not_enabled')
}

/** Throws `insufficient_authority` for what a higher authority has set up. */
export function demandRank(caller: Caller, { setBy }: { setBy: Authority }): void {
  if (ranksAbove(authorityOf(caller)).includes(setBy))
    throw new Failure('insufficient_authority', {
      detail: 'A higher authority has set this up. Only it can change it.',
    })
}

/**
 * Locks an organization whose single sign-on the caller may set up, and its system against a change of that.
 * Throws `account_not_found`, `platform_system`, `not_organization` or `sso_not_enabled`.
 */
export async function lockToSetUp(tx: Db, caller: Caller, accountId: string): Promise<Account> {
  const { systemId } = await findAccount(tx, reachOf(caller), accountId)
  const system = await shareSystem(tx, EVERYTHING, systemId)
  const account = await lockAccount(tx, reachOf(caller), accountId)
  if (system.platform) throw new Failure('platform_system')
  if (account.kind !== 'organization' || !system.multiAccount) throw new Failure('not_organization')
  demandSetUp(caller, { ...system, ...account })
  return account
}

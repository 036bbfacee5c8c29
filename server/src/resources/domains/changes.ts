/** Changes of domains, each with its audit entry; the end of a verified one has an event. */
import { EventEmitter } from 'node:events'
import type { Config } from '../../config/config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { afterCommit } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { authorityOf, type Caller, ranksAbove, reachOf } from '../../http/authority.ts'
import { limitOf } from '../../http/limits/guard.ts'
import { type Rule, reserve, secondsToWait } from '../../http/limits/queries.ts'
import { difference } from '../../journal/audit/record.ts'
import { enqueueDomain, recordDomain } from './event.ts'
import {
  type Domain,
  type DomainKey,
  type DomainPatch,
  deleteDomain,
  insertDomain,
  lockDomain,
  makeDue,
  updateDomain,
} from './queries.ts'
import { domainNamed } from './record.ts'
import { demandRank, demandSetUp, lockToSetUp } from './rights.ts'

/** Checks that are requested for an account: ten at once, then one every 6 minutes. */
const REQUESTED_CHECKS = {
  kind: 'steady',
  burst: 10,
  every: 360,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/** Wakes the worker of this process: a check was requested. */
export const requestedChecks = new EventEmitter<{ check: [] }>()

/**
 * Adds a domain to an organization. Throws `invalid_request` for a name that is none, and as `lockToSetUp`
 * and `insertDomain`.
 */
export async function addDomain(
  tx: Db,
  { DOMAIN_RECORD: word }: Pick<Config, 'DOMAIN_RECORD'>,
  caller: Caller,
  accountId: string,
  given: { name: string; subdomains?: boolean | undefined },
): Promise<Domain> {
  const name = domainNamed(given.name, word)
  const { systemId } = await lockToSetUp(tx, caller, accountId)
  const { subdomains = false } = given
  const setBy = authorityOf(caller)
  const token = randomToken()
  const added = await insertDomain(tx, { systemId, accountId, name, subdomains, setBy, word, token })
  await recordDomain(tx, caller.actor, 'domain.added', added, difference({}, { name, subdomains, setBy }))
  return added
}

/** Changes a row-locked domain. Throws `insufficient_authority` or `sso_not_enabled`. */
export async function changeDomain(
  tx: Db,
  caller: Caller,
  before: Awaited<ReturnType<typeof lockDomain>>,
  patch: DomainPatch,
): Promise<Domain> {
  demandRank(caller, before)
  demandSetUp(caller, before)
  const { organizationSso: _, ssoSelfService: __, ...domain } = before
  const changes = difference(domain, { ...domain, ...patch })
  if (Object.keys(changes).length === 0) return domain
  if (patch.setBy && ranksAbove(authorityOf(caller)).includes(patch.setBy))
    throw new Failure('insufficient_authority', { detail: 'setBy: an authority above that of the caller.' })
  const after = await updateDomain(tx, domain.id, patch)
  await recordDomain(tx, caller.actor, 'domain.updated', after, changes)
  return after
}

/** Whoever has lost the right to set up domains can still delete those of their rank. */
export async function removeDomain(tx: Db, caller: Caller, key: DomainKey): Promise<void> {
  const before = await lockDomain(tx, reachOf(caller), key)
  demandRank(caller, before)
  await deleteDomain(tx, before.id)
  if (before.status === 'verified') await enqueueDomain(tx, caller.actor, 'domain.removed', before)
  await recordDomain(
    tx,
    caller.actor,
    'domain.removed',
    before,
    difference({ name: before.name }, { name: null }),
  )
}

/**
 * Makes a check of the domain due now. It changes nothing that a higher authority has set up. Throws
 * `sso_not_enabled` where the system has no single sign-on, or `too_many_requests`.
 */
export async function requestCheck(tx: Db, seal: Seal, caller: Caller, key: DomainKey): Promise<Domain> {
  const before = await lockDomain(tx, reachOf(caller), key)
  if (before.organizationSso === 'off') throw new Failure('sso_not_enabled')
  const limit = limitOf(seal, 'domain_checks', REQUESTED_CHECKS, before.accountId)
  if (!(await reserve(tx, limit)))
    throw new Failure('too_many_requests', { retryAfter: await secondsToWait(tx, [limit]) })
  const due = await makeDue(tx, before.id)
  await recordDomain(tx, caller.actor, 'domain.check_requested', due)
  afterCommit(() => requestedChecks.emit('check'))
  return due
}

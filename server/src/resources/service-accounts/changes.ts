/** Changes of service accounts and their keys: each with its audit entry and its event. */
import { randomBytes } from 'node:crypto'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { Failure } from '../../errors.ts'
import { type Actor, authorityOf, type Caller, EVERYTHING, reachOf } from '../../http/authority.ts'
import { type AuditEntry, difference, record } from '../../journal/audit/record.ts'
import { actorOrigin, type EventType, enqueue } from '../../journal/events/enqueue.ts'
import { type Account, lockAccount } from '../accounts/queries.ts'
import { demandTokenSize } from '../memberships/token-size.ts'
import { uniqueIds } from '../roles/assignment.ts'
import { findSystem } from '../systems/queries.ts'
import {
  deleteKey,
  deleteServiceAccount,
  insertKey,
  insertServiceAccount,
  type Locked,
  lockServiceAccount,
  lockServiceAccounts,
  type Place,
  replaceServiceAccountRoles,
  type ServiceAccount,
  type ServiceAccountKey,
  updateServiceAccount,
} from './queries.ts'

/** 96 random bits; never of the form of a user's id or of a system's client id (RFC 9068 section 5). */
const newClientId = () => `sa_${randomBytes(12).toString('base64url')}`
const CLIENT_ID = /^sa_[\w-]{16}$/
/** Whether a client id may be one of a service account. */
export const isServiceClientId = (clientId: string): boolean => CLIENT_ID.test(clientId)

/** The stored form of the secret of a key. It is random, so that a fast hash is sufficient. */
export const hashKey = (seal: Seal, secret: string): string =>
  seal.hash(secret, 'service_account_key').toString('base64url')

/** Characters of the secret by which people recognize a key. */
const HINT = 4

type Happened = Extract<EventType, `service_account.${string}`>
const UPDATED = 'service_account.updated'

/**
 * The audit entry and the event of one or several service accounts, each in one statement. The audit has one
 * action for all changes; an event has a type of its own if access ends or begins.
 */
async function recordChange(
  tx: Db,
  actor: Actor,
  type: Happened,
  changed: ServiceAccount | ServiceAccount[],
  changes: AuditEntry['changes'] = {},
  of: { keyId?: string; jti?: string } = {},
): Promise<void> {
  const all = [changed].flat()
  const entries = all.map(({ id, systemId, accountId }) => ({
    action: changes.disabled ? UPDATED : type,
    target: { type: 'service_account', id },
    systemId,
    accountId,
    changes,
  }))
  await record(tx, actor, ...entries)
  const events = all.map(({ id, clientId, name, disabled, roles, systemId, accountId }) => {
    const data = {
      serviceAccount: { id, clientId, name, disabled, roles },
      ...of,
      accountId,
      systemId,
      actor: actorOrigin(actor),
    }
    return { type, systemId, accountId, data }
  })
  await enqueue(tx, ...events)
}

/** Throws `service_accounts_not_allowed`, or `insufficient_authority` for an admin of the account. */
function demandChangeable(caller: Caller, { hasReservedRole, isAllowed }: Locked): void {
  if (!isAllowed) throw new Failure('service_accounts_not_allowed')
  demandUnreserved(caller, hasReservedRole)
}

function demandUnreserved(caller: Caller, hasReservedRole: boolean): void {
  if (hasReservedRole && authorityOf(caller) === 'account')
    throw new Failure('insufficient_authority', {
      detail: 'The service account has a role that only the system or the platform assigns.',
    })
}

/**
 * Creates a service account without a key, in an organization only: in a personal account it would keep the
 * access of a user who was blocked or removed. Throws `account_not_found`, `not_organization`,
 * `service_accounts_not_allowed`, `role_not_in_system`, `insufficient_authority` or `limit_reached`.
 */
export async function createServiceAccount(
  tx: Db,
  caller: Caller,
  accountId: string,
  { name, roles = [] }: { name: string; roles?: string[] | undefined },
): Promise<ServiceAccount> {
  const { systemId, kind } = await lockAccount(tx, reachOf(caller), accountId)
  if (!(await findSystem(tx, EVERYTHING, systemId)).allowServiceAccounts)
    throw new Failure('service_accounts_not_allowed')
  if (kind !== 'organization') throw new Failure('not_organization')
  const { id } = await insertServiceAccount(tx, { systemId, accountId, name, clientId: newClientId() })
  await replaceServiceAccountRoles(tx, { id, systemId }, roles, authorityOf(caller))
  await demandTokenSize(tx, { serviceAccountId: id })
  const created = await lockServiceAccount(tx, EVERYTHING, { accountId, id })
  const changes = difference({}, { name, roles: created.roles })
  await recordChange(tx, caller.actor, 'service_account.created', created, changes)
  return created
}

export type Patch = { name?: string; disabled?: boolean; roles?: string[] }

/** Changes a row-locked service account. Throws as `createServiceAccount`. */
export async function changeServiceAccount(
  tx: Db,
  caller: Caller,
  before: Locked,
  { roles, ...patch }: Patch,
): Promise<ServiceAccount> {
  // It is renamed and disabled also if the system does not allow service accounts any more.
  if (roles !== undefined || patch.disabled === false) demandChangeable(caller, before)
  else demandUnreserved(caller, before.hasReservedRole)
  if (roles !== undefined) {
    await replaceServiceAccountRoles(tx, before, roles, authorityOf(caller))
    await demandTokenSize(tx, { serviceAccountId: before.id })
  }
  const given = { ...patch, ...(roles && { roles: uniqueIds(roles).sort() }) }
  const changes = difference(before, { ...before, ...given })
  if (Object.keys(changes).length === 0) return before
  const after = await updateServiceAccount(tx, before.id, patch)
  const happened = after.disabled ? 'service_account.disabled' : 'service_account.enabled'
  await recordChange(tx, caller.actor, changes.disabled ? happened : UPDATED, after, changes)
  return after
}

/** Its tokens are rejected from the event on, and expire. */
export async function removeServiceAccount(tx: Db, caller: Caller, place: Place): Promise<void> {
  const before = await lockServiceAccount(tx, reachOf(caller), place)
  demandUnreserved(caller, before.hasReservedRole)
  await deleteServiceAccount(tx, before.id)
  const changes = difference({ name: before.name }, { name: null })
  await recordChange(tx, caller.actor, 'service_account.deleted', before, changes)
}

/** Adds the events of service accounts that are deleted with their row-locked account. */
export async function recordDeletedWith(tx: Db, actor: Actor, { id }: Account): Promise<void> {
  await recordChange(tx, actor, 'service_account.deleted', await lockServiceAccounts(tx, id))
}

/**
 * Adds a key. The secret is returned only here. `lifetime` is in seconds. Throws
 * `service_account_not_found`, `service_accounts_not_allowed`, `insufficient_authority` or `limit_reached`.
 */
export async function createKey(
  tx: Db,
  seal: Seal,
  caller: Caller,
  place: Place,
  lifetime: number | null,
): Promise<{ key: ServiceAccountKey; secret: string }> {
  const owner = await lockServiceAccount(tx, reachOf(caller), place)
  demandChangeable(caller, owner)
  const secret = `tk_${randomToken()}`
  const row = { serviceAccountId: owner.id, secretHash: hashKey(seal, secret), hint: secret.slice(-HINT) }
  const key = await insertKey(tx, { ...row, lifetime })
  const changes = difference({}, { keyId: key.id, expiresAt: key.expiresAt?.toISOString() ?? null })
  await recordChange(tx, caller.actor, 'service_account.key_created', owner, changes, { keyId: key.id })
  return { key, secret }
}

/** Whoever administers the account can always revoke a key. Throws `service_account_key_not_found`. */
export async function revokeKey(tx: Db, caller: Caller, place: Place, keyId: string): Promise<void> {
  const owner = await lockServiceAccount(tx, reachOf(caller), place)
  await deleteKey(tx, owner.id, keyId)
  const changes = difference({ keyId }, { keyId: null })
  await recordChange(tx, caller.actor, 'service_account.key_revoked', owner, changes, { keyId })
}

/** A service account has revoked one of its tokens (RFC 7009), unless it is deleted at the same time. */
export async function recordTokenRevoked(tx: Db, actor: Actor, place: Place, jti: string): Promise<void> {
  const owner = await lockServiceAccount(tx, EVERYTHING, place).catch((error) => {
    if (failureOf(error)?.code === 'service_account_not_found') return undefined
    throw error
  })
  if (owner) await recordChange(tx, actor, 'service_account.token_revoked', owner, {}, { jti })
}

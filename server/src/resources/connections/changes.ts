/** Changes of connections, each with its audit entry; enabling and disabling have an event. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure, invalid } from '../../errors.ts'
import { authorityOf, type Caller, ranksAbove, reachOf } from '../../http/authority.ts'
import { difference } from '../../journal/audit/record.ts'
import { demandRank, demandSetUp, lockToSetUp } from '../domains/rights.ts'
import { uniqueIds } from '../roles/assignment.ts'
import { enqueueConnection, recordConnection } from './event.ts'
import {
  type Connection,
  type ConnectionFields,
  type ConnectionKey,
  deleteConnection,
  hasForbiddenRole,
  insertConnection,
  type LockedConnection,
  lockConnection,
  replaceConnectionRoles,
  updateConnection,
} from './queries.ts'
import { demandSettings } from './settings.ts'

type Settings = Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE' | 'BASE_URL'>
type Parts = { config: Settings; seal: Seal }

export type ConnectionPatch = ConnectionFields & {
  clientSecret?: string
  defaultRoles?: string[]
}

/** What a test checks. */
const TESTED = [
  'issuer',
  'clientId',
  'scopes',
  'requiredClaims',
  'closedIssuer',
  'subjectAttribute',
  'groupAttribute',
  'mfaAcr',
  'clientSecret',
] as const

/**
 * Creates a connection that is not enabled. Throws as `lockToSetUp`, `insertConnection` and
 * `changeConnection`.
 */
export async function createConnection(
  tx: Db,
  parts: Parts,
  caller: Caller,
  accountId: string,
  { name, kind, ...given }: Omit<ConnectionPatch, 'enabled' | 'name'> & { name: string; kind: 'oidc' },
): Promise<Connection> {
  const { systemId } = await lockToSetUp(tx, caller, accountId)
  const setBy = authorityOf(caller)
  const created = await insertConnection(tx, { systemId, accountId, name, kind, setBy })
  const { after, changes } = await applied(tx, parts, caller, created, given)
  await recordConnection(tx, caller.actor, 'connection.created', after, {
    ...difference({}, { name, kind, setBy }),
    ...changes,
  })
  return after
}

/**
 * Changes a row-locked connection. Throws `insufficient_authority`, `sso_not_enabled`, `connection_exists`,
 * `connection_fixed`, `connection_untested`, and as `demandSettings` and `replaceConnectionRoles`. Whoever
 * has lost the right to set up connections can still disable those of their rank.
 */
export async function changeConnection(
  tx: Db,
  parts: Parts,
  caller: Caller,
  { organizationSso, ssoSelfService, ...before }: LockedConnection,
  patch: ConnectionPatch,
): Promise<Connection> {
  demandRank(caller, before)
  const isEnding = Object.keys(patch).every((field) => field === 'enabled') && patch.enabled === false
  if (!isEnding) demandSetUp(caller, { organizationSso, ssoSelfService })
  const { after, changes } = await applied(tx, parts, caller, before, patch)
  const { enabled, ...others } = changes
  if (Object.keys(others).length > 0)
    await recordConnection(tx, caller.actor, 'connection.updated', after, others)
  if (!enabled) return after
  const happened = after.enabled ? 'connection.enabled' : 'connection.disabled'
  await recordConnection(tx, caller.actor, happened, after, { enabled })
  await enqueueConnection(tx, caller.actor, happened, after)
  return after
}

/** Whoever has lost the right to set up connections can still delete those of their rank. */
export async function removeConnection(tx: Db, caller: Caller, key: ConnectionKey): Promise<void> {
  const { organizationSso: _, ssoSelfService: __, ...before } = await lockConnection(tx, reachOf(caller), key)
  demandRank(caller, before)
  await deleteConnection(tx, before.id)
  if (before.enabled)
    await enqueueConnection(tx, caller.actor, 'connection.disabled', { ...before, enabled: false })
  await recordConnection(
    tx,
    caller.actor,
    'connection.deleted',
    before,
    difference({ name: before.name }, { name: null }),
  )
}

type Applied = { after: Connection; changes: Record<string, [unknown, unknown]> }

async function applied(
  tx: Db,
  { config, seal }: Parts,
  caller: Caller,
  before: Connection,
  { defaultRoles, clientSecret, ...fields }: ConnectionPatch,
): Promise<Applied> {
  const wanted = { ...before, ...fields }
  const roles = defaultRoles && { defaultRoles: uniqueIds(defaultRoles).sort() }
  const changes = difference(before, { ...wanted, ...roles })
  demandAuthority(caller, changes, wanted)
  if (before.testedAt && (changes.issuer || changes.subjectAttribute)) throw new Failure('connection_fixed')
  const isEnabled = changes.enabled !== undefined && wanted.enabled
  if (changes.issuer || changes.scopes || changes.requiredClaims || isEnabled) demandSettings(config, wanted)
  if (isEnabled && !before.testedAt) throw new Failure('connection_untested')
  // The audit log shows that the secret was replaced, and no part of it.
  if (clientSecret !== undefined) changes.clientSecret = [null, 'replaced']
  if (Object.keys(changes).length === 0) return { after: before, changes }
  if (changes.defaultRoles) {
    await replaceConnectionRoles(tx, before, defaultRoles ?? [], authorityOf(caller))
    if (await hasForbiddenRole(tx, before.id))
      throw invalid('/defaultRoles', 'must not contain an admin role or one that acts for members')
  }
  const isTested = TESTED.some((field) => changes[field])
  const after = await updateConnection(tx, seal, before.id, fields, { secret: clientSecret, isTested })
  return { after, changes }
}

/** Throws `insufficient_authority` for what only the system and the platform decide. */
function demandAuthority(
  caller: Caller,
  changes: Record<string, unknown>,
  { setBy }: Pick<Connection, 'setBy'>,
): void {
  const authority = authorityOf(caller)
  if (changes.setBy && ranksAbove(authority).includes(setBy))
    throw new Failure('insufficient_authority', { detail: 'setBy: an authority above that of the caller.' })
  const field = (['reservedRoles', 'mfa'] as const).find((each) => changes[each])
  if (field && authority === 'account')
    throw new Failure('insufficient_authority', { detail: `${field}: only the system and the platform.` })
}

/**
 * Changes of a connection, with the sessions that rest on it. What is ended is effective at once: a sign-in
 * locks the connection (FOR SHARE), so that it has opened its session before, or finds the change.
 */
import type { Db } from '../database/database.ts'
import { type Caller, reachOf } from '../http/authority.ts'
import { difference } from '../journal/audit/record.ts'
import { findAccount } from '../resources/accounts/queries.ts'
import { applyPatch, type ChangeParts, type ConnectionPatch } from '../resources/connections/changes.ts'
import { enqueueConnection, recordConnection } from '../resources/connections/event.ts'
import {
  type Connection,
  type ConnectionKey,
  deleteConnection,
  type Force,
  type LockedConnection,
  lockConnection,
  refuseLoginsUntilNow,
} from '../resources/connections/queries.ts'
import { demandRank, demandSetUp } from '../resources/domains/rights.ts'
import { type EndReason, endReserved, endSessions } from './end-sessions.ts'
import { releaseOrRefuse } from './require-sso.ts'

type Ended = Pick<Connection, 'id' | 'systemId'>

/** Returns the number of the sessions. */
export const endSessionsOf = (
  tx: Db,
  { actor }: Caller,
  { id, systemId }: Ended,
  reason: EndReason,
): Promise<number> => endSessions(tx, actor, { systemId, connectionId: id }, reason)

/**
 * Changes a row-locked connection. One that is disabled accepts no login from before, also when it is enabled
 * again. Throws `insufficient_authority`, `sso_not_enabled`, `connection_required`, and as `applyPatch`.
 * Whoever has lost the right to set up connections can still disable those of their rank.
 */
export async function changeConnection(
  tx: Db,
  parts: ChangeParts,
  caller: Caller,
  { organizationSso, ssoSelfService, ...before }: LockedConnection,
  patch: ConnectionPatch,
  { force = false }: Force = {},
): Promise<Connection> {
  demandRank(caller, before)
  const isEnding = Object.keys(patch).every((field) => field === 'enabled') && patch.enabled === false
  if (!isEnding) demandSetUp(caller, { organizationSso, ssoSelfService })
  if (before.enabled && patch.enabled === false) await demandOther(tx, caller, before, force)
  const { after, changes } = await applyPatch(tx, parts, caller, before, patch)
  const { enabled, ...rest } = changes
  const [stated, others] = patch.metadata ? divided(rest) : [{}, rest]
  if (Object.keys(stated).length > 0)
    await recordConnection(tx, caller.actor, 'connection.metadata_changed', after, stated)
  if (Object.keys(others).length > 0)
    await recordConnection(tx, caller.actor, 'connection.updated', after, others)
  if (others.reservedRoles && !after.reservedRoles) await endReserved(tx, caller.actor, after.systemId)
  if (!enabled) return after
  const happened = after.enabled ? 'connection.enabled' : 'connection.disabled'
  await recordConnection(tx, caller.actor, happened, after, { enabled })
  await enqueueConnection(tx, caller.actor, happened, after)
  if (!after.enabled) await endSessionsOf(tx, caller, after, 'connection_disabled')
  return after
}

/** What the metadata has changed, and the rest. */
function divided<Change>(changes: Record<string, Change>): [Record<string, Change>, Record<string, Change>] {
  const { issuer, ssoUrl, certificates, ...others } = changes
  const stated = Object.entries({ issuer, ssoUrl, certificates }).filter(([, change]) => change !== undefined)
  return [Object.fromEntries(stated) as Record<string, Change>, others]
}

/**
 * Deletes a connection with its links. Whoever has lost the right to set up connections can still delete
 * those of their rank. Throws `connection_not_found`, `insufficient_authority` or `connection_required`.
 */
export async function removeConnection(
  tx: Db,
  caller: Caller,
  key: ConnectionKey,
  { force = false }: Force = {},
): Promise<void> {
  const locked = await lockConnection(tx, reachOf(caller), key, { force })
  const { organizationSso: _, ssoSelfService: __, ...before } = locked
  demandRank(caller, before)
  if (before.enabled) await demandOther(tx, caller, before, force)
  await endSessionsOf(tx, caller, before, 'connection_removed')
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

/** Where single sign-on is required, one enabled connection remains. */
const demandOther = async (
  tx: Db,
  caller: Caller,
  { accountId }: Pick<Connection, 'accountId'>,
  force: boolean,
): Promise<void> => releaseOrRefuse(tx, caller, await findAccount(tx, reachOf(caller), accountId), { force })

/**
 * Ends all sessions of a connection, and its logins until now: every member signs in at the provider again.
 * Returns the number of the sessions. Throws as `removeConnection`.
 */
export async function endConnectionSessions(tx: Db, caller: Caller, key: ConnectionKey): Promise<number> {
  const connection = await lockConnection(tx, reachOf(caller), key)
  demandRank(caller, connection)
  await refuseLoginsUntilNow(tx, connection.id)
  const ended = await endSessionsOf(tx, caller, connection, 'connection_sessions_ended')
  await recordConnection(tx, caller.actor, 'connection.sessions_ended', connection)
  return ended
}

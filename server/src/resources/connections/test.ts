/** The test of a connection, which somebody requests and a browser does; and who may have metadata read. */
import type { Config } from '../../config/config.ts'
import { randomToken, type Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { limitOf } from '../../http/limits/guard.ts'
import { type Limit, type Rule, reserve, secondsToWait } from '../../http/limits/queries.ts'
import { demandRank, demandSetUp, lockToSetUp } from '../domains/rights.ts'
import { hashTestToken, startTest } from './configured.ts'
import { recordConnection } from './event.ts'
import { type ConnectionKey, type LockedConnection, lockConnection } from './queries.ts'
import { missingOf } from './settings.ts'

/** Of an account, tests that are requested and documents of metadata: ten at once, then ten a minute each. */
const TEN_A_MINUTE = {
  kind: 'steady',
  burst: 10,
  every: 6,
  counts: 'attempts',
  onSuccess: 'leave',
} as const satisfies Rule

/**
 * Allows a caller to have metadata read, for a new connection or, with `id`, for one that exists: before the
 * reading, which costs more than most requests. Throws `account_not_found`, `not_organization`,
 * `platform_system`, `connection_not_found`, `insufficient_authority`, `sso_not_enabled` or
 * `too_many_requests`.
 */
export async function demandReading(
  tx: Db,
  seal: Seal,
  caller: Caller,
  { accountId, id }: { accountId: string; id?: string },
): Promise<{ systemId: string; accountId: string }> {
  const account = id === undefined ? await lockToSetUp(tx, caller, accountId) : undefined
  const place = account
    ? { systemId: account.systemId, accountId: account.id }
    : await connectionToSetUp(tx, caller, { accountId, id: id! })
  await reserveOne(tx, limitOf(seal, 'connection_metadata', TEN_A_MINUTE, place.accountId))
  return { systemId: place.systemId, accountId: place.accountId }
}

async function connectionToSetUp(tx: Db, caller: Caller, key: ConnectionKey): Promise<LockedConnection> {
  const connection = await lockConnection(tx, reachOf(caller), key)
  demandRank(caller, connection)
  demandSetUp(caller, connection)
  return connection
}

async function reserveOne(tx: Db, limit: Limit): Promise<void> {
  if (!(await reserve(tx, limit)))
    throw new Failure('too_many_requests', { retryAfter: await secondsToWait(tx, [limit]) })
}

export type RequestedTest = { testUrl: string; expiresAt: Date }

/**
 * Throws `connection_not_found`, `insufficient_authority`, `sso_not_enabled`, `saml_disabled`,
 * `connection_incomplete` or `too_many_requests`.
 */
export async function requestTest(
  tx: Db,
  { seal, config }: { seal: Seal; config: Pick<Config, 'BASE_URL' | 'SAML'> },
  caller: Caller,
  key: ConnectionKey,
): Promise<RequestedTest> {
  const connection = await connectionToSetUp(tx, caller, key)
  if (connection.kind === 'saml' && !config.SAML) throw new Failure('saml_disabled')
  const missing = missingOf(connection)
  if (missing.length > 0) throw new Failure('connection_incomplete', { detail: missing.join(', ') })
  await reserveOne(tx, limitOf(seal, 'connection_tests', TEN_A_MINUTE, connection.accountId))
  const token = randomToken()
  const { actor } = caller
  const requestedBy = actor.type === 'user' ? actor.id : null
  const expiresAt = await startTest(tx, connection.id, { testHash: hashTestToken(seal, token), requestedBy })
  await recordConnection(tx, actor, 'connection.test_requested', connection)
  return { testUrl: `${config.BASE_URL}/sso/${connection.id}/test?token=${token}`, expiresAt }
}

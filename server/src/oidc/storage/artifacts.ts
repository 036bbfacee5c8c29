/**
 * Models that are stored as the library defines them: browser sessions, interactions, codes, refresh tokens,
 * device codes; and codes and tokens that are presented a second time, by a retry or a replay.
 */
import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { type Proof, unexpired } from '../../authentication/proofs.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { readHandle, type TransactionContext, writeHandle } from '../../database/transaction.ts'
import type { ArtifactBatch } from '../../database/write-batch.ts'
import { Failure } from '../../errors.ts'
import {
  CODES_OF_ALL,
  CODES_OF_NETWORK,
  guarded,
  limitOf,
  limitsOfNetworks,
} from '../../http/limits/guard.ts'
import { noteActive } from '../../journal/stats/count.ts'
import {
  deleteArtifact,
  findArtifact,
  findArtifactBy,
  findArtifactWithMember,
  lockArtifact,
  type OwnSignIn,
  type StoredArtifact,
} from '../../resources/artifacts/queries.ts'
import {
  batchDelete,
  batchStore,
  batchSuccessor,
  batchUse,
  flushBatch,
  unbatch,
  writeArtifacts,
} from '../../resources/artifacts/write.ts'
import { touchSession } from '../../resources/sessions/queries.ts'
import { hasOnlyText } from '../../text.ts'
import { endRevoked } from '../grants.ts'
import {
  actorOf,
  memberOf,
  rememberMember,
  requestContext,
  requestState,
  type SessionId,
  sessionIdOf,
  userIdOf,
} from '../policy/request-state.ts'
import { type Storage, unused } from '../policy/storage.ts'

/** Models that are presented at /token and belong to a session. */
const OF_A_SESSION = new Set(['AuthorizationCode', 'RefreshToken'])
/**
 * 10 minutes, in seconds: for so long an expired device code is answered with
 * expired_token (RFC 8628 section 3.5).
 */
const DEVICE_CODE_RETENTION = 600
/**
 * Routes where a user decides on a device code or its device uses it: they lock the
 * row, so one waits for the other.
 */
const LOCKING_ROUTES = new Set(['token', 'code_verification', 'device_resume'])

export function artifactAdapter(storage: Storage, model: string): Adapter {
  const { db, seal, config } = storage
  const hash = (value: string) => seal.hash(value, model)
  const sealed = (deviceCode: unknown) => seal.seal(String(deviceCode), 'device_code').toString('base64url')
  const opened = (text: unknown) => seal.open(Buffer.from(String(text), 'base64url'), 'device_code')
  /** Wherever a browser session is read, it has no proof that is older than it may become itself. */
  const read = (found: StoredArtifact, id: string | undefined): AdapterPayload => {
    const payload: AdapterPayload & { proofs?: Proof[] } = payloadOf(found, id)
    const { proofs } = payload
    return model === 'Session' && proofs
      ? Object.assign(payload, { proofs: unexpired(proofs, config.TTL_SESSION_MAX) })
      : payload
  }
  return {
    ...unused,
    find,
    async findByUid(uid) {
      await flushBatch(model)
      const found = await findArtifactBy(await readHandle(db), model, 'uidHash', hash(`uid:${uid}`))
      return found && read(found, undefined)
    },
    async findByUserCode(userCode) {
      await flushBatch(model)
      const tx = await writeHandle(db)
      const found = await limitGuesses(seal, tx, () =>
        findArtifactBy(tx, model, 'userCodeHash', hash(`user_code:${userCode}`)),
      )
      return found && find(opened(found.payload.sealedId))
    },
    async upsert(id, payload, expiresIn = 60) {
      // PostgreSQL does not store them, and a statement that contains one aborts its transaction.
      if (!hasOnlyText(payload))
        throw new errors.InvalidRequest('a parameter contains half of a surrogate pair or U+0000')
      const ctx = requestContext()
      const { jti, consumed, ...kept } = payload
      const artifact = {
        model,
        idHash: hash(id),
        sid: sessionIdOf(payload) ?? null,
        userId: userOf(model, payload),
        uidHash: payload.uid ? hash(`uid:${payload.uid}`) : null,
        userCodeHash: payload.userCode ? hash(`user_code:${payload.userCode}`) : null,
        // The library saves a device code that was found by its user code again by its id.
        payload: {
          ...withoutCookie(kept),
          ...(payload.userCode && { sealedId: sealed(id) }),
          ...(payload.deviceCode !== undefined && { deviceCode: sealed(payload.deviceCode) }),
        },
        expiresIn: expiresIn + (model === 'DeviceCode' ? DEVICE_CODE_RETENTION : 0),
        updateOnly: mustExist(model, ctx),
      }
      if (!batchStore(artifact)) await writeArtifacts(await writeHandle(db), { stored: [artifact] })
      if (ctx && model === 'RefreshToken') await afterRotation(ctx, id)
    },
    async consume(id) {
      if (!batchUse(model, hash(id)))
        throw new Error('a code or refresh token is used only in a protocol request')
    },
    /**
     * An interaction is deleted when the sign-in continues. It is gone already if the
     * user was signed out meanwhile: the request then fails.
     */
    async destroy(id) {
      const key = { model, idHash: hash(id) }
      unbatch(key)
      if (model === 'Interaction' && batchDelete(key)) return
      const found = await deleteArtifact(await writeHandle(db), model, key.idHash)
      const ctx = requestContext()
      // it gets another id next
      if (model === 'Session' && ctx && found) requestState(ctx).hasStoredSession = false
    },
  }

  async function find(id: string): Promise<AdapterPayload | undefined> {
    await flushBatch(model)
    const ctx = requestContext()
    if (ctx?.oidc.route === 'token' && OF_A_SESSION.has(model)) return findPresented(ctx, id)
    const isLocked = model === 'DeviceCode' && LOCKING_ROUTES.has(ctx?.oidc.route ?? '')
    const found = isLocked
      ? await lockArtifact(await writeHandle(db), model, hash(id))
      : await findArtifact(await readHandle(db), model, hash(id))
    if (!found) return undefined
    if (model === 'Session' && ctx) requestState(ctx).hasStoredSession = true
    const { deviceCode, ...payload } = read(found, id)
    return { ...payload, ...(deviceCode !== undefined && { deviceCode: opened(deviceCode) }) }
  }

  /**
   * A code or refresh token at /token, read together with the member it belongs
   * to, which the library needs next.
   */
  async function findPresented(ctx: KoaContextWithOIDC, id: string): Promise<AdapterPayload | undefined> {
    const found = await findArtifactWithMember(await readHandle(db), model, hash(id))
    if (!found) return undefined
    if (found.sid !== null) rememberMember(ctx, found.sid as SessionId, found.member)
    const successor = found.successor && (await successorOf(await writeHandle(db), storage, found, id))
    return successor ? payloadOf(successor.artifact, successor.value) : payloadOf(found, id)
  }

  /**
   * A refresh token that replaces a used one is stored beside it for a retry, and
   * its session is marked as used.
   */
  async function afterRotation(ctx: KoaContextWithOIDC, id: string): Promise<void> {
    const used = ctx.oidc.entities.RotatedRefreshToken
    if (!used) return
    batchSuccessor(hash(used.jti), seal.seal(id, `successor:${used.jti}`))
    await touchSessionOf(ctx, await readHandle(db), used)
  }
}

/** Marks the session of a refresh token as used, if that is due. */
export async function touchSessionOf(
  ctx: KoaContextWithOIDC,
  handle: Db,
  token: { grantId?: string | undefined },
): Promise<void> {
  const sid = sessionIdOf(token)
  const member = sid && (await memberOf(ctx, handle, sid))
  if (!member?.isLastSeenDue) return
  noteActive(member.systemId, member.user.id)
  await touchSession(handle, member.sid)
}

/**
 * Whether an artifact is stored only if it exists already: a browser session that the request has read, and
 * the interaction in which one of our pages stores the result of a step. Both may have ended meanwhile.
 */
function mustExist(model: string, ctx: KoaContextWithOIDC | undefined): boolean {
  if (model === 'Interaction') return ctx === undefined
  return model === 'Session' && ctx !== undefined && requestState(ctx).hasStoredSession
}

/** An interaction and its browser session, by the hashes they are stored under. */
export const ownSignIn = (seal: Seal, interactionUid: string, sessionUid: string): OwnSignIn => ({
  interaction: seal.hash(interactionUid, 'Interaction'),
  browser: seal.hash(`uid:${sessionUid}`, 'Session'),
})

/**
 * The user to whom an artifact belongs: it is deleted when that user is signed out everywhere. An interaction
 * belongs to its user as soon as they have authenticated in it, even before the browser has its session.
 */
function userOf(model: string, payload: AdapterPayload): string | null {
  if (model === 'Session') return userIdOf(payload) ?? null
  if (model !== 'Interaction') return null
  const { result, session } = payload as {
    result?: { login?: { accountId: string } }
    session?: { accountId?: string }
  }
  return userIdOf(result?.login) ?? userIdOf(session) ?? null
}

/**
 * The library's payload. The value that the client has is not stored; it is the `id`
 * that the artifact was found by.
 */
function payloadOf(found: StoredArtifact, id: string | undefined): AdapterPayload {
  return {
    ...found.payload,
    ...(id !== undefined && { jti: id }),
    ...(found.consumedAt && { consumed: Math.floor(found.consumedAt.getTime() / 1_000) }),
  } as AdapterPayload
}

/** An interaction's copy of its session contains the browser's cookie, which is never read again. */
function withoutCookie(payload: AdapterPayload): Record<string, unknown> {
  if (!payload.session) return payload as Record<string, unknown>
  const { cookie, ...session } = payload.session as Record<string, unknown>
  return { ...payload, session } as Record<string, unknown>
}

/**
 * Finds a device code by a typed user code, which is short enough to be guessed (RFC 8628 section 5.1).
 * Throws TooManyCodes after too many wrong ones.
 */
async function limitGuesses<Found>(
  seal: Seal,
  tx: Db,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const ctx = requestContext()
  const ip = ctx ? actorOf(ctx).ip : null
  const limits = [
    ...limitsOfNetworks(seal, 'device-network', CODES_OF_NETWORK, ip),
    limitOf(seal, 'device-all', CODES_OF_ALL),
  ]
  let found: Found | undefined
  try {
    await guarded(tx, limits, async () => {
      found = await find()
      return found !== undefined
    })
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'too_many_requests')) throw error
    const refusal = new errors.CustomOIDCProviderError(
      'too_many_requests',
      'too many wrong codes, wait before the next attempt',
    )
    throw Object.assign(refusal, { name: 'TooManyCodes', statusCode: 429, retryAfter: error.retryAfter })
  }
  return found
}

/**
 * The successor of a used refresh token, and its value, if the token is repeated within the grace period and
 * the successor is unused: the response to the first use may have been lost.
 */
async function successorOf(
  tx: Db,
  { seal, config }: Storage,
  used: StoredArtifact,
  value: string,
): Promise<{ value: string; artifact: StoredArtifact } | undefined> {
  if (!used.consumedAt || !used.successor || used.usedFor > config.TTL_REFRESH_GRACE) return undefined
  const successor = seal.open(used.successor, `successor:${value}`)
  const next = await lockArtifact(tx, 'RefreshToken', seal.hash(successor, 'RefreshToken'))
  return next && !next.consumedAt ? { value: successor, artifact: next } : undefined
}

/**
 * Answers a request that lost a race: another one used the code or token after this one had read it.
 * A retry of a refresh gets the refresh token that the first use got; anything else is a replay: it
 * is refused and the session ends.
 */
export async function answerSecondUse(
  storage: Storage,
  context: TransactionContext,
  ctx: KoaContextWithOIDC,
  { model, idHash }: NonNullable<ArtifactBatch['used']>,
): Promise<void> {
  // No token was issued for a pushed request, so there is no session to end (RFC 9126 section 4).
  if (model === 'PushedAuthorizationRequest')
    throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
  const tx = await context.write()
  const used = await lockArtifact(tx, model, idHash)
  const value = ctx.oidc.params?.refresh_token
  const successor =
    used && model === 'RefreshToken' && typeof value === 'string'
      ? await successorOf(tx, storage, used, value)
      : undefined
  if (successor) {
    const body = ctx.body as { refresh_token?: string }
    body.refresh_token = successor.value
    return
  }
  const sid = sessionIdOf(used?.payload as AdapterPayload | undefined)
  if (sid) await endRevoked(tx, ctx, sid)
  ctx.status = 400
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' }
}

/**
 * Whether a used refresh token is repeated within its grace period: the adapter found
 * its successor, which stays valid.
 */
export const isRepeat = (ctx: KoaContextWithOIDC): boolean => {
  const token = ctx.oidc.entities.RefreshToken
  return (
    token !== undefined &&
    ctx.oidc.params?.grant_type === 'refresh_token' &&
    token.jti !== ctx.oidc.params.refresh_token
  )
}

/** What the library stores and we keep as it is: browser sessions, sign-ins under way, codes, refresh tokens, device codes. */
import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { type Db, unitOfWork } from '../db.ts'
import { Failure } from '../errors.ts'
import type { Seal } from '../seal.ts'
import { type OwnSignIn, touchSession } from '../sessions/queries.ts'
import { guessed } from './guessed-codes.ts'
import { memberOf } from './members.ts'
import {
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  findArtifactBy,
  lockArtifact,
  type StoredArtifact,
  setSuccessor,
  upsertArtifact,
} from './queries.ts'
import { reading, requestContext, type Storage, unused, writing } from './storage.ts'
import { endRevoked } from './stored-grants.ts'

/** Requests that came with a browser session that was there: when they keep it again and it is not, it was ended meanwhile. */
const signedIn = new WeakSet<KoaContextWithOIDC>()
/** Models of which a second use must wait for the first. */
const SINGLE_USE = new Set(['AuthorizationCode', 'RefreshToken', 'DeviceCode'])
/** 10 minutes, in seconds: who comes late with a device code or its user code is told that it has expired (RFC 8628 section 3.5). */
const DEVICE_CODE_KNOWN = 600
/** Routes that use what they find; elsewhere (introspection, revocation) nothing waits. */
const USING_ROUTES = new Set(['token', 'code_verification', 'device_resume'])

export function artifactAdapter({ db, seal, config }: Storage, model: string): Adapter {
  const hash = (value: string) => seal.hash(value, model)
  const sealed = (deviceCode: unknown) => seal.seal(String(deviceCode), 'device_code').toString('base64url')
  const opened = (text: unknown) => seal.open(Buffer.from(String(text), 'base64url'), 'device_code')
  return {
    ...unused,
    find,
    async findByUid(uid) {
      const found = await findArtifactBy(await reading(db), model, 'uidHash', hash(`uid:${uid}`))
      return found && payloadOf(found, undefined)
    },
    async findByUserCode(userCode) {
      const tx = await writing(db)
      const found = await guessed(seal, tx, () => findArtifactBy(tx, model, 'userCodeHash', hash(`user_code:${userCode}`)))
      return found && find(opened(found.payload.sealedId))
    },
    async upsert(id, payload, expiresIn = 60) {
      if (!isStorable(payload))
        throw new errors.InvalidRequest('a parameter contains a character that can not be stored (U+0000)')
      const tx = await writing(db)
      const { jti, consumed, ...kept } = payload
      const added = await upsertArtifact(
        tx,
        {
          model,
          idHash: hash(id),
          sid: payload.grantId ?? null,
          userId: personOf(model, payload),
          uidHash: payload.uid ? hash(`uid:${payload.uid}`) : null,
          userCodeHash: payload.userCode ? hash(`user_code:${payload.userCode}`) : null,
          // Who types the user code doesn't hold the device code, and the library saves it again by its id.
          payload: {
            ...withoutCookie(kept),
            ...(payload.userCode && { sealedId: sealed(id) }),
            ...(payload.deviceCode !== undefined && { deviceCode: sealed(payload.deviceCode) }),
          },
        },
        expiresIn + (model === 'DeviceCode' ? DEVICE_CODE_KNOWN : 0),
      )
      const ctx = requestContext()
      if (model === 'Session' && added && ctx && signedIn.has(ctx))
        throw new Failure('unavailable', { detail: 'The browser was signed out meanwhile.', retryAfter: 1 })
      if (model === 'RefreshToken') await afterRotation(tx, id)
    },
    async consume(id) {
      const tx = await writing(db)
      if (await consumeArtifact(tx, model, hash(id))) return
      // Somebody else was first: a replay, answered as the library answers one.
      const ctx = requestContext()
      const sid = (await findArtifact(tx, model, hash(id)))?.payload.grantId
      if (ctx && sid) await endRevoked(tx, ctx, String(sid))
      throw new errors.InvalidGrant('already used')
    },
    /** Who goes on from an interaction takes it away; it may have been taken away meanwhile, its person signed out. */
    async destroy(id) {
      const found = await deleteArtifact(await writing(db), model, hash(id))
      if (!found && model === 'Interaction') throw new errors.SessionNotFound('interaction session not found')
      const ctx = requestContext()
      if (found && model === 'Session' && ctx) signedIn.delete(ctx) // it is stored under another id next
    },
  }

  async function find(id: string): Promise<AdapterPayload | undefined> {
    const uses = SINGLE_USE.has(model) && USING_ROUTES.has(requestContext()?.oidc.route ?? '')
    const tx = uses ? await unitOfWork()?.write() : undefined
    const found = tx ? await lockArtifact(tx, model, hash(id)) : await findArtifact(await reading(db), model, hash(id))
    if (!found) return undefined
    const ctx = requestContext()
    if (model === 'Session' && ctx) signedIn.add(ctx)
    const successor = tx && model === 'RefreshToken' && (await honestRepeat(tx, found, id))
    if (successor) return successor
    const { deviceCode, ...payload } = payloadOf(found, id)
    return { ...payload, ...(deviceCode !== undefined && { deviceCode: opened(deviceCode) }) }
  }

  /** A new refresh token in the place of a used one: kept beside it for an honest repeat, and its session is seen. */
  async function afterRotation(tx: Db, id: string): Promise<void> {
    const ctx = requestContext()
    const used = ctx?.oidc.entities.RotatedRefreshToken
    if (!ctx || !used) return
    await setSuccessor(tx, hash(used.jti), seal.seal(id, `successor:${used.jti}`))
    const member = used.grantId === undefined ? undefined : await memberOf(ctx, tx, used.grantId)
    if (member?.unseen) await touchSession(tx, member.sid)
  }

  /**
   * A used refresh token, repeated within the grace while its successor is unused, stands for that successor: the
   * answer to the first use may have been lost. provider.ts then hands out the same successor again. Only at /token:
   * introspection would tell whoever asks of the used one.
   */
  async function honestRepeat(tx: Db, found: StoredArtifact, id: string): Promise<AdapterPayload | undefined> {
    if (!found.consumedAt || !found.successor || found.usedFor > config.TTL_REFRESH_GRACE) return undefined
    const successor = seal.open(found.successor, `successor:${id}`)
    const next = await lockArtifact(tx, model, hash(successor))
    return next && !next.consumedAt ? payloadOf(next, successor) : undefined
  }
}

/** A sign-in under way and its browser session, by the hashes they are stored under. */
export const ownSignIn = (seal: Seal, interactionUid: string, sessionUid: string): OwnSignIn => ({
  interaction: seal.hash(interactionUid, 'Interaction'),
  browser: seal.hash(`uid:${sessionUid}`, 'Session'),
})

/** PostgreSQL keeps no U+0000, and a statement that holds one spoils its transaction: seen before it is sent. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0')
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}

/**
 * Whose browser an artifact signs in: it goes when that person is signed out everywhere. An interaction counts from the
 * moment the password was proven in it, also before the browser has gone on and got a session.
 */
function personOf(model: string, payload: AdapterPayload): string | null {
  if (model === 'Session') return payload.accountId ?? null
  if (model !== 'Interaction') return null
  const { result, session } = payload as { result?: { login?: { accountId: string } }; session?: { accountId?: string } }
  return result?.login?.accountId ?? session?.accountId ?? null
}

/** The value a client holds is no part of what is stored; who asks by it gets it back. */
function payloadOf(found: StoredArtifact, id: string | undefined): AdapterPayload {
  return {
    ...found.payload,
    ...(id !== undefined && { jti: id }),
    ...(found.consumedAt && { consumed: Math.floor(found.consumedAt.getTime() / 1_000) }),
  } as AdapterPayload
}

/** An interaction's copy of its session holds the browser's cookie, which nothing reads again. */
function withoutCookie(payload: AdapterPayload): Record<string, unknown> {
  if (!payload.session) return payload as Record<string, unknown>
  const { cookie, ...session } = payload.session as Record<string, unknown>
  return { ...payload, session } as Record<string, unknown>
}

/** What the library stores and we keep as it is: browser sessions, sign-ins under way, codes, refresh tokens, device codes. */
import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Seal } from '../../crypto/seal.ts'
import { readHandle, writeHandle } from '../../database/transaction.ts'
import { type OwnSignIn, touchSession } from '../../resources/sessions/queries.ts'
import { knowMember, memberOf } from '../policy/members.ts'
import { batchStore, batchSuccessor, batchUse, flushBatch, unbatch } from './artifact-batch.ts'
import { guessed } from './guessed-codes.ts'
import {
  deleteArtifact,
  findArtifact,
  findArtifactBy,
  findArtifactWithMember,
  lockArtifact,
  type StoredArtifact,
  writeArtifacts,
} from './queries.ts'
import { requestContext, type Storage, unused } from './storage.ts'
import { successorOf } from './token-reuse.ts'

/** Requests that came with a browser session that was there: when they keep it again and it is not, it was ended meanwhile. */
const signedIn = new WeakSet<KoaContextWithOIDC>()
/** What is presented at /token and belongs to a session. */
const OF_A_SESSION = new Set(['AuthorizationCode', 'RefreshToken'])
/** 10 minutes, in seconds: who comes late with a device code or its user code is told that it has expired (RFC 8628 section 3.5). */
const DEVICE_CODE_KNOWN = 600
/** Where a device code is decided on by a person or fetched by its device: of two of them the second waits and sees what the first did. */
const USING_ROUTES = new Set(['token', 'code_verification', 'device_resume'])

export function artifactAdapter(storage: Storage, model: string): Adapter {
  const { db, seal } = storage
  const hash = (value: string) => seal.hash(value, model)
  const sealed = (deviceCode: unknown) => seal.seal(String(deviceCode), 'device_code').toString('base64url')
  const opened = (text: unknown) => seal.open(Buffer.from(String(text), 'base64url'), 'device_code')
  return {
    ...unused,
    find,
    async findByUid(uid) {
      await flushBatch(model)
      const found = await findArtifactBy(await readHandle(db), model, 'uidHash', hash(`uid:${uid}`))
      return found && payloadOf(found, undefined)
    },
    async findByUserCode(userCode) {
      await flushBatch(model)
      const tx = await writeHandle(db)
      const found = await guessed(seal, tx, () =>
        findArtifactBy(tx, model, 'userCodeHash', hash(`user_code:${userCode}`)),
      )
      return found && find(opened(found.payload.sealedId))
    },
    async upsert(id, payload, expiresIn = 60) {
      if (!isStorable(payload))
        throw new errors.InvalidRequest('a parameter contains a character that can not be stored (U+0000)')
      const ctx = requestContext()
      const { jti, consumed, ...kept } = payload
      const artifact = {
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
        expiresIn: expiresIn + (model === 'DeviceCode' ? DEVICE_CODE_KNOWN : 0),
        standing: model === 'Session' && ctx !== undefined && signedIn.has(ctx),
      }
      if (!batchStore(artifact))
        await writeArtifacts(await writeHandle(db), { used: undefined, stored: [artifact] })
      if (ctx && model === 'RefreshToken') await afterRotation(ctx, id)
    },
    async consume(id) {
      if (!batchUse(model, hash(id)))
        throw new Error('a code or refresh token is used only by a request of the protocol')
    },
    /** Who goes on from an interaction takes it away; it may have been taken away meanwhile, its person signed out. */
    async destroy(id) {
      unbatch({ model, idHash: hash(id) })
      const found = await deleteArtifact(await writeHandle(db), model, hash(id))
      if (!found && model === 'Interaction') throw new errors.SessionNotFound('interaction session not found')
      const ctx = requestContext()
      if (model === 'Session' && ctx && found) signedIn.delete(ctx) // it is stored under another id next
    },
  }

  async function find(id: string): Promise<AdapterPayload | undefined> {
    await flushBatch(model)
    const ctx = requestContext()
    if (ctx?.oidc.route === 'token' && OF_A_SESSION.has(model)) return findPresented(ctx, id)
    const uses = model === 'DeviceCode' && USING_ROUTES.has(ctx?.oidc.route ?? '')
    const found = uses
      ? await lockArtifact(await writeHandle(db), model, hash(id))
      : await findArtifact(await readHandle(db), model, hash(id))
    if (!found) return undefined
    if (model === 'Session' && ctx) signedIn.add(ctx)
    const { deviceCode, ...payload } = payloadOf(found, id)
    return { ...payload, ...(deviceCode !== undefined && { deviceCode: opened(deviceCode) }) }
  }

  /** A code or refresh token at /token: read together with the member it is for, whom the library asks for next. */
  async function findPresented(ctx: KoaContextWithOIDC, id: string): Promise<AdapterPayload | undefined> {
    const found = await findArtifactWithMember(await readHandle(db), model, hash(id))
    if (!found) return undefined
    if (found.sid !== null) knowMember(ctx, found.sid, found.member)
    const successor = found.successor && (await successorOf(await writeHandle(db), storage, found, id))
    return successor ? payloadOf(successor.artifact, successor.value) : payloadOf(found, id)
  }

  /** A new refresh token in the place of a used one: kept beside it for an honest repeat, and its session is seen. */
  async function afterRotation(ctx: KoaContextWithOIDC, id: string): Promise<void> {
    const used = ctx.oidc.entities.RotatedRefreshToken
    if (!used) return
    batchSuccessor(hash(used.jti), seal.seal(id, `successor:${used.jti}`))
    const handle = await readHandle(db)
    const member = used.grantId === undefined ? undefined : await memberOf(ctx, handle, used.grantId)
    if (member?.unseen) await touchSession(handle, member.sid)
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
  const { result, session } = payload as {
    result?: { login?: { accountId: string } }
    session?: { accountId?: string }
  }
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

/**
 * Where the protocol library keeps things. Its models map so:
 *   Client                          a row of `systems` (clients.ts)
 *   Grant                           a row of `sessions`: what was granted, to whom, in which account
 *   AccessToken, ClientCredentials  never stored: signed tokens, verified here when one is presented
 *   everything else                 a row of `artifacts`, found by the keyed hash of what the client holds
 * Inside a request that writes, everything goes through its one transaction (db.ts, UnitOfWork).
 */
import Provider, { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { record } from '../audit/record.ts'
import type { Config } from '../config.ts'
import { type Db, unitOfWork } from '../db.ts'
import { Failure } from '../errors.ts'
import { enqueue } from '../events/enqueue.ts'
import type { Seal } from '../seal.ts'
import { type EndReason, endSessions } from '../sessions/end.ts'
import { holdActive, insertSession, type Member, touchSession, updateGrant } from '../sessions/queries.ts'
import { clientOf } from '../systems/clients.ts'
import { actorOf } from './actor.ts'
import { choiceOf } from './choice.ts'
import { clientMetadata } from './clients.ts'
import { guardFaults } from './faults.ts'
import { memberOf } from './members.ts'
import {
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  findArtifactBy,
  insertArtifact,
  insertRevokedToken,
  isRevoked,
  lockArtifact,
  type StoredArtifact,
  setSuccessor,
  upsertArtifact,
} from './queries.ts'
import type { TokenVerifier } from './tokens.ts'

export type Storage = { db: Db; seal: Seal; config: Config; tokens: TokenVerifier }

/** Makes the library's adapter of one model. */
export function adapterFor(storage: Storage): (model: string) => Adapter {
  const special: Record<string, (storage: Storage) => Adapter> = {
    Client: clientAdapter,
    Grant: grantAdapter,
    AccessToken: accessTokenAdapter,
    ClientCredentials: serviceTokenAdapter,
    ReplayDetection: replayAdapter,
  }
  return (model) => guarded(special[model]?.(storage) ?? artifactAdapter(storage, model))
}

const reading = async (db: Db): Promise<Db> => (await unitOfWork()?.read()) ?? db
const writing = async (db: Db): Promise<Db> => (await unitOfWork()?.write()) ?? db
const requestContext = () => (Provider as unknown as { ctx: KoaContextWithOIDC | undefined }).ctx

/** What the library asks of no adapter of that kind. */
const unused: Adapter = {
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

/** No database fault leaves it as anything but "try again". */
function guarded(adapter: Adapter): Adapter {
  return {
    find: guardFaults(adapter.find),
    findByUid: guardFaults(adapter.findByUid),
    findByUserCode: guardFaults(adapter.findByUserCode),
    upsert: guardFaults(adapter.upsert),
    consume: guardFaults(adapter.consume),
    destroy: guardFaults(adapter.destroy),
    revokeByGrantId: guardFaults(adapter.revokeByGrantId),
  }
}

function clientAdapter({ db }: Storage): Adapter {
  return {
    ...unused,
    async find(clientId) {
      const system = isStorable(clientId) ? await clientOf(db, clientId, await reading(db)) : undefined
      return system && clientMetadata(system)
    },
  }
}

/** Sessions. A grant is stored with the membership that choice.ts decided for the request. */
function grantAdapter({ db, config }: Storage): Adapter {
  return {
    ...unused,
    async find(sid) {
      const ctx = requestContext()
      const member = ctx && (await memberOf(ctx, await reading(db), sid))
      return member && grantPayload(member)
    },
    async upsert(sid, payload, expiresIn = config.TTL_REFRESH_TOKEN_MAX) {
      const ctx = requestContext()
      const choice = ctx && choiceOf(ctx)
      if (!ctx || choice?.kind !== 'place') throw new Error('a grant is saved only for a chosen membership')
      const tx = await writing(db)
      const { clientId, accountId: userId, iat, exp, jti, kind, ...grant } = payload
      if (await memberOf(ctx, tx, sid)) return updateGrant(tx, sid, grant)
      const session = ctx.oidc.session
      const actor = actorOf(ctx)
      const systemId = systemOf(ctx)
      const { accountId, membershipId } = choice.place
      if (!(await holdActive(tx, membershipId))) throw new errors.AccessDenied('the user has no active membership')
      await insertSession(
        tx,
        {
          sid,
          systemId,
          userId: String(userId),
          accountId,
          membershipId,
          browserUid: session?.uid ?? null,
          grant,
          acr: session?.acr ?? null,
          amr: session?.amr ?? [],
          ip: actor.ip,
          userAgent: actor.userAgent,
        },
        Math.min(expiresIn, config.TTL_REFRESH_TOKEN_MAX),
      )
      await record(tx, actor, { action: 'session.opened', target: { type: 'session', id: sid }, systemId, accountId })
    },
    /** The library destroys a grant to answer a replay or a revocation: that ends the session, and is kept even though the request is refused. */
    async destroy(sid) {
      const ctx = requestContext()
      if (ctx) await endRevoked(await writing(db), ctx, sid)
    },
  }
}

/** The system of the request's client (see CLIENT_EXTRAS). */
const systemOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.client?.system_id)

function grantPayload(member: Member): AdapterPayload {
  // Expiry was decided by the database; the library wants a number.
  const now = Math.floor(Date.now() / 1_000)
  return {
    ...member.grant,
    accountId: member.user.id,
    clientId: member.clientId,
    jti: member.sid,
    kind: 'Grant',
    iat: now,
    exp: now + 60,
  } as AdapterPayload
}

/** Ends a session because its grant was revoked: by its client, by a logout, or by a replay. */
async function endRevoked(tx: Db, ctx: KoaContextWithOIDC, sid: string): Promise<void> {
  unitOfWork()?.keep()
  const reason = revocationReason(ctx)
  const actor = actorOf(ctx)
  const member = reason === 'refresh_reuse' ? await memberOf(ctx, tx, sid) : undefined
  const ended = await endSessions(tx, actor, { sid }, reason)
  if (ended === 0 || !member) return
  const { systemId, accountId, membershipId, user } = member
  await record(tx, actor, {
    action: 'security.refresh_reuse',
    outcome: 'failure',
    target: { type: 'session', id: sid },
    systemId,
    accountId,
  })
  await enqueue(tx, {
    type: 'security.refresh_reuse',
    systemId,
    accountId,
    userId: user.id,
    membershipId,
    data: {
      sid,
      user: { id: user.id, email: user.email },
      membershipId,
      accountId,
      systemId,
      actor: { type: actor.type, id: actor.id },
    },
  })
}

function revocationReason(ctx: KoaContextWithOIDC): EndReason {
  if (ctx.oidc.route === 'revocation') return 'token_revoked'
  if (ctx.oidc.route === 'end_session_confirm') return 'logout'
  return ctx.oidc.params?.grant_type === 'refresh_token' ? 'refresh_reuse' : 'code_replay'
}

/** User tokens: signed, never stored. Their audience is for others; the library's own endpoints want none. */
function accessTokenAdapter({ tokens }: Storage): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = await tokens.verify(value)
      if (token?.kind !== 'user') return undefined
      const { claims } = token
      return {
        kind: 'AccessToken',
        jti: claims.jti,
        accountId: claims.sub,
        clientId: claims.client_id,
        grantId: claims.sid,
        scope: claims.scope,
        iat: claims.iat,
        exp: claims.exp,
        ...(claims.cnf?.jkt && { jkt: claims.cnf.jkt }),
      } as AdapterPayload
    },
  }
}

/** Service tokens: signed, never stored; one that is revoked is remembered until it would have expired. */
function serviceTokenAdapter({ db, tokens }: Storage): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = await tokens.verify(value)
      if (token?.kind !== 'service') return undefined
      const { claims } = token
      const handle = await reading(db)
      const system = await clientOf(db, claims.client_id, handle)
      if (!system?.allowClientCredentials || (await isRevoked(handle, claims.jti))) return undefined
      return {
        kind: 'ClientCredentials',
        jti: claims.jti,
        clientId: claims.client_id,
        iat: claims.iat,
        exp: claims.exp,
        aud: claims.aud,
      } as AdapterPayload
    },
    async destroy(jti) {
      const exp = requestContext()?.oidc.entities.ClientCredentials?.exp
      await insertRevokedToken(await writing(db), jti, exp ?? Math.floor(Date.now() / 1_000) + 3_600)
    },
  }
}

/** Requests that came with a browser session that was there: when they keep it again and it is not, it was ended meanwhile. */
const signedIn = new WeakSet<KoaContextWithOIDC>()
/** Models of which a second use must wait for the first. */
const SINGLE_USE = new Set(['AuthorizationCode', 'RefreshToken', 'DeviceCode'])
/** 10 minutes, in seconds: who comes late with a device code or its user code is told that it has expired (RFC 8628 section 3.5). */
const DEVICE_CODE_KNOWN = 600
/** Routes that use what they find; elsewhere (introspection, revocation) nothing waits. */
const USING_ROUTES = new Set(['token', 'code_verification', 'device_resume'])

/** Proofs that were seen (RFC 9449 section 11.1): of two requests with one proof, one is first. */
function replayAdapter({ db, seal }: Storage): Adapter {
  const model = 'ReplayDetection'
  return {
    ...unused,
    find: async (id) =>
      (await findArtifact(await reading(db), model, seal.hash(id, model)))?.payload as AdapterPayload | undefined,
    async upsert(id, { iss }, expiresIn = 60) {
      if (await insertArtifact(await writing(db), { model, idHash: seal.hash(id, model), payload: { iss } }, expiresIn)) return
      const Refusal = requestContext()?.oidc.route === 'userinfo' ? errors.InvalidToken : errors.InvalidGrant
      throw new Refusal('DPoP proof JWT Replay detected')
    },
  }
}

function artifactAdapter({ db, seal, config }: Storage, model: string): Adapter {
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
      const found = await findArtifactBy(await reading(db), model, 'userCodeHash', hash(`user_code:${userCode}`))
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

/** PostgreSQL keeps no U+0000, and a statement that holds one spoils its transaction: seen before it is sent. */
function isStorable(value: unknown): boolean {
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

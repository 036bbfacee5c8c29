/**
 * Where the protocol library's models are stored:
 *   Client                          a row of `systems` (clients.ts), or the client of /account
 *   Grant                           a row of `sessions`: scopes of a system, user and account (grants.ts)
 *   AccessToken, ClientCredentials  not stored: signed tokens, verified when they are presented
 *   everything else                 a row of `artifacts`, found by the keyed hash of its value (artifacts.ts)
 * All writes of a request are in one transaction (database/transaction.ts).
 */
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { readHandle, writeHandle } from '../../database/transaction.ts'
import { findArtifact, insertArtifact } from '../../resources/artifacts/queries.ts'
import { recordTokenRevoked } from '../../resources/service-accounts/changes.ts'
import { insertRevokedToken, isRevoked } from '../../resources/sessions/queries.ts'
import { isOfCredential } from '../../resources/sessions/service-tokens.ts'
import { clientOf } from '../../resources/systems/queries.ts'
import { grantAdapter } from '../grants.ts'
import { actorOf, guardFaults, libraryIds, requestContext, requestState } from '../policy/request-state.ts'
import { type Storage, unused } from '../policy/storage.ts'
import { artifactAdapter } from './artifacts.ts'
import { clientAdapter } from './clients.ts'
import { storedServiceAccountToken } from './service-accounts.ts'

/** The library's adapter factory. */
export function adapterFor(storage: Storage): (model: string) => Adapter {
  const special: Record<string, (storage: Storage) => Adapter> = {
    Client: clientAdapter,
    Grant: grantAdapter,
    AccessToken: accessTokenAdapter,
    ClientCredentials: serviceTokenAdapter,
    ReplayDetection: replayAdapter,
  }
  return (model) => withGuard(special[model]?.(storage) ?? artifactAdapter(storage, model))
}

function withGuard(adapter: Adapter): Adapter {
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

/**
 * User tokens. The payload has no audience, since the library's own endpoints accept only tokens without one.
 */
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
        ...libraryIds({ userId: claims.sub, sid: claims.sid }),
        clientId: claims.client_id,
        scope: claims.scope,
        iat: claims.iat,
        exp: claims.exp,
        ...(claims.userinfo_claims && {
          claims: { userinfo: Object.fromEntries(claims.userinfo_claims.map((name) => [name, null])) },
        }),
        ...(claims.cnf?.jkt && { jkt: claims.cnf.jkt }),
      } as AdapterPayload
    },
  }
}

/** Service tokens. A revoked one is stored until it would have expired. */
function serviceTokenAdapter({ db, tokens }: Storage): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = await tokens.verify(value)
      const handle = await readHandle(db)
      if (token?.kind === 'serviceAccount') return storedServiceAccountToken(handle, token.claims)
      if (token?.kind !== 'service') return undefined
      const { claims } = token
      const system = await clientOf(db, claims.client_id, handle)
      if (!system?.allowClientCredentials || !isOfCredential(claims.jti, system)) return undefined
      if (await isRevoked(handle, claims.jti)) return undefined
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
      const ctx = requestContext()
      const exp = ctx?.oidc.entities.ClientCredentials?.exp ?? Math.floor(Date.now() / 1_000) + 3_600
      const tx = await writeHandle(db)
      const isRevokedNow = await insertRevokedToken(tx, jti, exp)
      const program = ctx?.oidc.client?.tenantry.serviceAccount
      if (program && isRevokedNow) await recordTokenRevoked(tx, actorOf(ctx), program, jti)
    },
  }
}

/**
 * Used DPoP proofs (RFC 9449 section 11.1) and client assertions (RFC 7523 section 3). Of two requests with
 * one, exactly one is accepted. An assertion is used before anything else is written, and remains used if the
 * request is refused.
 */
function replayAdapter({ db, seal }: Storage): Adapter {
  const model = 'ReplayDetection'
  return {
    ...unused,
    async find(id) {
      if (isAssertion(id)) return undefined // the insertion decides
      const found = await findArtifact(await readHandle(db), model, seal.hash(id, model))
      return found?.payload as AdapterPayload | undefined
    },
    async upsert(id, { iss }, expiresIn = 60) {
      const handle = isAssertion(id) ? readHandle(db) : writeHandle(db)
      const used = { model, idHash: seal.hash(id, model), payload: { iss }, expiresIn }
      if (await insertArtifact(await handle, used)) return
      if (isAssertion(id)) throw new errors.InvalidClientAuth('the client assertion was used before')
      const Refusal = requestContext()?.oidc.route === 'userinfo' ? errors.InvalidToken : errors.InvalidGrant
      throw new Refusal('DPoP proof JWT Replay detected')
    },
  }
}

function isAssertion(id: string): boolean {
  const ctx = requestContext()
  return ctx !== undefined && requestState(ctx).assertionId === id
}

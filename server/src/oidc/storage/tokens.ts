/** What is not stored but known when it is presented: access tokens, service tokens, and proofs that were seen. */
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { readHandle, writeHandle } from '../../database/transaction.ts'
import { insertRevokedToken, isRevoked } from '../../resources/sessions/queries.ts'
import { isOfSecret } from '../../resources/sessions/service-tokens.ts'
import { clientOf } from '../../resources/systems/clients.ts'
import { findArtifact, insertArtifact } from './queries.ts'
import { requestContext, type Storage, unused } from './storage.ts'

/** User tokens: signed, never stored. Their audience is for others; the library's own endpoints want none. */
export function accessTokenAdapter({ tokens }: Storage): Adapter {
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
export function serviceTokenAdapter({ db, tokens }: Storage): Adapter {
  return {
    ...unused,
    async find(value) {
      const token = await tokens.verify(value)
      if (token?.kind !== 'service') return undefined
      const { claims } = token
      const handle = await readHandle(db)
      const system = await clientOf(db, claims.client_id, handle)
      if (!system?.allowClientCredentials || !isOfSecret(claims.jti, system)) return undefined
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
      const exp = requestContext()?.oidc.entities.ClientCredentials?.exp
      await insertRevokedToken(await writeHandle(db), jti, exp ?? Math.floor(Date.now() / 1_000) + 3_600)
    },
  }
}

/** Proofs that were seen (RFC 9449 section 11.1): of two requests with one proof, one is first. */
export function replayAdapter({ db, seal }: Storage): Adapter {
  const model = 'ReplayDetection'
  return {
    ...unused,
    find: async (id) =>
      (await findArtifact(await readHandle(db), model, seal.hash(id, model)))?.payload as
        | AdapterPayload
        | undefined,
    async upsert(id, { iss }, expiresIn = 60) {
      if (
        await insertArtifact(await writeHandle(db), {
          model,
          idHash: seal.hash(id, model),
          payload: { iss },
          expiresIn,
        })
      )
        return
      const Refusal = requestContext()?.oidc.route === 'userinfo' ? errors.InvalidToken : errors.InvalidGrant
      throw new Refusal('DPoP proof JWT Replay detected')
    },
  }
}

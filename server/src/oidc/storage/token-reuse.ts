/**
 * Codes, refresh tokens and pushed requests that are presented a second time: a retry
 * after a lost response, or a replay.
 */
import { type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import type { ArtifactBatch, TransactionContext } from '../../database/transaction.ts'
import { endRevoked } from '../grants.ts'
import { sessionIdOf } from '../request-state.ts'
import { lockArtifact, type StoredArtifact } from './queries.ts'
import type { Storage } from './storage.ts'

/**
 * The successor of a used refresh token, and its value, if the token is repeated within the grace period and
 * the successor is unused: the response to the first use may have been lost.
 */
export async function successorOf(
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

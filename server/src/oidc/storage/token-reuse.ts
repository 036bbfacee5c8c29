/** Codes, refresh tokens and pushed requests that come a second time: an honest repeat of a lost answer, or a replay. */
import { type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import type { ArtifactBatch, TransactionContext } from '../../database/transaction.ts'
import { endRevoked } from './grants.ts'
import { lockArtifact, type StoredArtifact } from './queries.ts'
import type { Storage } from './storage.ts'

/**
 * A used refresh token, repeated within the grace while its successor is unused, stands for that successor: the answer to
 * the first use may have been lost. Answers that successor and its value.
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
 * Another request was first, between our reading and our writing. What was made for this one is good all the same if the
 * repeat is honest, with the refresh token that the first use was given; else it is refused, and the session ends.
 */
export async function answerSecondUse(
  storage: Storage,
  context: TransactionContext,
  ctx: KoaContextWithOIDC,
  { model, idHash }: NonNullable<ArtifactBatch['used']>,
): Promise<void> {
  // At /auth a person waits, and nothing was given out that could be taken back (RFC 9126 section 4).
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
  const sid = (used?.payload as AdapterPayload | undefined)?.grantId
  if (sid) await endRevoked(tx, ctx, sid)
  ctx.status = 400
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' }
}

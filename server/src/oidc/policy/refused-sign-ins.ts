/**
 * The audit entries `sign_in.refused`: a sign-in that ended at a check of the protocol, with the reason. They
 * are what an administrator reads when a user cannot sign in.
 */
import { LRUCache } from 'lru-cache'
import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { limitOf, REFUSALS_RECORDED } from '../../http/limits/guard.ts'
import { reserve } from '../../http/limits/queries.ts'
import { printable } from '../../http/sent-values.ts'
import { noteRefusedSignIn, recordRefused } from '../../journal/audit/failures.ts'
import { type AuditEntry, record, recordWithArtifacts } from '../../journal/audit/record.ts'
import { isPassingStranger } from './owed.ts'
import { owingOf } from './owing.ts'
import { actorOf, requestState, signInOf, userIdOf } from './request-state.ts'
import type { Storage } from './storage.ts'

/** `foreign`: the requested account is not one of the user's. */
type Reason = 'pending' | 'blocked' | 'suspended' | 'none' | 'foreign' | 'factor' | 'consent'

type About = { userId: string; systemId: string | null; accountId: string | null }

export const refusedSignIn = (reason: Reason, { userId, systemId, accountId }: About): AuditEntry => ({
  action: 'sign_in.refused',
  outcome: 'failure',
  target: { type: 'user', id: userId },
  systemId,
  accountId,
  changes: { reason: [null, reason] },
})

/**
 * Records that the sign-in of a request is refused, with its other rows. The entry names an account only if
 * the user is a member of it: its administrators read the entry. That a stranger has passed by is only in the
 * log of the server.
 */
export async function recordRefusedSignIn(db: Db, ctx: KoaContextWithOIDC, reason: Reason): Promise<void> {
  const { client, session, params } = ctx.oidc
  const userId = userIdOf(session)
  const systemId = client?.tenantry.systemId
  if (!userId || !systemId) return
  const { memberships = [] } = (await signInOf(ctx, await readHandle(db), userId)) ?? {}
  const requested = params?.account_id === undefined ? undefined : String(params.account_id).toLowerCase()
  const { choice } = requestState(ctx)
  const membership =
    choice?.kind === 'selected'
      ? choice.membership
      : choice?.kind === 'refused' && choice.reason === 'suspended'
        ? choice.account
        : memberships.find((each) =>
            requested === undefined ? each.status === reason : each.accountId === requested,
          )
  const found = reason === 'foreign' && membership && membership.status !== 'active' && membership.status
  const about = { userId, systemId, accountId: membership?.accountId ?? null }
  const entry = refusedSignIn(found || reason, about)
  if (isPassingStranger(owingOf(ctx))) noteRefusedSignIn(actorOf(ctx), entry)
  else await recordRefused(db, actorOf(ctx), entry, recordWithArtifacts)
}

/** The errors of requests that are refused before their user is known. */
const REASONS: Record<string, string> = {
  invalid_redirect_uri: 'redirect_uri',
  invalid_client: 'client',
  unauthorized_client: 'client',
  invalid_scope: 'scope',
}
const ROUTES = new Set(['authorization', 'pushed_authorization_request', 'token'])

/** 1 minute, in ms, as REFUSALS_RECORDED. */
const recorded = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 })

/**
 * Records a refused request of a client, once a minute for each client and reason in all processes: anyone
 * can repeat it. All unknown clients are one.
 */
export async function recordRefusedClient(
  { db, seal }: Storage,
  ctx: KoaContextWithOIDC,
  refusal: errors.OIDCProviderError,
): Promise<void> {
  const { sender } = requestState(ctx)
  const reason = REASONS[refusal.error]
  if (reason === undefined || !ROUTES.has(ctx.oidc?.route ?? '')) return
  const { client, params } = ctx.oidc
  const systemId = client?.tenantry.systemId ?? null
  const limit = limitOf(seal, 'refused', REFUSALS_RECORDED, systemId ?? '', reason)
  if (recorded.has(limit.key)) return
  recorded.set(limit.key, true)
  if (!(await reserve(db, limit))) return
  const sent = { redirectUri: params?.redirect_uri, scope: params?.scope }
  const named = client?.clientId ?? params?.client_id
  const changes: NonNullable<AuditEntry['changes']> = {
    reason: [null, reason],
    error: [null, refusal.error],
    ...(typeof named === 'string' && { clientId: [null, printable(named)] }),
  }
  if (reason !== 'client')
    for (const [name, value] of Object.entries(sent))
      if (typeof value === 'string') changes[name] = [null, printable(value)]
  await record(db, sender, { action: 'sign_in.refused', outcome: 'failure', systemId, changes })
}

/** The library's grants are our sessions. Ending a session ends every code and token that belongs to it. */
import { isDeepStrictEqual } from 'node:util'
import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { currentTransaction, readHandle, writeHandle } from '../../database/transaction.ts'
import { record, recordWithArtifacts } from '../../resources/audit/record.ts'
import { enqueue } from '../../resources/events/enqueue.ts'
import { type EndReason, endSessions } from '../../resources/sessions/end.ts'
import { type Member, sessionOpened, updateGrant } from '../../resources/sessions/queries.ts'
import {
  actorOf,
  libraryIds,
  memberOf,
  requestContext,
  requestState,
  type SessionId,
  userIdOf,
} from '../request-state.ts'
import { batchCondition, flushBatch } from './artifact-batch.ts'
import { type Storage, unused } from './storage.ts'

/** A grant is stored with the membership that the request is decided for (policy/grants.ts). */
export function grantAdapter({ db, config }: Storage): Adapter {
  return {
    ...unused,
    async find(sid) {
      await flushBatch('Grant')
      const ctx = requestContext()
      const member = ctx && (await memberOf(ctx, await readHandle(db), sid as SessionId))
      return member && grantPayload(member)
    },
    async upsert(sid, payload, expiresIn = config.TTL_REFRESH_TOKEN_MAX) {
      const ctx = requestContext()
      const choice = ctx && requestState(ctx).choice
      if (!ctx || choice?.kind !== 'selected')
        throw new Error('a grant is saved only for a chosen membership')
      const userId = userIdOf(payload)
      const { clientId, accountId: _, iat, exp, jti, kind, ...grant } = payload
      const session = ctx.oidc.session
      const { acr, amr } = session ?? {}
      const known =
        requestState(ctx).newSession === sid
          ? undefined
          : await memberOf(ctx, await readHandle(db), sid as SessionId)
      if (known) {
        const now = { grant, acr: acr ?? known.acr, amr: amr ?? known.amr }
        return isSame(known, now) ? undefined : updateGrant(await writeHandle(db), sid, now)
      }
      const actor = actorOf(ctx)
      const { accountId, membershipId } = choice.membership
      const opened = {
        sid,
        userId: String(userId),
        membershipId,
        browserUid: session?.uid ?? null,
        grant,
        acr: acr ?? null,
        amr: amr ?? [],
        ip: actor.ip,
        userAgent: actor.userAgent,
      }
      const lifetime = Math.min(expiresIn, config.TTL_REFRESH_TOKEN_MAX)
      if (!batchCondition(sessionOpened(opened, lifetime, noMembership)))
        throw new Error('a session is opened only in a protocol request')
      await recordWithArtifacts(db, actor, {
        action: 'session.opened',
        target: { type: 'session', id: sid },
        systemId: systemOf(ctx),
        accountId,
      })
    },
    /**
     * The library destroys a grant after a replay or a revocation. That ends the session,
     * even if the request is refused.
     */
    async destroy(sid) {
      const ctx = requestContext()
      if (ctx) await endRevoked(await writeHandle(db), ctx, sid as SessionId)
    },
  }
}

const noMembership = () => new errors.AccessDenied('the user has no active membership')

type Stored = Pick<Member, 'grant' | 'acr' | 'amr'>

/**
 * A sign-in in an existing browser session mostly grants the same scopes again; the row is then not written.
 */
const isSame = ({ grant, acr, amr }: Stored, now: Stored) =>
  isDeepStrictEqual({ grant, acr, amr }, { ...now, grant: JSON.parse(JSON.stringify(now.grant)) })

/** The system of the request's client (see CLIENT_EXTRAS). */
const systemOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.client?.system_id)

function grantPayload(member: Member): AdapterPayload {
  // The database decides whether a session has expired; the library requires a time.
  const now = Math.floor(Date.now() / 1_000)
  return {
    ...member.grant,
    ...libraryIds({ userId: member.user.id }),
    clientId: member.clientId,
    jti: member.sid,
    kind: 'Grant',
    iat: now,
    exp: now + 60,
  } as AdapterPayload
}

/** Ends a session whose grant was revoked by its client, by a logout or by a replay. */
export async function endRevoked(tx: Db, ctx: KoaContextWithOIDC, sid: SessionId): Promise<void> {
  currentTransaction()?.keep()
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

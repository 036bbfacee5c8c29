/**
 * The audit entries `sign_in.refused`: a sign-in that ended at a check of the protocol, with the reason. They
 * are what an administrator reads when a user cannot sign in.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import { noteRefusedSignIn, recordRefused } from '../../journal/audit/failures.ts'
import { type AuditEntry, recordWithArtifacts } from '../../journal/audit/record.ts'
import { isPassingStranger } from './owed.ts'
import { owingOf } from './owing.ts'
import { actorOf, requestState, signInOf, userIdOf } from './request-state.ts'

/** `foreign`: the requested account is not one of the user's. */
type Reason =
  | 'pending'
  | 'blocked'
  | 'suspended'
  | 'none'
  | 'foreign'
  | 'factor'
  | 'exempt_without_factor'
  | 'consent'

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

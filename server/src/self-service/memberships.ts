import { inTransaction } from '../database/transaction.ts'
import { isUuid } from '../http/uuid.ts'
import { type AuditEntry, record } from '../journal/audit/record.ts'
import { endSessions } from '../lifecycle/end-sessions.ts'
import { deleteConsent } from '../resources/consents/queries.ts'
import { applicationsPage, membershipsPage } from '../ui/pages/self-service/memberships.ts'
import { listOwnMemberships } from './queries.ts'
import { noticeOf, sendPage, type Visit, visitForm, visitPage } from './signed-in.ts'

export const showMemberships = visitPage('/account/accounts', async (visit) =>
  sendPage(visit, membershipsPage(await shownTo(visit))),
)

export const showApplications = visitPage('/account/applications', async (visit) =>
  sendPage(visit, applicationsPage(await shownTo(visit))),
)

async function shownTo(visit: Visit) {
  const { parts, user, reader, csrf } = visit
  const memberships = await listOwnMemberships(parts.db, user.id)
  return { ...reader, csrf, memberships, notice: noticeOf(visit) }
}

/** Revokes a consent and ends the sessions that depend on it. */
export const submitRevokeConsent = visitForm(
  '/account/applications/revoke',
  async (visit) => {
    const { parts, user, actor, request, reply } = visit
    const { accountId } = (request.body ?? {}) as { accountId?: unknown }
    const userId = user.id
    if (isUuid(accountId))
      await inTransaction(parts.db, async (tx) => {
        const deleted = await deleteConsent(tx, userId, accountId)
        if (!deleted) return
        const { systemId, scopes, claims } = deleted
        await endSessions(tx, actor, { userId, systemId, accountId }, 'logout')
        const target = { type: 'account', id: accountId }
        const changes: AuditEntry['changes'] = {
          scopes: [scopes, null],
          ...(claims.length > 0 && { claims: [claims, null] }),
        }
        await record(tx, actor, { action: 'consent.revoked', target, systemId, accountId, changes })
      })
    return reply.redirect('/account/applications?done=revoked', 303)
  },
  'ordinary',
)

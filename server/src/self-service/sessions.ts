import { inTransaction } from '../database/transaction.ts'
import { endSessions } from '../lifecycle/end-sessions.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { sessionsPage } from '../ui/pages/self-service/sessions.ts'
import { findSystemOf, listOwnSessions } from './queries.ts'
import { noticeOf, sendPage, visitForm, visitPage } from './signed-in.ts'

export const showSessions = visitPage('/account/sessions', async (visit) => {
  const { parts, user, session, reader, csrf } = visit
  const sessions = await listOwnSessions(parts.db, user.id)
  return sendPage(
    visit,
    sessionsPage({ ...reader, csrf, sessions, here: session.uid, notice: noticeOf(visit) }),
  )
})

/** Ends one session of the user, or all of them; this browser stays signed in to /account. */
export const submitEndSessions = visitForm(
  '/account/sessions/end',
  async (visit) => {
    const { parts, user, actor, session, request, reply } = visit
    const { sid, all } = (request.body ?? {}) as { sid?: unknown; all?: unknown }
    const userId = user.id
    await inTransaction(parts.db, async (tx) => {
      const own = ownSignIn(parts.seal, '', session.uid)
      if (all === 'yes') await endSessions(tx, actor, { userId }, 'logout', own)
      const systemId = typeof sid === 'string' && !sid.includes('\0') && (await findSystemOf(tx, userId, sid))
      if (systemId) await endSessions(tx, actor, { sid: String(sid), userId, systemId }, 'logout')
    })
    return reply.redirect('/account/sessions?done=ended', 303)
  },
  'ordinary',
)

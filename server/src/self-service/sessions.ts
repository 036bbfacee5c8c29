import { inTransaction } from '../database/transaction.ts'
import { endBrowser, endSessions } from '../lifecycle/end-sessions.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { type SignedInDevice, sessionsPage } from '../ui/pages/self-service/sessions.ts'
import { findOwnSession, listOwnSessions } from './queries.ts'
import { noticeOf, sendPage, type Visit, visitForm, visitPage } from './signed-in.ts'

export const showSessions = visitPage('/account/sessions', async (visit) => {
  const { parts, user, session, reader, csrf } = visit
  const devices = devicesOf(await listOwnSessions(parts.db, user.id), session.uid)
  return sendPage(visit, sessionsPage({ ...reader, csrf, devices, notice: noticeOf(visit) }))
})

type OwnSession = Awaited<ReturnType<typeof listOwnSessions>>[number]

/**
 * The sessions of one browser together, of which the newest says what the browser is. A session that another
 * user has opened to act for this one is by itself.
 */
function devicesOf(sessions: readonly OwnSession[], here: string): SignedInDevice[] {
  const byBrowser = Map.groupBy(sessions, ({ sid, browserUid, actor }) =>
    browserUid !== null && actor === null ? `browser ${browserUid}` : `session ${sid}`,
  )
  return [...byBrowser.values()].map((all) => {
    const { sid, browserUid, ip, userAgent, actor, reason, createdAt } = all[0]!
    const places = all.map(({ system, account }) => ({ system, account }))
    const isBrowser = browserUid !== null && actor === null
    return { sid, isBrowser, isHere: browserUid === here, ip, userAgent, actor, reason, createdAt, places }
  })
}

/**
 * Ends one session of the user, all of the browser that has a session, or all of them. This browser stays
 * signed in to /account.
 */
export const submitEndSessions = visitForm(
  '/account/sessions/end',
  async (visit) => {
    const { request, reply } = visit
    const { sid, browser, all } = (request.body ?? {}) as Record<string, unknown>
    if (all === 'yes') await endAll(visit)
    if (isSid(browser)) await endOne(visit, browser, true)
    if (isSid(sid)) await endOne(visit, sid, false)
    return reply.redirect('/account/sessions?done=ended', 303)
  },
  'ordinary',
)

const isSid = (given: unknown): given is string => typeof given === 'string' && !given.includes('\0')

const endAll = ({ parts, user, actor, session }: Visit): Promise<number> =>
  inTransaction(parts.db, (tx) =>
    endSessions(tx, actor, { userId: user.id }, 'logout', ownSignIn(parts.seal, '', session.uid)),
  )

/** `withBrowser`: also what else the user has opened in the browser of the session, and its sign-in. */
const endOne = (
  { parts, user, actor, session }: Visit,
  sid: string,
  withBrowser: boolean,
): Promise<unknown> =>
  inTransaction(parts.db, async (tx) => {
    const userId = user.id
    const found = await findOwnSession(tx, userId, sid)
    if (!found) return
    const { systemId, browserUid } = found
    if (!withBrowser || browserUid === null)
      return endSessions(tx, actor, { sid, userId, systemId }, 'logout')
    const { browser } = ownSignIn(parts.seal, '', browserUid)
    return endBrowser(tx, actor, { userId, browserUid }, browserUid === session.uid ? undefined : browser)
  })

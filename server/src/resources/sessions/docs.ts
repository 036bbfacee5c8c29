import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const SESSION = {
  sid: EXAMPLE.session,
  jti: EXAMPLE.session,
  userId: EXAMPLE.user,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  amr: ['pwd', 'otp', 'mfa'],
  actor: null,
  reason: null,
  createdAt: TIME,
  lastSeenAt: TIME,
  expiresAt: '2026-03-16T09:30:00.000Z',
}
const ENDING = `The tokens of a session that has ended are rejected by all endpoints of this server at once. If the
  system has a \`backchannelLogoutUri\`, it receives a logout token (OpenID Connect Back-Channel Logout 1.0). Each session
  causes an event \`session.ended\`. Audit entry for each
  session: \`session.ended\`.`

export const DOCS = docsOf('sessions', {
  listSessions: {
    summary: 'List sessions',
    description: `Returns the active sessions, newest first. A service token receives the sessions of its system, the
      admin of an account those of the account.`,
    success: 'A page of sessions.',
    response: pageWith(SESSION),
  },
  endSession: {
    summary: 'End a session',
    description: `Ends the session that has this \`sid\`, or whose token has this \`jti\`. The \`jti\` of a service token
      ends this token. ${ENDING}`,
    success: 'The session has ended.',
  },
  endUserSessions: {
    summary: 'End the sessions of a user',
    description: `Ends all sessions of the user that are within the reach of the caller. ${ENDING}`,
    success: 'The number of sessions that have ended.',
    response: { ended: 2 },
  },
  endSystemSessions: {
    summary: 'End the sessions of a system',
    description: `Ends all sessions of all users in the system. ${ENDING}`,
    success: 'The number of sessions that have ended.',
    response: { ended: 128 },
  },
})

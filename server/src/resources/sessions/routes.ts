/**
 * Active sessions. Mounted at /admin/sessions, behind the admin guard.
 *
 * A session is identified by its `sid` or by the `jti` of one of its tokens, which starts with it. The `jti`
 * of a service token identifies that token. An ended session is invalid at every endpoint at once, and its
 * browser must authenticate again for that system; sessions in other systems continue.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { EXAMPLE } from '../../http/example.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, PageOf, PageQuery, pathId, Time } from '../../http/schemas.ts'
import { record } from '../../journal/audit/record.ts'
import { endSessions } from '../../lifecycle/end-sessions.ts'
import { findSystem } from '../systems/queries.ts'
import { findUser } from '../users/queries.ts'
import { refuseEarlier } from '../users/system-users.ts'
import { DOCS } from './docs.ts'
import { limitsOf } from './end-queries.ts'
import { type ListedSession, listSessions } from './list.ts'
import { insertRevokedToken } from './queries.ts'
import { EndedSessions } from './schemas.ts'
import { readServiceJti } from './service-tokens.ts'

/** The characters of base64url and of a UUID; 300 exceeds the length of any `jti`. */
const OneSession = Type.Object({
  jti: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,300}$',
    title: 'SessionJti',
    description: 'The `sid` of the session, or the `jti` of one of its tokens.',
    examples: [EXAMPLE.session],
  }),
})

const SessionAnswer = Type.Object(
  {
    sid: Type.String(),
    jti: Type.String({ description: 'The same as `sid`: `endSession` accepts it.' }),
    userId: Id,
    systemId: Id,
    accountId: Id,
    ip: Nullable(Type.String()),
    userAgent: Nullable(Type.String()),
    amr: Type.Array(Type.String(), { description: 'The authentication methods (RFC 8176).' }),
    actor: Nullable(
      Type.Object(
        { id: Id, name: Type.String() },
        { title: 'SessionActor', description: 'The user who acts for the member in this session.' },
      ),
    ),
    reason: Nullable(Type.String({ description: 'Why that user acts for the member.' })),
    createdAt: Time,
    lastSeenAt: Time,
    expiresAt: Time,
  },
  { title: 'Session' },
)

const ANY_AUTHORITY = { authority: ['platform', 'system', 'account'] } as const

const answerOf = (session: ListedSession) => ({
  ...session,
  jti: session.sid,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
})

type Parts = { db: Db; seal: Seal }

const searchSessions = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: DOCS.listSessions },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        userId: Type.Optional(Id),
        systemId: Type.Optional(Id),
        accountId: Type.Optional(Id),
      }),
      response: { 200: PageOf(SessionAnswer, 'SessionList'), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listSessions(db, reachOf(request.caller), { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const endSession = ({ db, seal }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:jti',
    config: { ...ANY_AUTHORITY, docs: DOCS.endSession },
    schema: { params: OneSession, response: { 204: Type.Null(), ...failures('session_not_found') } },
    handler: async (request, reply) => {
      const { jti } = request.params
      const [sid = ''] = jti.split('.')
      await inTransaction(db, async (tx) => {
        const ended = await endSessions(
          tx,
          request.caller.actor,
          { ...limitsOf(reachOf(request.caller)), sid },
          'admin',
        )
        if (ended === 0) await endServiceToken(tx, seal, request.caller, jti)
      })
      return reply.code(204).send(null)
    },
  })

const endSessionsOfUser = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/by-user/:userId',
    config: { ...ANY_AUTHORITY, docs: DOCS.endUserSessions },
    schema: {
      params: Type.Object({ userId: pathId('user') }),
      response: { 200: EndedSessions, ...failures('user_not_found') },
    },
    handler: async (request) => {
      const { userId } = request.params
      const reach = reachOf(request.caller)
      const ended = await inTransaction(db, async (tx) => {
        await findUser(tx, reach, userId)
        const { systemId, accountId } = reach
        if (systemId !== undefined && accountId === undefined) await refuseEarlier(tx, { userId, systemId })
        return endSessions(tx, request.caller.actor, { ...limitsOf(reach), userId }, 'admin')
      })
      return { ended }
    },
  })

const endSessionsOfSystem = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/by-system/:systemId',
    config: { authority: ['platform', 'system'], docs: DOCS.endSystemSessions },
    schema: {
      params: Type.Object({ systemId: pathId('system') }),
      response: { 200: EndedSessions, ...failures('insufficient_authority', 'system_not_found') },
    },
    handler: async (request) => {
      const { systemId } = request.params
      const ended = await inTransaction(db, async (tx) => {
        await findSystem(tx, reachOf(request.caller), systemId)
        return endSessions(tx, request.caller.actor, { systemId }, 'admin')
      })
      return { ended }
    },
  })

export const sessionsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [searchSessions, endSession, endSessionsOfUser, endSessionsOfSystem])

/**
 * Revokes a service token, for a caller that reaches its whole system. Throws `session_not_found` otherwise.
 */
async function endServiceToken(tx: Db, seal: Seal, caller: Caller, jti: string): Promise<void> {
  const token = readServiceJti(seal, jti)
  const reached =
    caller.authority === 'platform' || (caller.authority === 'system' && caller.systemId === token?.systemId)
  if (!token || !reached || !(await insertRevokedToken(tx, jti, token.exp)))
    throw new Failure('session_not_found')
  await record(tx, caller.actor, {
    action: 'service_token.ended',
    target: { type: 'service_token', id: jti },
    systemId: token.systemId,
  })
}

/** The users who have to wait after wrong attempts. Mounted at /admin/limits, behind the admin guard. */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf, scopeOf } from '../../http/authority.ts'
import { CREDENTIALS, clearUserLimits, listUserLimits, SENDERS } from '../../http/limits/users.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, oneOf, timeOf } from '../../http/schemas.ts'
import { record } from '../../journal/audit/record.ts'
import { findUser } from '../users/queries.ts'
import { DOCS } from './docs.ts'

type Parts = { db: Db; seal: Seal }

const Limits = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          userId: Id,
          email: Type.String(),
          credential: oneOf(CREDENTIALS, { description: '`code`: an emailed one.' }),
          from: oneOf(SENDERS, {
            description:
              'Whose attempts are counted: of `all_networks` together, of one `network`, or of one `browser` in which the user has signed in before.',
          }),
          systemId: Nullable(
            Type.String({ format: 'uuid', description: 'The system of the sign-in; null: all systems.' }),
          ),
          attempts: Type.Integer({ description: 'Those that are not forgotten yet.' }),
          until: Nullable(timeOf('When the next attempt is checked; null: at once.')),
        },
        { title: 'UserLimit' },
      ),
    ),
  },
  { title: 'UserLimits' },
)

const CALLERS = {
  authority: ['platform', 'system'],
  reach: { system: 'the attempts at the sign-in to the system, by network or browser' },
} as const

const listLimits = ({ db, seal }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...CALLERS, docs: DOCS.listLimits },
    schema: {
      querystring: Type.Object({ userId: Type.Optional(Id) }),
      response: { 200: Limits, ...failures('invalid_request', 'user_not_found') },
    },
    handler: async (request) => {
      const { userId } = request.query
      const reach = reachOf(request.caller)
      if (userId !== undefined) await findUser(db, reach, userId)
      return { data: await listUserLimits(db, seal, { systemId: reach.systemId, userId }) }
    },
  })

const clearLimits = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/',
    config: { ...CALLERS, docs: DOCS.clearLimits },
    schema: {
      querystring: Type.Object({ userId: Id }),
      response: { 204: Type.Null(), ...failures('invalid_request', 'user_not_found') },
    },
    handler: async (request, reply) => {
      const { userId } = request.query
      const { caller } = request
      const reach = reachOf(caller)
      await inTransaction(db, async (tx) => {
        const { id } = await findUser(tx, reach, userId)
        await clearUserLimits(tx, { systemId: reach.systemId, userId: id })
        const target = { type: 'user', id }
        await record(tx, caller.actor, { action: 'user.limits_cleared', target, systemId: scopeOf(caller) })
      })
      return reply.code(204).send(null)
    },
  })

export const limitsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listLimits, clearLimits])

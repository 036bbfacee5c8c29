/**
 * The second factors of a user, one by one. Mounted at /admin/users/:userId/factors, behind the admin guard.
 * A system reads and removes only those that are valid in it alone. Removing all: resources/credentials.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, oneOf, pathId, Time, timeOf } from '../../http/schemas.ts'
import { removeByAdministrator } from '../../lifecycle/remove-factor.ts'
import { findUser, lockUser } from '../users/queries.ts'
import { OneUser } from '../users/schemas.ts'
import { DOCS } from './docs.ts'
import { findOneFactor, listFactors } from './queries.ts'

const config = {
  authority: ['platform', 'system'],
  reach: { system: 'factors of its users that are valid in the system only' },
} as const

const Factor = Type.Object(
  {
    id: Id,
    kind: oneOf(['totp', 'passkey']),
    name: Nullable(Type.String({ description: 'Of a passkey.' })),
    systemId: Nullable(
      Type.String({ format: 'uuid', description: 'The system in which it is valid; null: everywhere.' }),
    ),
    createdAt: Time,
    lastUsedAt: Nullable(timeOf('Of the last successful use.')),
  },
  { title: 'SecondFactor' },
)

type Parts = { db: Db; seal: Seal }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:userId/factors',
    config: { ...config, docs: DOCS.listUserFactors },
    schema: {
      params: OneUser,
      response: {
        200: Type.Object({ data: Type.Array(Factor) }, { title: 'SecondFactors' }),
        ...failures('user_not_found'),
      },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      const user = await findUser(db, reach, request.params.userId)
      const factors = await listFactors(db, reach, user.id)
      return {
        data: factors.map((factor) => ({
          ...factor,
          createdAt: factor.createdAt.toISOString(),
          lastUsedAt: factor.lastUsedAt?.toISOString() ?? null,
        })),
      }
    },
  })

const remove = ({ db, seal }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:userId/factors/:factorId',
    config: { ...config, docs: DOCS.deleteUserFactor },
    schema: {
      params: Type.Object({ userId: pathId('user'), factorId: pathId('factor') }),
      response: { 204: Type.Null(), ...failures('user_not_found', 'factor_not_found') },
    },
    handler: async (request, reply) => {
      const reach = reachOf(request.caller)
      const { userId, factorId } = request.params
      await inTransaction(db, async (tx) => {
        const user = await lockUser(tx, reach, userId)
        const factor = await findOneFactor(tx, reach, user.id, factorId)
        await removeByAdministrator(tx, seal, request.caller.actor, user.id, factor)
      })
      return reply.code(204).send(null)
    },
  })

export const factorsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, remove])

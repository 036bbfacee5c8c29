/**
 * Operators: users who use the console for the installation or for one system. Mounted at /admin/operators,
 * behind the admin guard. The admins of the platform system need no entry here, and no token contains one.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures, invalid } from '../../errors.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, oneOf, PageOf, PageQuery, pathId, Time } from '../../http/schemas.ts'
import { record } from '../../journal/audit/record.ts'
import { removeOperator } from '../../lifecycle/remove-operator.ts'
import { isOfPlatform } from '../systems/queries.ts'
import { DOCS } from './docs.ts'
import { insertOperator, listOperators, type Operator } from './queries.ts'

const Level = oneOf(['admin', 'viewer'], {
  title: 'OperatorLevel',
  description: '`viewer`: the operator changes nothing.',
})
const Place = Nullable(Type.String({ format: 'uuid', description: 'The system; null: the installation.' }))

const OperatorBody = Type.Object(
  {
    id: Id,
    userId: Id,
    email: Type.String(),
    name: Nullable(Type.String()),
    systemId: Place,
    systemName: Nullable(Type.String()),
    level: Level,
    createdAt: Time,
  },
  { title: 'Operator' },
)

const answerOf = ({ createdAt, ...operator }: Operator) => ({
  ...operator,
  createdAt: createdAt.toISOString(),
})

type Parts = { db: Db }
const PLATFORM = { authority: ['platform'] } as const

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...PLATFORM, docs: DOCS.listOperators },
    schema: {
      querystring: Type.Object(PageQuery),
      response: { 200: PageOf(OperatorBody, 'OperatorList'), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listOperators(db, { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const create = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { ...PLATFORM, docs: DOCS.createOperator },
    schema: {
      body: Type.Object(
        { userId: Id, systemId: Type.Optional(Place), level: Level },
        { title: 'CreateOperator' },
      ),
      response: {
        201: OperatorBody,
        ...failures('invalid_request', 'user_not_found', 'system_not_found', 'operator_exists'),
      },
    },
    handler: async (request, reply) => {
      const { userId, systemId = null, level } = request.body
      if (systemId !== null && (await isOfPlatform(db, [systemId])))
        throw invalid('/systemId', 'must be null for the operators of a platform system')
      const operator = await inTransaction(db, async (tx) => {
        const operator = await insertOperator(tx, { userId, systemId, level })
        await record(tx, request.caller.actor, {
          action: 'operator.created',
          target: { type: 'user', id: operator.userId },
          systemId,
          changes: { level: [null, level] },
        })
        return operator
      })
      return reply.code(201).send(answerOf(operator))
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:operatorId',
    config: { ...PLATFORM, docs: DOCS.deleteOperator },
    schema: {
      params: Type.Object({ operatorId: pathId('operator') }),
      response: { 204: Type.Null(), ...failures('operator_not_found') },
    },
    handler: async (request, reply) => {
      await inTransaction(db, (tx) => removeOperator(tx, request.caller.actor, request.params.operatorId))
      return reply.code(204).send(null)
    },
  })

export const operatorsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, remove])

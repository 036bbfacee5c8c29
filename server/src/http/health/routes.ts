/** Health checks. Public: they contain no data of a user or a system. */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { VERSION } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { addOperations, operation } from '../operation.ts'
import { oneOf } from '../schemas.ts'
import { DOCS } from './docs.ts'
import type { Draining } from './draining.ts'
import { DATABASE_STATES, stateOfDatabase } from './queries.ts'

const State = oneOf(['ok', 'unavailable'])
const Health = Type.Object(
  {
    status: oneOf(['ok', 'unavailable', 'stopping']),
    version: Type.String(),
    checks: Type.Object(
      {
        database: oneOf(DATABASE_STATES, {
          description: '`read_only`: the database answers and refuses writes.',
        }),
      },
      { title: 'HealthChecks' },
    ),
  },
  { title: 'Health' },
)
const Liveness = Type.Object({ status: State }, { title: 'Liveness' })

type Parts = { db: Db; draining: Draining }

const get = ({ db, draining }: Parts) =>
  operation({
    method: 'GET',
    url: '/health',
    config: { authority: 'public', docs: DOCS.getHealth },
    schema: { response: { 200: Health, 503: Health } },
    handler: async (_request, reply) => {
      const database = await stateOfDatabase(db)
      const status = draining.isOn ? 'stopping' : database === 'ok' ? 'ok' : 'unavailable'
      const health = { status, version: VERSION, checks: { database } } as const
      return status === 'ok' ? reply.send(health) : reply.code(503).header('retry-after', '2').send(health)
    },
  })

const getLiveness = () =>
  operation({
    method: 'GET',
    url: '/health/live',
    config: { authority: 'public', docs: DOCS.getLiveness },
    schema: { response: { 200: Liveness } },
    handler: async () => ({ status: 'ok' as const }),
  })

export const healthRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [get, getLiveness])

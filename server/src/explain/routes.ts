/** Why a user cannot sign in. Mounted at /admin/explain, behind the admin guard. */
import type { FastifyPluginAsync } from 'fastify'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failures, invalid } from '../errors.ts'
import { addOperations, operation } from '../http/operation.ts'
import { DOCS } from './docs.ts'
import { explain } from './explanation.ts'
import { ExplainQuery, Explanation } from './schemas.ts'

type Parts = { db: Db; seal: Seal }

const explainSignIn = (parts: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: {
      authority: ['platform', 'system', 'account'],
      docs: DOCS.explainSignIn,
      reach: { account: 'the members of the account, without facts about them outside of it' },
    },
    schema: {
      querystring: ExplainQuery,
      response: { 200: Explanation, ...failures('invalid_request', 'not_found', 'system_not_found') },
    },
    handler: (request) => {
      const { userId, email, requestId, ...rest } = request.query
      const given = [userId, email, requestId].filter((each) => each !== undefined)
      if (given.length !== 1)
        throw invalid('/query/userId', 'must be given, or one of email and requestId; only one of the three')
      const { authority } = request.caller
      if (authority === 'platform' && requestId === undefined && rest.systemId === undefined)
        throw invalid('/query/systemId', 'must be given')
      const named = userId !== undefined ? { userId } : email !== undefined ? { email } : undefined
      return explain(parts, request.caller, { named, requestId, ...rest })
    },
  })

export const explainRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [explainSignIn])

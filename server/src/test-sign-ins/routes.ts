/**
 * Tests of a sign-in without the application (decision 0060). Mounted at
 * /admin/systems/:systemId/test-sign-ins, behind the admin guard.
 */
import type { FastifyPluginAsync } from 'fastify'
import type { Config } from '../config/config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { TestRequest } from '../database/schema.ts'
import { inTransaction } from '../database/transaction.ts'
import { failures, invalid } from '../errors.ts'
import { ofSystem, reachOf } from '../http/authority.ts'
import { addOperations, operation } from '../http/operation.ts'
import { record } from '../journal/audit/record.ts'
import { findSystem, lockContents, type System } from '../resources/systems/queries.ts'
import { findTest, hashTestSecret, insertTestSignIn } from '../resources/test-sign-ins/queries.ts'
import { findUser } from '../resources/users/queries.ts'
import { demandTestable, testAddress } from './address.ts'
import { DOCS } from './docs.ts'
import { answerOf, CreatedTest, CreateTest, InSystem, OneTest, TestSignIn } from './schemas.ts'

type Parts = { db: Db; seal: Seal; config: Config }
const ADMINS = { authority: ['platform', 'system'] } as const

/** Throws `invalid_request` for a scope that the system may not request. */
function scopeOf(asked: string | undefined, { allowedScopes }: System): string {
  const scopes = asked?.split(' ').filter(Boolean) ?? allowedScopes
  if (!scopes.includes('openid') || scopes.some((scope) => !allowedScopes.includes(scope)))
    throw invalid('/scope', 'must contain openid, and only scopes that the system allows')
  return scopes.join(' ')
}

const create = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { ...ADMINS, docs: DOCS.createTestSignIn },
    schema: {
      params: InSystem,
      body: CreateTest,
      response: {
        201: CreatedTest,
        ...failures(
          'invalid_request',
          'system_not_found',
          'account_not_found',
          'user_not_found',
          'sign_in_not_testable',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params: { systemId }, body }, reply) => {
      const { accountId = null, acr = null, prompt = null, forUserId = null } = body
      const secret = randomToken()
      const { actor } = caller
      const created = await inTransaction(db, async (tx) => {
        const system = await lockContents(tx, reachOf(caller), systemId)
        demandTestable(system)
        const user = forUserId === null ? undefined : await findUser(tx, ofSystem(system.id), forUserId)
        const request: TestRequest = { scope: scopeOf(body.scope, system), acr, prompt, forUserId }
        const test = await insertTestSignIn(tx, {
          systemId: system.id,
          secretHash: hashTestSecret(seal, secret),
          accountId,
          userId: forUserId,
          request,
          createdBy: actor.type === 'user' ? actor.id : null,
        })
        await record(tx, actor, {
          action: 'test_sign_in.created',
          target: { type: 'test_sign_in', id: test.id },
          systemId: system.id,
          accountId,
          ...(forUserId !== null && { changes: { forUserId: [null, forUserId] } }),
        })
        const asked = { ...request, accountId, email: user?.email }
        return {
          id: test.id,
          expiresAt: test.expiresAt,
          url: testAddress(config.BASE_URL, system, asked, secret),
        }
      })
      return reply.code(201).send({ ...created, expiresAt: created.expiresAt.toISOString() })
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:testSignInId',
    config: { ...ADMINS, docs: DOCS.getTestSignIn },
    schema: {
      params: OneTest,
      response: { 200: TestSignIn, ...failures('system_not_found', 'test_sign_in_not_found') },
    },
    handler: async ({ caller, params: { systemId, testSignInId } }) => {
      const { id } = await findSystem(db, reachOf(caller), systemId)
      return answerOf(await findTest(db, id, testSignInId))
    },
  })

export const testSignInsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [create, get])

/**
 * Service accounts of an account, and their keys. Mounted at /admin/accounts/:accountId/service-accounts,
 * behind the admin guard. The admin of an account reaches those of the account.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { demandVersion } from '../../http/versions.ts'
import { findAccount } from '../accounts/queries.ts'
import {
  changeServiceAccount,
  createKey,
  createServiceAccount,
  removeServiceAccount,
  revokeKey,
} from './changes.ts'
import { DOCS } from './docs.ts'
import {
  findServiceAccount,
  listServiceAccountKeys,
  listServiceAccounts,
  lockServiceAccount,
} from './queries.ts'
import {
  answerOf,
  CreatedKey,
  KeyBody,
  keyOf,
  OfAccount,
  OneKey,
  OneServiceAccount,
  ServiceAccountAnswer,
  ServiceAccountBody,
  ServiceAccountList,
  ServiceAccountPatch,
} from './schemas.ts'

type Parts = { db: Db; seal: Seal }

const ANY_AUTHORITY = { authority: ['platform', 'system', 'account'] } as const
const UNRESERVED = {
  account: 'its own account; not for a service account with a role that it cannot assign',
} as const

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: DOCS.listServiceAccounts },
    schema: {
      params: OfAccount,
      response: { 200: ServiceAccountList, ...failures('account_not_found') },
    },
    handler: async ({ caller, params }) => {
      const { id } = await findAccount(db, reachOf(caller), params.accountId)
      const [found, keys] = await Promise.all([listServiceAccounts(db, id), listServiceAccountKeys(db, id)])
      return found.map((each) => answerOf(each, keys.get(each.id)))
    },
  })

const create = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: DOCS.createServiceAccount },
    schema: {
      params: OfAccount,
      body: ServiceAccountBody,
      response: {
        201: ServiceAccountAnswer,
        ...failures(
          'invalid_request',
          'role_not_in_system',
          'insufficient_authority',
          'account_not_found',
          'not_organization',
          'service_accounts_not_allowed',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params, body }, reply) => {
      const created = await inTransaction(db, (tx) =>
        createServiceAccount(tx, caller, params.accountId, body),
      )
      return reply.code(201).send(answerOf(created))
    },
  })

const read = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:serviceAccountId',
    config: { ...ANY_AUTHORITY, docs: DOCS.getServiceAccount },
    schema: {
      params: OneServiceAccount,
      response: { 200: ServiceAccountAnswer, ...failures('service_account_not_found') },
    },
    handler: async ({ caller, params: { accountId, serviceAccountId: id } }) => {
      const found = await findServiceAccount(db, reachOf(caller), { accountId, id })
      return answerOf(found, (await listServiceAccountKeys(db, accountId, id)).get(id))
    },
  })

const update = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:serviceAccountId',
    config: { ...ANY_AUTHORITY, reach: UNRESERVED, docs: DOCS.updateServiceAccount },
    schema: {
      params: OneServiceAccount,
      body: ServiceAccountPatch,
      response: {
        200: ServiceAccountAnswer,
        ...failures(
          'invalid_request',
          'role_not_in_system',
          'insufficient_authority',
          'service_account_not_found',
          'service_accounts_not_allowed',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params: { accountId, serviceAccountId: id }, body }, reply) =>
      inTransaction(db, async (tx) => {
        const before = await lockServiceAccount(tx, reachOf(caller), { accountId, id })
        const keys = (await listServiceAccountKeys(tx, accountId, id)).get(id)
        demandVersion(reply, answerOf(before, keys))
        return answerOf(await changeServiceAccount(tx, caller, before, body), keys)
      }),
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:serviceAccountId',
    config: { ...ANY_AUTHORITY, reach: UNRESERVED, docs: DOCS.deleteServiceAccount },
    schema: {
      params: OneServiceAccount,
      response: {
        204: Type.Null(),
        ...failures('insufficient_authority', 'service_account_not_found'),
      },
    },
    handler: async ({ caller, params: { accountId, serviceAccountId: id } }, reply) => {
      await inTransaction(db, (tx) => removeServiceAccount(tx, caller, { accountId, id }))
      return reply.code(204).send(null)
    },
  })

const addKey = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:serviceAccountId/keys',
    config: { ...ANY_AUTHORITY, reach: UNRESERVED, docs: DOCS.createServiceAccountKey },
    schema: {
      params: OneServiceAccount,
      body: KeyBody,
      response: {
        201: CreatedKey,
        ...failures(
          'invalid_request',
          'insufficient_user_authentication',
          'insufficient_authority',
          'service_account_not_found',
          'service_accounts_not_allowed',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params: { accountId, serviceAccountId: id }, body }, reply) => {
      const { key, secret } = await inTransaction(db, (tx) =>
        createKey(tx, seal, caller, { accountId, id }, body.expiresIn ?? null),
      )
      return reply.code(201).send({ ...keyOf(key), secret })
    },
  })

const endKey = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:serviceAccountId/keys/:keyId',
    config: { ...ANY_AUTHORITY, docs: DOCS.revokeServiceAccountKey },
    schema: {
      params: OneKey,
      response: {
        204: Type.Null(),
        ...failures('service_account_not_found', 'service_account_key_not_found'),
      },
    },
    handler: async ({ caller, params: { accountId, serviceAccountId: id, keyId } }, reply) => {
      await inTransaction(db, (tx) => revokeKey(tx, caller, { accountId, id }, keyId))
      return reply.code(204).send(null)
    },
  })

export const serviceAccountsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, read, update, remove, addKey, endKey])

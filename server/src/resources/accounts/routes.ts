/**
 * Accounts, behind the admin guard: those of a system at /admin/systems/:systemId/accounts, one at
 * /admin/accounts/:accountId. memberships/ creates an account with its first membership, and lists its
 * members. Renaming requires authority over the system; the administrator of an account only reads it.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Name, NameSearch, oneOf, PageOf, PageQuery, pageOf, pathId, Time } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../audit/record.ts'
import { findSystem } from '../systems/queries.ts'
import { DOCS } from './docs.ts'
import { enqueueAccounts } from './event.ts'
import { type Account, findAccount, listAccounts, lockAccount, updateAccount } from './queries.ts'

const OneAccount = Type.Object({ accountId: pathId('account') })

const AccountAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    name: Type.String(),
    kind: oneOf(['personal', 'organization'], {
      title: 'AccountKind',
      description: 'Whether the account is the personal one of a user.',
    }),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Account' },
)
const ListedAccount = Type.Object(
  {
    ...AccountAnswer.properties,
    memberCount: Type.Integer({ description: 'The number of memberships of any status.' }),
  },
  { title: 'ListedAccount' },
)

const answerOf = <A extends Account>({ personalOf, ...account }: A) => ({
  ...account,
  createdAt: account.createdAt.toISOString(),
  updatedAt: account.updatedAt.toISOString(),
})

type Parts = { db: Db }

const listSystemAccounts = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.listAccounts },
    schema: {
      params: Type.Object({ systemId: pathId('system') }),
      querystring: Type.Object({ ...PageQuery, search: Type.Optional(NameSearch) }),
      response: {
        200: PageOf(ListedAccount, 'AccountList'),
        ...failures('invalid_request', 'system_not_found'),
      },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      const { id } = await findSystem(db, reach, request.params.systemId)
      const { rows, total } = await listAccounts(db, reach, id, request.query)
      return pageOf(request.query, rows.map(answerOf), total)
    },
  })

export const systemAccountsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listSystemAccounts])

const readAccount = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:accountId',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.getAccount },
    schema: { params: OneAccount, response: { 200: AccountAnswer, ...failures('account_not_found') } },
    handler: async (request) =>
      answerOf(await findAccount(db, reachOf(request.caller), request.params.accountId)),
  })

const changeAccount = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:accountId',
    config: { authority: ['platform', 'system'], docs: DOCS.updateAccount },
    schema: {
      params: OneAccount,
      body: Type.Object({ name: Type.Optional(Name) }, { title: 'UpdateAccount' }),
      response: { 200: AccountAnswer, ...failures('invalid_request', 'account_not_found') },
    },
    handler: async (request, reply) => {
      const { actor } = request.caller
      const account = await inTransaction(db, async (tx) => {
        const before = await lockAccount(tx, reachOf(request.caller), request.params.accountId)
        demandVersion(reply, answerOf(before))
        const changes = difference(before, { ...before, ...request.body })
        if (Object.keys(changes).length === 0) return before
        const after = await updateAccount(tx, before.id, request.body)
        await enqueueAccounts(tx, actor, 'account.updated', after)
        await record(tx, actor, {
          action: 'account.updated',
          target: { type: 'account', id: after.id },
          systemId: after.systemId,
          accountId: after.id,
          changes,
        })
        return after
      })
      return answerOf(account)
    },
  })

export const accountsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [readAccount, changeAccount])

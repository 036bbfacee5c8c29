/**
 * Accounts, behind the admin guard: those of a system at /admin/systems/:systemId/accounts, all and one of
 * them at /admin/accounts. memberships/ also creates an account, with its first membership, and lists its
 * members. Most changes require authority over the system; the administrator of an account reads it and
 * changes its name and settings.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Name, Nullable, PageOf, PageQuery, pathId } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { type AccountPatch, changeAccount, lockToChange } from '../../lifecycle/change-account.ts'
import { removeAccount } from '../../lifecycle/remove-account.ts'
import { findSystem, lockContents } from '../systems/queries.ts'
import { keepLogo } from './branding.ts'
import { DOCS } from './docs.ts'
import { recordCreated, recordPrivate } from './event.ts'
import {
  type Account,
  countAdmins,
  findAccount,
  insertEmptyAccount,
  listAccounts,
  requiresMfa,
  requiresSso,
  statusOf,
} from './queries.ts'
import {
  AcceptOtherAddress,
  AccountAnswer,
  AccountKind,
  AccountSummary,
  answerOf,
  demandBytes,
  demandKnown,
  ExternalId,
  ListedAccountAnswer,
  MembersVisible,
  Metadata,
  NameOrIdSearch,
  OneAccount,
  OrganizationBranding,
  RequireMfa,
  SsoRequired,
  SsoSelfService,
  Status,
} from './schemas.ts'

type Parts = { db: Db }

const listSystemAccounts = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.listAccounts },
    schema: {
      params: Type.Object({ systemId: pathId('system') }),
      querystring: Type.Object({
        ...PageQuery,
        search: Type.Optional(NameOrIdSearch),
        externalId: Type.Optional(ExternalId),
      }),
      response: {
        200: PageOf(ListedAccountAnswer, 'AccountList'),
        ...failures('invalid_request', 'system_not_found'),
      },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      if (request.caller.authority === 'account' && request.query.externalId !== undefined)
        throw invalid('/query/externalId', 'is not a parameter')
      const { id } = await findSystem(db, reach, request.params.systemId)
      const page = pageRequestOf(request)
      const listed = await listAccounts(db, reach, { ...request.query, ...page, systemId: id })
      return pageOf(
        page,
        listed,
        listed.rows.map((row) => answerOf(request.caller, row)),
      )
    },
  })

const createAccount = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.createAccount },
    schema: {
      params: Type.Object({ systemId: pathId('system') }),
      body: Type.Object(
        { name: Name, metadata: Type.Optional(Metadata), externalId: Type.Optional(ExternalId) },
        { title: 'CreateAccount' },
      ),
      response: {
        201: AccountAnswer,
        ...failures('invalid_request', 'system_not_found', 'limit_reached', 'external_id_taken'),
      },
    },
    handler: async (request, reply) => {
      demandBytes(request.body.externalId, '/externalId')
      const account = await inTransaction(db, async (tx) => {
        const system = await lockContents(tx, reachOf(request.caller), request.params.systemId)
        if (!system.multiAccount)
          throw new Failure('invalid_request', {
            detail:
              'A system without multiAccount has personal accounts only: createMembership creates them.',
          })
        const created = await insertEmptyAccount(tx, system.id, request.body)
        await recordCreated(tx, request.caller.actor, created)
        await recordPrivate(tx, request.caller.actor, { metadata: {}, externalId: null }, created)
        return created
      })
      return reply
        .code(201)
        .header('location', `/admin/accounts/${account.id}`)
        .send(answerOf(request.caller, account))
    },
  })

export const systemAccountsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listSystemAccounts, createAccount])

const listAllAccounts = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listAllAccounts },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        search: Type.Optional(NameOrIdSearch),
        systemId: Type.Optional(Id),
        kind: Type.Optional(AccountKind),
        status: Type.Optional(Status),
        externalId: Type.Optional(ExternalId),
        withoutAdmin: Type.Optional(
          Type.Boolean({ description: 'If true, returns only organizations without an active admin.' }),
        ),
      }),
      response: { 200: PageOf(AccountSummary, 'AccountSummaryList'), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      const page = pageRequestOf(request)
      const listed = await listAccounts(db, reach, { ...request.query, ...page })
      const numbers = await countAdmins(
        db,
        reach,
        listed.rows.map(({ id }) => id),
      )
      const none = { adminCount: 0, pendingCount: 0 }
      const data = listed.rows.map((row) => ({
        ...answerOf(request.caller, row),
        ...(numbers.get(row.id) ?? none),
      }))
      return pageOf(page, listed, data)
    },
  })

const readAccount = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:accountId',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.getAccount },
    schema: { params: OneAccount, response: { 200: AccountAnswer, ...failures('account_not_found') } },
    handler: async (request) =>
      answerOf(request.caller, await findAccount(db, reachOf(request.caller), request.params.accountId)),
  })

/**
 * A body with `suspendedBy` is an account that was read and is sent back: its `status` is a decision only if
 * it differs. The same is true of `requireMfaBy` and `ssoRequiredBy`.
 */
function decisionsIn<Body extends AccountPatch>(
  { readOnly, body }: { readOnly: object; body: Body },
  before: Account,
): Body {
  const isRead = (by: string, isSame: boolean) => isSame && Object.hasOwn(readOnly, by)
  return {
    ...body,
    ...(isRead('suspendedBy', body.status === statusOf(before)) && { status: undefined }),
    ...(isRead('requireMfaBy', body.requireMfa === requiresMfa(before)) && { requireMfa: undefined }),
    ...(isRead('ssoRequiredBy', body.ssoRequired === requiresSso(before)) && { ssoRequired: undefined }),
  }
}

const patchAccount = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:accountId',
    config: {
      authority: ['platform', 'system', 'account'],
      reach: {
        account:
          'its own account, if it is an organization; `ssoRequired` where it sets up single sign-on; not `status`, `ssoSelfService`, `metadata` and `externalId`',
      },
      docs: DOCS.updateAccount,
    },
    schema: {
      params: OneAccount,
      body: Type.Object(
        {
          name: Type.Optional(Name),
          membersVisible: Type.Optional(MembersVisible),
          acceptOtherAddress: Type.Optional(AcceptOtherAddress),
          status: Type.Optional(Status),
          requireMfa: Type.Optional(RequireMfa),
          ssoRequired: Type.Optional(SsoRequired),
          ssoSelfService: Type.Optional(SsoSelfService),
          branding: Type.Optional(OrganizationBranding),
          metadata: Type.Optional(Metadata),
          externalId: Type.Optional(Nullable(ExternalId)),
        },
        { title: 'UpdateAccount' },
      ),
      response: {
        200: AccountAnswer,
        ...failures(
          'invalid_request',
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'account_not_found',
          'not_organization',
          'platform_system',
          'connection_required',
          'external_id_taken',
        ),
      },
    },
    handler: async (request, reply) => {
      demandKnown(request.caller, request.body)
      const account = await inTransaction(db, async (tx) => {
        const before = await lockToChange(tx, request.caller, request.params.accountId, request.body)
        demandVersion(reply, answerOf(request.caller, before))
        if (request.body.branding) await keepLogo(tx, before, request.body.branding)
        return changeAccount(tx, request.caller, before, decisionsIn(request, before))
      })
      return answerOf(request.caller, account)
    },
  })

const deleteOne = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:accountId',
    config: { authority: ['platform', 'system'], docs: DOCS.deleteAccount },
    schema: {
      params: OneAccount,
      response: {
        204: Type.Null(),
        ...failures('insufficient_authority', 'account_not_found', 'platform_system'),
      },
    },
    handler: async (request, reply) => {
      const { caller, params } = request
      await inTransaction(db, (tx) => removeAccount(tx, caller, params.accountId))
      return reply.code(204).send(null)
    },
  })

export const accountsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listAllAccounts, readAccount, patchAccount, deleteOne])

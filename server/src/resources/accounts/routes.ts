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
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Name, NameSearch, Nullable, oneOf, PageOf, PageQuery, pathId, Time } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { changeAccount } from '../../lifecycle/change-account.ts'
import { removeAccount } from '../../lifecycle/remove-account.ts'
import { findSystem, lockContents } from '../systems/queries.ts'
import { DOCS } from './docs.ts'
import { recordCreated, recordPrivate } from './event.ts'
import {
  type Account,
  countAdmins,
  findAccount,
  insertEmptyAccount,
  listAccounts,
  lockAccount,
  lockAgainstSignIns,
  type PrivateFields,
  requiresMfa,
  statusOf,
} from './queries.ts'

/** In bytes. */
const METADATA_MAX = 10_240
const EXTERNAL_ID_MAX = 255

const OneAccount = Type.Object({ accountId: pathId('account') })

const Kind = oneOf(['personal', 'organization'], {
  title: 'AccountKind',
  description: 'Whether the account is the personal one of a user.',
})
const MembersVisible = Type.Boolean({
  description:
    'Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true.',
})
const AcceptOtherAddress = Type.Boolean({
  description:
    'Whether the user of another verified address can accept an emailed invitation. Default: false.',
})
const Status = oneOf(['active', 'suspended'], {
  title: 'AccountStatus',
  description:
    'The members and service accounts of a suspended account get no access. Only the system and the platform suspend an organization.',
})
const SuspendedBy = Type.Array(
  oneOf(['platform', 'system'], { description: 'An authority that can suspend an account.' }),
  {
    description:
      'The authority that has suspended the account: a lower one cannot resume it. Empty unless it is suspended.',
  },
)
const RequireMfa = Type.Boolean({
  description: 'Whether a sign-in of a member to the account requires a second factor.',
})
const RequireMfaBy = Type.Array(
  oneOf(['platform', 'system', 'account'], { description: 'An authority that can require a second factor.' }),
  {
    description:
      'The authority that requires the second factor: a lower one cannot undo it. Empty unless it is required.',
  },
)
/** Of the system and the platform: an answer to the admin of an account has neither. */
const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  'x-bytes': METADATA_MAX,
  'x-message': 'must have at most 10,240 bytes',
  description:
    'Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it.',
})
const ExternalId = Type.String({
  minLength: 1,
  maxLength: EXTERNAL_ID_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  description:
    'The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it.',
})

/** Bytes of UTF-8, which the schema counts as characters. */
function demandBytes(externalId: string | null | undefined, path: string): void {
  if (externalId && Buffer.byteLength(externalId) > EXTERNAL_ID_MAX)
    throw invalid(path, `must have at most ${EXTERNAL_ID_MAX} bytes`)
}

/** For a caller who can't read them, the fields do not exist. */
function demandKnown({ authority }: Caller, given: PrivateFields): void {
  for (const field of ['metadata', 'externalId'] as const)
    if (authority === 'account' && given[field] !== undefined) throw invalid(`/${field}`, 'is not a field')
  demandBytes(given.externalId, '/externalId')
}

const AccountAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    name: Type.String(),
    kind: Kind,
    status: Status,
    suspendedBy: SuspendedBy,
    requireMfa: RequireMfa,
    requireMfaBy: RequireMfaBy,
    membersVisible: MembersVisible,
    acceptOtherAddress: AcceptOtherAddress,
    metadata: Type.Optional(Metadata),
    externalId: Type.Optional(Nullable(ExternalId)),
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

const AccountSummary = Type.Object(
  {
    ...ListedAccount.properties,
    adminCount: Type.Integer({ description: 'The number of active admins who are not disabled.' }),
    pendingCount: Type.Integer({ description: 'The number of pending memberships.' }),
  },
  { title: 'AccountSummary' },
)

const answerOf = <A extends Account>(
  { authority }: Pick<Caller, 'authority'>,
  { personalOf, awaitsMember, metadata, externalId, ...account }: A,
) => ({
  ...account,
  ...(authority !== 'account' && { metadata, externalId }),
  status: statusOf(account),
  requireMfa: requiresMfa(account),
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
      querystring: Type.Object({
        ...PageQuery,
        search: Type.Optional(NameSearch),
        externalId: Type.Optional(ExternalId),
      }),
      response: {
        200: PageOf(ListedAccount, 'AccountList'),
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
        search: Type.Optional(NameSearch),
        systemId: Type.Optional(Id),
        kind: Type.Optional(Kind),
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

const patchAccount = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:accountId',
    config: {
      authority: ['platform', 'system', 'account'],
      reach: {
        account: 'its own account, if it is an organization; not `status`, `metadata` and `externalId`',
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
          metadata: Type.Optional(Metadata),
          externalId: Type.Optional(Nullable(ExternalId)),
        },
        { title: 'UpdateAccount' },
      ),
      response: {
        200: AccountAnswer,
        ...failures(
          'invalid_request',
          'insufficient_authority',
          'account_not_found',
          'not_organization',
          'platform_system',
          'external_id_taken',
        ),
      },
    },
    handler: async (request, reply) => {
      demandKnown(request.caller, request.body)
      const account = await inTransaction(db, async (tx) => {
        const lock = request.body.status === 'suspended' ? lockAgainstSignIns : lockAccount
        const before = await lock(tx, reachOf(request.caller), request.params.accountId)
        demandVersion(reply, answerOf(request.caller, before))
        return changeAccount(tx, request.caller, before, request.body)
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

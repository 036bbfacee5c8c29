/**
 * Connections of an organization to its identity providers, and their links to members. Mounted at
 * /admin/accounts/:accountId/connections, behind the admin guard. resources/domains/rights.ts decides who
 * sets them up; the admin of an account reads those of the account.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { PageQuery } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import {
  changeConnection,
  endConnectionSessions,
  removeConnection,
} from '../../lifecycle/change-connection.ts'
import { unlinkAll, unlinkMember } from '../../lifecycle/unlink.ts'
import type { SamlReader } from '../../saml/reader.ts'
import { findAccount } from '../accounts/queries.ts'
import { EndedSessions } from '../sessions/schemas.ts'
import { listAttempts } from './attempts.ts'
import { createConnection } from './changes.ts'
import { DOCS } from './docs.ts'
import { importLinks } from './import-links.ts'
import { listLinks } from './links.ts'
import { findConnection, listConnections, lockConnection } from './queries.ts'
import { type ReadMetadata, readingAfter } from './saml.ts'
import {
  AttemptAnswer,
  answerOf,
  attemptOf,
  ConnectionAnswer,
  ConnectionsOf,
  CreateConnection,
  ForcedEnd,
  ImportLinks,
  LinkList,
  LinkResults,
  linkOf,
  OneConnection,
  OneMember,
  patchOf,
  TestAnswer,
  UpdateConnection,
} from './schemas.ts'
import { demandReading, requestTest } from './test.ts'

type Parts = { db: Db; seal: Seal; config: Config; saml: SamlReader }

const ANY = { authority: ['platform', 'system', 'account'] } as const
const SETUP = {
  ...ANY,
  reach: {
    account:
      'its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`; not `reservedRoles` and `mfa`',
  },
} as const
const OF_ITS_RANK = {
  ...ANY,
  reach: { account: `${SETUP.reach.account}; not what the system or the platform has set up` },
} as const

const ENDING = {
  ...ANY,
  reach: { account: 'its own account; not what the system or the platform has set up' },
} as const

const keyOf = ({ accountId, connectionId: id }: { accountId: string; connectionId: string }) => ({
  accountId,
  id,
})

const list = ({ db, config }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY, docs: DOCS.listConnections },
    schema: {
      params: ConnectionsOf,
      response: { 200: Type.Array(ConnectionAnswer), ...failures('account_not_found') },
    },
    handler: async ({ caller, params }) => {
      const { id } = await findAccount(db, reachOf(caller), params.accountId)
      return (await listConnections(db, id)).map((each) => answerOf(config, each))
    },
  })

/** Reads metadata for those who may set up the connection only. */
const readingFor = (
  { db, seal, saml }: Parts,
  caller: Caller,
  of: { accountId: string; id?: string },
): ReadMetadata => readingAfter(saml, () => inTransaction(db, (tx) => demandReading(tx, seal, caller, of)))

/** 1.3 MB, in bytes: metadata of 1 MB as a text of JSON. */
const METADATA_BODY_MAX = 1_300_000

const create = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    bodyLimit: METADATA_BODY_MAX,
    config: { ...SETUP, docs: DOCS.createConnection },
    schema: {
      params: ConnectionsOf,
      body: CreateConnection,
      response: {
        201: ConnectionAnswer,
        ...failures(
          'invalid_request',
          'issuer_multi_tenant',
          'metadata_invalid',
          'too_many_requests',
          'role_not_in_system',
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'saml_disabled',
          'account_not_found',
          'not_organization',
          'platform_system',
          'connection_exists',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params, body }, reply) => {
      const given = await patchOf(parts.config, body, readingFor(parts, caller, params))
      const created = await inTransaction(parts.db, (tx) =>
        createConnection(tx, parts, caller, params.accountId, given),
      )
      return reply.code(201).send(answerOf(parts.config, created))
    },
  })

const read = ({ db, config }: Parts) =>
  operation({
    method: 'GET',
    url: '/:connectionId',
    config: { ...ANY, docs: DOCS.getConnection },
    schema: {
      params: OneConnection,
      response: { 200: ConnectionAnswer, ...failures('connection_not_found') },
    },
    handler: async ({ caller, params }) =>
      answerOf(config, await findConnection(db, reachOf(caller), keyOf(params))),
  })

const update = (parts: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:connectionId',
    bodyLimit: METADATA_BODY_MAX,
    config: { ...OF_ITS_RANK, docs: DOCS.updateConnection },
    schema: {
      params: OneConnection,
      querystring: ForcedEnd,
      body: UpdateConnection,
      response: {
        200: ConnectionAnswer,
        ...failures(
          'invalid_request',
          'issuer_multi_tenant',
          'metadata_invalid',
          'too_many_requests',
          'role_not_in_system',
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'saml_disabled',
          'connection_not_found',
          'connection_exists',
          'connection_fixed',
          'connection_untested',
          'connection_required',
        ),
      },
    },
    handler: async ({ caller, params, query, body }, reply) => {
      const patch = await patchOf(parts.config, body, readingFor(parts, caller, keyOf(params)))
      return inTransaction(parts.db, async (tx) => {
        const before = await lockConnection(tx, reachOf(caller), keyOf(params), query)
        demandVersion(reply, answerOf(parts.config, before))
        return answerOf(parts.config, await changeConnection(tx, parts, caller, before, patch, query))
      })
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:connectionId',
    config: { ...ENDING, docs: DOCS.deleteConnection },
    schema: {
      params: OneConnection,
      querystring: ForcedEnd,
      response: {
        204: Type.Null(),
        ...failures(
          'insufficient_user_authentication',
          'insufficient_authority',
          'connection_not_found',
          'connection_required',
        ),
      },
    },
    handler: async ({ caller, params, query }, reply) => {
      await inTransaction(db, (tx) => removeConnection(tx, caller, keyOf(params), query))
      return reply.code(204).send(null)
    },
  })

const test = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:connectionId/test',
    config: { ...OF_ITS_RANK, docs: DOCS.testConnection },
    schema: {
      params: OneConnection,
      response: {
        200: TestAnswer,
        ...failures(
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'saml_disabled',
          'connection_not_found',
          'connection_incomplete',
          'too_many_requests',
        ),
      },
    },
    handler: async ({ caller, params }) => {
      const { testUrl, expiresAt } = await inTransaction(parts.db, (tx) =>
        requestTest(tx, parts, caller, keyOf(params)),
      )
      return { testUrl, expiresAt: expiresAt.toISOString() }
    },
  })

const attempts = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:connectionId/attempts',
    config: { ...ANY, docs: DOCS.listConnectionAttempts },
    schema: {
      params: OneConnection,
      response: { 200: Type.Array(AttemptAnswer), ...failures('connection_not_found') },
    },
    handler: async ({ caller, params }) => {
      const { id } = await findConnection(db, reachOf(caller), keyOf(params))
      return (await listAttempts(db, id)).map(attemptOf)
    },
  })

const endSessions = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:connectionId/sessions',
    config: { ...ENDING, docs: DOCS.endConnectionSessions },
    schema: {
      params: OneConnection,
      response: { 200: EndedSessions, ...failures('insufficient_authority', 'connection_not_found') },
    },
    handler: async ({ caller, params }) => ({
      ended: await inTransaction(db, (tx) => endConnectionSessions(tx, caller, keyOf(params))),
    }),
  })

const links = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:connectionId/links',
    config: { ...ANY, docs: DOCS.listConnectionLinks },
    schema: {
      params: OneConnection,
      querystring: Type.Object({ ...PageQuery }),
      response: { 200: LinkList, ...failures('invalid_request', 'connection_not_found') },
    },
    handler: async (request) => {
      const { id } = await findConnection(db, reachOf(request.caller), keyOf(request.params))
      const page = pageRequestOf(request)
      const listed = await listLinks(db, id, page)
      return pageOf(page, listed, listed.rows.map(linkOf))
    },
  })

/** 512 kB, in bytes: a thousand subjects of the greatest length. */
const LINKS_BODY_MAX = 524_288

const link = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/:connectionId/links',
    bodyLimit: LINKS_BODY_MAX,
    config: { authority: ['platform', 'system'], share: 'long', docs: DOCS.importConnectionLinks },
    schema: {
      params: OneConnection,
      body: ImportLinks,
      response: {
        200: LinkResults,
        ...failures(
          'invalid_request',
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'connection_not_found',
        ),
      },
    },
    handler: async ({ caller, params, body }) => ({
      results: await inTransaction(db, (tx) => importLinks(tx, caller, keyOf(params), body.links)),
    }),
  })

const unlink = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:connectionId/links',
    config: { ...ENDING, docs: DOCS.deleteConnectionLinks },
    schema: {
      params: OneConnection,
      response: {
        204: Type.Null(),
        ...failures('insufficient_user_authentication', 'insufficient_authority', 'connection_not_found'),
      },
    },
    handler: async ({ caller, params }, reply) => {
      await inTransaction(db, (tx) => unlinkAll(tx, caller, keyOf(params)))
      return reply.code(204).send(null)
    },
  })

export const connectionsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [
    ...[list, create, read, update, remove],
    ...[test, attempts, endSessions],
    ...[links, link, unlink],
  ])

/** The links of one member. Mounted at /admin/accounts/:accountId/members. */
const unlinkOne = ({ db }: Pick<Parts, 'db'>) =>
  operation({
    method: 'DELETE',
    url: '/:membershipId/link',
    config: { ...ANY, docs: DOCS.deleteMemberLink },
    schema: {
      params: OneMember,
      response: {
        204: Type.Null(),
        ...failures('insufficient_user_authentication', 'insufficient_authority', 'membership_not_found'),
      },
    },
    handler: async ({ caller, params }, reply) => {
      await inTransaction(db, (tx) => unlinkMember(tx, caller, params))
      return reply.code(204).send(null)
    },
  })

export const memberLinkRoutes: FastifyPluginAsync<Pick<Parts, 'db'>> = async (app, parts) =>
  addOperations(app, parts, [unlinkOne])

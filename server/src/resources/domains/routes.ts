/**
 * Domains of an organization. Mounted at /admin/accounts/:accountId/domains, behind the admin guard. The
 * admin of an account reads those of the account; rights.ts decides who sets them up.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { demandVersion } from '../../http/versions.ts'
import { findAccount } from '../accounts/queries.ts'
import { addDomain, changeDomain, removeDomain, requestCheck } from './changes.ts'
import { DOCS } from './docs.ts'
import { findDomain, listDomains, lockDomain } from './queries.ts'
import { answerOf, DomainAnswer, DomainBody, DomainsOf, OneDomain, UpdateDomain } from './schemas.ts'

type Parts = { db: Db; seal: Seal; config: Config }

const ANY = { authority: ['platform', 'system', 'account'] } as const
const SETUP = {
  ...ANY,
  reach: {
    account:
      'its own account, if `organizationSso` of the system is `account` or the account has `ssoSelfService`',
  },
} as const
const OF_ITS_RANK = {
  ...ANY,
  reach: { account: `${SETUP.reach.account}; not what the system or the platform has added` },
} as const

const keyOf = ({ accountId, domainId: id }: { accountId: string; domainId: string }) => ({ accountId, id })

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY, docs: DOCS.listDomains },
    schema: {
      params: DomainsOf,
      response: { 200: Type.Array(DomainAnswer), ...failures('account_not_found') },
    },
    handler: async ({ caller, params }) => {
      const { id } = await findAccount(db, reachOf(caller), params.accountId)
      return (await listDomains(db, id)).map(answerOf)
    },
  })

const add = ({ db, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { ...SETUP, docs: DOCS.addDomain },
    schema: {
      params: DomainsOf,
      body: DomainBody,
      response: {
        201: DomainAnswer,
        ...failures(
          'invalid_request',
          'insufficient_user_authentication',
          'sso_not_enabled',
          'account_not_found',
          'not_organization',
          'platform_system',
          'domain_exists',
          'limit_reached',
        ),
      },
    },
    handler: async ({ caller, params, body }, reply) => {
      const added = await inTransaction(db, (tx) => addDomain(tx, config, caller, params.accountId, body))
      return reply.code(201).send(answerOf(added))
    },
  })

const read = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:domainId',
    config: { ...ANY, docs: DOCS.getDomain },
    schema: { params: OneDomain, response: { 200: DomainAnswer, ...failures('domain_not_found') } },
    handler: async ({ caller, params }) => answerOf(await findDomain(db, reachOf(caller), keyOf(params))),
  })

const update = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:domainId',
    config: { ...OF_ITS_RANK, docs: DOCS.updateDomain },
    schema: {
      params: OneDomain,
      body: UpdateDomain,
      response: {
        200: DomainAnswer,
        ...failures(
          'invalid_request',
          'insufficient_user_authentication',
          'insufficient_authority',
          'sso_not_enabled',
          'domain_not_found',
        ),
      },
    },
    handler: async ({ caller, params, body }, reply) =>
      inTransaction(db, async (tx) => {
        const before = await lockDomain(tx, reachOf(caller), keyOf(params))
        demandVersion(reply, answerOf(before))
        return answerOf(await changeDomain(tx, caller, before, body))
      }),
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:domainId',
    config: {
      ...ANY,
      reach: { account: 'its own account; not what the system or the platform has added' },
      docs: DOCS.deleteDomain,
    },
    schema: {
      params: OneDomain,
      response: {
        204: Type.Null(),
        ...failures('insufficient_user_authentication', 'insufficient_authority', 'domain_not_found'),
      },
    },
    handler: async ({ caller, params }, reply) => {
      await inTransaction(db, (tx) => removeDomain(tx, caller, keyOf(params)))
      return reply.code(204).send(null)
    },
  })

const check = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:domainId/check',
    config: { ...ANY, docs: DOCS.checkDomain },
    schema: {
      params: OneDomain,
      response: {
        202: DomainAnswer,
        ...failures('sso_not_enabled', 'domain_not_found', 'too_many_requests'),
      },
    },
    handler: async ({ caller, params }, reply) => {
      const due = await inTransaction(db, (tx) => requestCheck(tx, seal, caller, keyOf(params)))
      return reply.code(202).send(answerOf(due))
    },
  })

export const domainsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, add, read, update, remove, check])

/**
 * Systems. Mounted at /admin/systems, behind the admin guard. Roles, profiles, accounts and webhooks of a
 * system have folders of their own.
 *
 * The service token of a system reads and changes the system and rotates its secret, but does not extend its
 * own authority: `skipConsent`, `multiAccount`, `allowClientCredentials`, `allowDeviceFlow`,
 * `allowActingForMembers`, `allowServiceAccounts`, `requirePkce`, `emailFrom` and `emailReplyTo` require
 * platform authority.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { reachesPlatform } from '../../config/setting.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { PageQuery } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { actorOrigin, enqueue } from '../../journal/events/enqueue.ts'
import { changeSystem } from '../../lifecycle/change-system.ts'
import { removeSystem } from '../../lifecycle/remove-system.ts'
import { checkUploads, dropUploads } from './branding.ts'
import { checkFields, checkIntrospectors, checkWhole } from './checks.ts'
import { DOCS } from './docs.ts'
import { findSystem, forgetClient, insertSystem, listSystems, lockSystem, updateSecret } from './queries.ts'
import {
  answerOf,
  CONTACT_SCOPES,
  CreatedSystem,
  CreateSystem,
  OneSystem,
  RotatedSecret,
  RotateSecret,
  SystemAnswer,
  SystemList,
  SystemSearch,
  UpdateSystem,
} from './schemas.ts'
import { hashSecret, newClientId, newSecret } from './secret.ts'

/** Two full lists of URLs have 400 kB. */
const BODY_LIMIT = 524_288

const OPERATOR_FIELDS = [
  'multiAccount',
  'allowClientCredentials',
  'allowDeviceFlow',
  'allowActingForMembers',
  'allowServiceAccounts',
  'skipConsent',
  'requirePkce',
  'emailFrom',
  'emailReplyTo',
] as const

/** What the service client of a system authenticates with, beside the secret. */
const CREDENTIAL_FIELDS = ['tokenEndpointAuthMethod', 'jwks', 'jwksUri'] as const

/**
 * Whether the credentials of a system are those of the platform: with them an operator of the system would
 * access everything.
 */
const isOutOfReach = (
  { authority }: Caller,
  { SERVICE_TOKEN_REACH }: Config,
  { clientId }: { clientId: string },
): boolean => authority !== 'platform' && reachesPlatform(SERVICE_TOKEN_REACH, clientId)

/** With `skipConsent` of the platform no user is asked for these scopes. */
const addsContact = ({ skipConsent, allowedScopes }: OwnSystem, scopes: string[] = []): boolean =>
  skipConsent && CONTACT_SCOPES.some((scope) => scopes.includes(scope) && !allowedScopes.includes(scope))

type OwnSystem = Pick<Awaited<ReturnType<typeof lockSystem>>, 'skipConsent' | 'allowedScopes'>

type Parts = { db: Db; seal: Seal; config: Config }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listSystems },
    schema: {
      querystring: Type.Object({ ...PageQuery, search: Type.Optional(SystemSearch) }),
      response: { 200: SystemList, ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listSystems(db, reachOf(request.caller), { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const create = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    bodyLimit: BODY_LIMIT,
    config: { authority: ['platform'], docs: DOCS.createSystem },
    schema: { body: CreateSystem, response: { 201: CreatedSystem, ...failures('invalid_request') } },
    handler: async (request, reply) => {
      const input = request.body
      checkFields(input, config)
      checkUploads(config, {}, input.branding)
      const isPublic = input.clientType === 'public'
      const clientSecret = isPublic ? undefined : newSecret()
      const system = await inTransaction(db, async (tx) => {
        await checkIntrospectors(tx, input.introspectableBy)
        const system = await insertSystem(tx, {
          ...(isPublic && { tokenEndpointAuthMethod: 'none' }),
          ...input,
          clientId: newClientId(),
          secretHash: clientSecret ? hashSecret(seal, clientSecret) : null,
        })
        checkWhole(system)
        await record(tx, request.caller.actor, {
          action: 'system.created',
          target: { type: 'system', id: system.id },
          systemId: system.id,
          changes: difference({}, input),
        })
        return system
      })
      return reply.code(201).send({ ...answerOf(system), ...(clientSecret && { clientSecret }) })
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:systemId',
    config: { authority: ['platform', 'system'], docs: DOCS.getSystem },
    schema: { params: OneSystem, response: { 200: SystemAnswer, ...failures('system_not_found') } },
    handler: async (request) =>
      answerOf(await findSystem(db, reachOf(request.caller), request.params.systemId)),
  })

const update = ({ db, config }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:systemId',
    bodyLimit: BODY_LIMIT,
    config: {
      authority: ['platform', 'system'],
      reach: {
        system:
          'all but `multiAccount`, `skipConsent`, `allowClientCredentials`, `allowDeviceFlow`, `allowActingForMembers`, `allowServiceAccounts`, `requirePkce`, `emailFrom`, `emailReplyTo`, with `skipConsent` the scopes `phone` and `address`, and the keys of a client that `SERVICE_TOKEN_REACH` gives platform authority',
      },
      setElsewhere: { clientSecret: 'is replaced by POST /admin/systems/{systemId}/rotate-secret' },
      docs: DOCS.updateSystem,
    },
    schema: {
      params: OneSystem,
      body: UpdateSystem,
      response: {
        200: SystemAnswer,
        ...failures(
          'invalid_request',
          'role_not_in_system',
          'insufficient_authority',
          'system_not_found',
          'account_taken',
          'account_occupied',
          'sso_in_use',
        ),
      },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const { founderRoleId, ...patch } = request.body
      checkFields(patch, config)
      const system = await inTransaction(db, async (tx) => {
        const before = await lockSystem(tx, reachOf(request.caller), systemId)
        demandVersion(reply, answerOf(before))
        const changes = difference(before, { ...before, ...request.body })
        if (Object.keys(changes).length === 0) return before
        const denied: string[] = OPERATOR_FIELDS.filter((field) => field in changes)
        if (addsContact(before, patch.allowedScopes)) denied.push('allowedScopes')
        if (isOutOfReach(request.caller, config, before))
          denied.push(...CREDENTIAL_FIELDS.filter((field) => field in changes))
        if (denied.length > 0 && request.caller.authority !== 'platform')
          throw new Failure('insufficient_authority', {
            detail: `A change of ${denied.join(', ')} requires platform authority.`,
          })
        checkUploads(config, before.branding, patch.branding)
        checkWhole({ ...before, ...patch })
        await checkIntrospectors(tx, patch.introspectableBy, before.introspectableBy)
        if (patch.branding) await dropUploads(tx, before, patch.branding)
        return changeSystem(tx, request.caller.actor, before, request.body, changes)
      })
      forgetClient(db, system.clientId)
      return answerOf(system)
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:systemId',
    config: { authority: ['platform'], docs: DOCS.deleteSystem },
    schema: {
      params: OneSystem,
      response: { 204: Type.Null(), ...failures('system_not_found', 'platform_system') },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const clientId = await inTransaction(db, async (tx) => {
        const system = await lockSystem(tx, reachOf(request.caller), systemId)
        await removeSystem(tx, request.caller.actor, system)
        return system.clientId
      })
      forgetClient(db, clientId)
      return reply.code(204).send(null)
    },
  })

const rotateSecret = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/:systemId/rotate-secret',
    config: {
      authority: ['platform', 'system'],
      reach: { system: 'not if `SERVICE_TOKEN_REACH` gives its service tokens platform authority' },
      bodyOptional: true,
      docs: DOCS.rotateSystemSecret,
    },
    schema: {
      params: OneSystem,
      body: RotateSecret,
      response: {
        200: RotatedSecret,
        ...failures('invalid_request', 'insufficient_authority', 'system_not_found'),
      },
    },
    handler: async (request) => {
      const { systemId } = request.params
      const { actor } = request.caller
      const { graceSeconds = 0 } = request.body
      const clientSecret = newSecret()
      const rotated = await inTransaction(db, async (tx) => {
        const system = await lockSystem(tx, reachOf(request.caller), systemId)
        const { clientId, clientType } = system
        if (isOutOfReach(request.caller, config, system))
          throw new Failure('insufficient_authority', {
            detail: 'The service token of this system has platform authority, and so has its secret.',
          })
        if (clientType === 'public')
          throw new Failure('invalid_request', { detail: 'A public client has no secret.' })
        await updateSecret(tx, systemId, hashSecret(seal, clientSecret), graceSeconds)
        await record(tx, actor, {
          action: 'system.secret_rotated',
          target: { type: 'system', id: systemId },
          systemId,
          changes: { graceSeconds: [null, graceSeconds] },
        })
        await enqueue(tx, {
          type: 'system.secret_rotated',
          systemId,
          data: { systemId, clientId, graceSeconds, actor: actorOrigin(actor) },
        })
        return { clientId, clientSecret }
      })
      forgetClient(db, rotated.clientId)
      return rotated
    },
  })

export const systemsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, get, update, remove, rotateSecret])

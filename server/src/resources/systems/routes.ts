/**
 * Systems. Mounted at /admin/systems, behind the admin guard. Roles, profiles, accounts and webhooks
 * of a system are their own folders; what a client does at /token and /auth is oidc's.
 *
 * A system's own service token reads and changes that system and rotates its secret, but does not widen itself: it
 * can't make people stop being asked (skipConsent), make itself the one who adds members (multiAccount), or take or
 * leave the grant it lives by (allowClientCredentials).
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, type FieldFault, failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { urlFault } from '../../http/outbound.ts'
import {
  Id,
  Name,
  NameSearch,
  Nullable,
  PageOf,
  PageQuery,
  pageOf,
  type Static,
  Time,
} from '../../http/shapes.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../audit/record.ts'
import { enqueueAccess } from '../events/access.ts'
import { enqueue } from '../events/enqueue.ts'
import { lockMemberships, updateExclusive } from '../memberships/queries.ts'
import { endSessions } from '../sessions/end.ts'
import { forgetClient } from './clients.ts'
import { DOCS } from './docs.ts'
import {
  deleteSystem,
  findSystem,
  insertSystem,
  listSystems,
  lockSystem,
  type System,
  updateSecret,
  updateSystem,
} from './queries.ts'
import { applicationType, httpsUriFault, URIS_MAX, uriFaults } from './redirect-uris.ts'
import { hashSecret, newClientId, newSecret } from './secret.ts'

const OneSystem = Type.Object({ systemId: Id })

/** Each is looked at by redirect-uris.ts, which names every one that is wrong. */
const Uris = Type.Array(Type.String(), { maxItems: URIS_MAX })
const Scopes = Type.Array(Type.Enum(['openid', 'email', 'profile', 'offline_access']), {
  uniqueItems: true,
  description: 'Contains `openid`: every sign-in is an OpenID Connect one.',
})
const BrandingShape = Type.Object({
  logoUrl: Type.Optional(Type.String({ description: 'An https address.' })),
  color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
})

const FLAGS = {
  multiAccount: Type.Boolean(),
  allowSelfRegister: Type.Boolean(),
  requireAdminActivation: Type.Boolean(),
  allowClientCredentials: Type.Boolean(),
  requireEmailOtp: Type.Boolean(),
  requireMfa: Type.Boolean(),
  skipConsent: Type.Boolean(),
}

/** What a caller may set. No defaults here, since PATCH takes the same: schema.ts has them. */
const FIELDS = {
  name: Name,
  redirectUris: Uris,
  postLogoutRedirectUris: Uris,
  backchannelLogoutUri: Nullable(
    Type.String({
      description:
        'Is told of each session that ends (OpenID Connect Back-Channel Logout 1.0). A public https address.',
    }),
  ),
  allowedScopes: Scopes,
  branding: BrandingShape,
  idTokenAlg: Type.Enum(['RS256', 'ES256'], {
    description: 'Signs its ID tokens. Default RS256; access tokens are always ES256.',
  }),
  ...FLAGS,
}
const ClientType = Type.Enum(['confidential', 'public'])

/** `clientType` is settled at creation: a secret does not appear or vanish under a running application. */
const SystemPatchBody = Type.Partial(Type.Object(FIELDS))
const SystemBody = Type.Object({
  ...SystemPatchBody.properties,
  name: Name,
  clientType: Type.Optional(ClientType),
})

const SystemAnswer = Type.Object({
  id: Id,
  clientId: Type.String(),
  clientType: ClientType,
  ...FIELDS,
  allowedScopes: Type.Array(Type.String()),
  platform: Type.Boolean({ description: "One of the service's own: its admins reach everything." }),
  createdAt: Time,
  updatedAt: Time,
})
/** The secret is shown here and when it is rotated, never again; a public client has none. */
const CreatedSystem = Type.Object({ ...SystemAnswer.properties, clientSecret: Type.Optional(Type.String()) })
const RotatedSecret = Type.Object({ clientId: Type.String(), clientSecret: Type.String() })

/** 30 days, in seconds. */
const GRACE_MAX = 2_592_000
/** Two full lists of addresses are 400 kB. */
const BODY_LIMIT = 524_288

type Fields = Static<typeof SystemPatchBody>

const answerOf = (system: System) => ({
  ...system,
  createdAt: system.createdAt.toISOString(),
  updatedAt: system.updatedAt.toISOString(),
})

const faultAt = (path: string, message: string | undefined): FieldFault[] =>
  message ? [{ path, message }] : []

/** Refuses what a shape can't say of a field alone, naming every fault. */
function checkFields(
  { redirectUris, postLogoutRedirectUris, backchannelLogoutUri, allowedScopes, branding }: Fields,
  allowPrivate: boolean,
): void {
  const errors = [
    ...uriFaults('redirectUris', redirectUris),
    ...uriFaults('postLogoutRedirectUris', postLogoutRedirectUris),
    ...faultAt(
      '/backchannelLogoutUri',
      typeof backchannelLogoutUri === 'string' ? urlFault(backchannelLogoutUri, allowPrivate) : undefined,
    ),
    ...faultAt(
      '/allowedScopes',
      allowedScopes?.includes('openid') === false ? 'must contain openid' : undefined,
    ),
    ...faultAt(
      '/branding/logoUrl',
      branding?.logoUrl === undefined ? undefined : httpsUriFault(branding.logoUrl),
    ),
  ]
  if (errors.length > 0) throw new Failure('invalid_request', { errors })
}

/** Refuses a system whose fields are right each alone but not together. Throw it inside the transaction. */
function checkWhole(system: System): void {
  if (system.clientType === 'public' && system.allowClientCredentials) {
    throw invalid(
      '/allowClientCredentials',
      'is for confidential clients: a public one has no secret to prove itself with (RFC 6749 section 4.4)',
    )
  }
  if (!applicationType([...system.redirectUris, ...system.postLogoutRedirectUris])) {
    throw invalid(
      '/redirectUris',
      "an app's own scheme and https on a loopback address can't stand in one system; use http for the loopback address",
    )
  }
}

const OPERATOR_FIELDS = ['multiAccount', 'allowClientCredentials', 'skipConsent'] as const

type Parts = { db: Db; seal: Seal; config: Config }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.listSystems },
    schema: {
      querystring: Type.Object({ ...PageQuery, search: Type.Optional(NameSearch) }),
      response: { 200: PageOf(SystemAnswer), ...failures('invalid_request') },
    },
    handler: async (request) => {
      const { rows, total } = await listSystems(db, reachOf(request.caller), request.query)
      return pageOf(request.query, rows.map(answerOf), total)
    },
  })

const create = ({ db, seal, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    bodyLimit: BODY_LIMIT,
    config: { authority: ['platform'], docs: DOCS.createSystem },
    schema: { body: SystemBody, response: { 201: CreatedSystem, ...failures('invalid_request') } },
    handler: async (request, reply) => {
      const input = request.body
      checkFields(input, config.WEBHOOK_ALLOW_PRIVATE)
      const clientSecret = input.clientType === 'public' ? undefined : newSecret()
      const system = await inTransaction(db, async (tx) => {
        const system = await insertSystem(tx, {
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
      reach: { system: 'all but `multiAccount`, `skipConsent` and `allowClientCredentials`' },
      docs: DOCS.updateSystem,
    },
    schema: {
      params: OneSystem,
      body: SystemPatchBody,
      response: {
        200: SystemAnswer,
        ...failures(
          'invalid_request',
          'insufficient_authority',
          'system_not_found',
          'account_taken',
          'account_occupied',
        ),
      },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const patch = request.body
      checkFields(patch, config.WEBHOOK_ALLOW_PRIVATE)
      const system = await inTransaction(db, async (tx) => {
        const before = await lockSystem(tx, reachOf(request.caller), systemId)
        demandVersion(reply, answerOf(before))
        const changes = difference(before, { ...before, ...patch })
        if (Object.keys(changes).length === 0) return before
        const denied = OPERATOR_FIELDS.filter((field) => field in changes)
        if (denied.length > 0 && request.caller.authority !== 'platform')
          throw new Failure('insufficient_authority', {
            detail: `Only the platform changes ${denied.join(', ')}.`,
          })
        const after = await updateSystem(tx, systemId, patch)
        checkWhole(after)
        if ('multiAccount' in changes) await updateExclusive(tx, systemId, !after.multiAccount)
        await record(tx, request.caller.actor, {
          action: 'system.updated',
          target: { type: 'system', id: systemId },
          systemId,
          changes,
        })
        return after
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
      const { actor } = request.caller
      const clientId = await inTransaction(db, async (tx) => {
        const system = await lockSystem(tx, reachOf(request.caller), systemId)
        if (system.platform) throw new Failure('platform_system')
        await lockMemberships(tx, { systemId })
        await endSessions(tx, actor, { systemId }, 'system_removed')
        await enqueueAccess(tx, actor, 'user.access_revoked', { systemId })
        await deleteSystem(tx, systemId)
        await record(tx, actor, {
          action: 'system.deleted',
          target: { type: 'system', id: systemId },
          systemId,
          changes: { name: [system.name, null], clientId: [system.clientId, null] },
        })
        return system.clientId
      })
      forgetClient(db, clientId)
      return reply.code(204).send(null)
    },
  })

const rotateSecret = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:systemId/rotate-secret',
    config: { authority: ['platform', 'system'], bodyOptional: true, docs: DOCS.rotateSystemSecret },
    schema: {
      params: OneSystem,
      body: Type.Object({
        graceSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: GRACE_MAX,
            description:
              'How long the old secret stays good, and the service tokens that were got by it: also the one of this request. Default 0.',
          }),
        ),
      }),
      response: { 200: RotatedSecret, ...failures('invalid_request', 'system_not_found') },
    },
    handler: async (request) => {
      const { systemId } = request.params
      const { actor } = request.caller
      const { graceSeconds = 0 } = request.body
      const clientSecret = newSecret()
      const rotated = await inTransaction(db, async (tx) => {
        const { clientId, clientType } = await lockSystem(tx, reachOf(request.caller), systemId)
        if (clientType === 'public')
          throw new Failure('invalid_request', { detail: 'A public client has no secret to rotate.' })
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
          data: { systemId, clientId, graceSeconds, actor: { type: actor.type, id: actor.id } },
        })
        return { clientId, clientSecret }
      })
      forgetClient(db, rotated.clientId)
      return rotated
    },
  })

export const systemsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, get, update, remove, rotateSecret])

/**
 * Uploaded images: of a system at /admin/systems/:systemId/branding and of an organization at
 * /admin/accounts/:accountId/branding, behind the admin guard; and what
 * browsers load, at an address with the hash of the image. That is public: pages and emails show it to
 * anyone. A browser that opens it runs nothing in it.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import type { Branding } from '../../database/schema.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { bodyUnchecked } from '../../http/schema-compilers.ts'
import { oneOf, pathId } from '../../http/schemas.ts'
import { difference } from '../../journal/audit/record.ts'
import { changeAccount, storeLogo } from '../../lifecycle/change-account.ts'
import { changeSystem } from '../../lifecycle/change-system.ts'
import { lockAccount } from '../accounts/queries.ts'
import { AccountAnswer, answerOf as accountAnswerOf, OneAccount } from '../accounts/schemas.ts'
import { rebuiltPng } from '../images/png.ts'
import { deleteImage, findImage, imageAddress, putImage } from '../images/queries.ts'
import { IMAGE_FIELDS } from '../systems/branding.ts'
import { forgetClient, lockContents, type System } from '../systems/queries.ts'
import { answerOf, SystemAnswer } from '../systems/schemas.ts'
import { DOCS } from './docs.ts'

/** 256 kB and 32 kB: a page can have the logos of 50 organizations. */
const IMAGE_BYTES_MAX = 262_144
const LOGO_BYTES_MAX = 32_768

const PNG = 'image/png'
/** images/png.ts checks it. */
const Image = Type.Unsafe<Buffer>({ type: 'string', contentMediaType: PNG })

/** JSON is parsed as in other operations; here it is another media type. */
async function imageIn(body: unknown): Promise<Buffer> {
  if (body !== undefined && !Buffer.isBuffer(body)) throw new Failure('unsupported_media_type')
  return rebuiltPng(body)
}

type Parts = { db: Db; config: Config }

const OneImage = Type.Object({
  systemId: pathId('system'),
  image: oneOf(['logo', 'logo-dark', 'favicon'], {
    title: 'SystemImage',
    examples: ['logo'],
    description: '`logo-dark` is shown in dark mode instead of the logo.',
  }),
})

/** The system after a change of its branding. */
async function changeBranding(
  tx: Db,
  { actor }: Caller,
  before: System,
  branding: Branding,
): Promise<System> {
  const changes = difference(before, { ...before, branding })
  if (Object.keys(changes).length === 0) return before
  return changeSystem(tx, actor, before, { branding }, changes)
}

const putSystemImage = ({ db, config }: Parts) =>
  operation({
    method: 'PUT',
    url: '/:image',
    bodyLimit: IMAGE_BYTES_MAX,
    validatorCompiler: bodyUnchecked,
    config: { authority: ['platform', 'system'], docs: DOCS.putSystemImage },
    schema: {
      params: OneImage,
      body: { content: { [PNG]: { schema: Image } } },
      response: {
        200: SystemAnswer,
        ...failures('invalid_request', 'system_not_found', 'payload_too_large', 'unsupported_media_type'),
      },
    },
    handler: async (request) => {
      const { systemId, image: kind } = request.params
      const png = await imageIn(request.body)
      const system = await inTransaction(db, async (tx) => {
        const before = await lockContents(tx, reachOf(request.caller), systemId)
        const hash = await putImage(tx, { systemId, kind }, png)
        const branding = { ...before.branding, [IMAGE_FIELDS[kind]]: imageAddress(config, hash) }
        return changeBranding(tx, request.caller, before, branding)
      })
      forgetClient(db, system.clientId)
      return answerOf(system)
    },
  })

const deleteSystemImage = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:image',
    config: { authority: ['platform', 'system'], docs: DOCS.deleteSystemImage },
    schema: {
      params: OneImage,
      response: { 204: Type.Null(), ...failures('system_not_found', 'image_not_found') },
    },
    handler: async (request, reply) => {
      const { systemId, image: kind } = request.params
      const clientId = await inTransaction(db, async (tx) => {
        const before = await lockContents(tx, reachOf(request.caller), systemId)
        if (!(await deleteImage(tx, { systemId, kind }))) throw new Failure('image_not_found')
        const branding = { ...before.branding }
        delete branding[IMAGE_FIELDS[kind]]
        await changeBranding(tx, request.caller, before, branding)
        return before.clientId
      })
      forgetClient(db, clientId)
      return reply.code(204).send(null)
    },
  })

const OF_ORGANIZATION = {
  authority: ['platform', 'system', 'account'],
  reach: { account: 'its own account, if it is an organization' },
} as const

const putAccountLogo = ({ db, config }: Parts) =>
  operation({
    method: 'PUT',
    url: '/logo',
    bodyLimit: LOGO_BYTES_MAX,
    validatorCompiler: bodyUnchecked,
    config: { ...OF_ORGANIZATION, authority: [...OF_ORGANIZATION.authority], docs: DOCS.putAccountLogo },
    schema: {
      params: OneAccount,
      body: { content: { [PNG]: { schema: Image } } },
      response: {
        200: AccountAnswer,
        ...failures(
          'invalid_request',
          'account_not_found',
          'not_organization',
          'payload_too_large',
          'unsupported_media_type',
        ),
      },
    },
    handler: async ({ caller, params: { accountId }, body }) => {
      const png = await rebuiltPng(body)
      const account = await inTransaction(db, async (tx) => {
        const before = await lockAccount(tx, reachOf(caller), accountId)
        return storeLogo(tx, config, caller, before, png)
      })
      return accountAnswerOf(caller, account)
    },
  })

const deleteAccountLogo = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/logo',
    config: { ...OF_ORGANIZATION, authority: [...OF_ORGANIZATION.authority], docs: DOCS.deleteAccountLogo },
    schema: {
      params: OneAccount,
      response: { 204: Type.Null(), ...failures('account_not_found', 'image_not_found', 'not_organization') },
    },
    handler: async ({ caller, params: { accountId } }, reply) => {
      await inTransaction(db, async (tx) => {
        const before = await lockAccount(tx, reachOf(caller), accountId)
        const { systemId, branding } = before
        if (!(await deleteImage(tx, { systemId, accountId, kind: 'logo' })))
          throw new Failure('image_not_found')
        const { color } = branding
        await changeAccount(tx, caller, before, { branding: color === undefined ? {} : { color } })
      })
      return reply.code(204).send(null)
    },
  })

/** An image is the whole body of its request. */
function takeImages(app: FastifyInstance): void {
  app.addContentTypeParser(PNG, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

export const systemBrandingRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  takeImages(app)
  addOperations(app, parts, [putSystemImage, deleteSystemImage])
}

export const accountBrandingRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  takeImages(app)
  addOperations(app, parts, [putAccountLogo, deleteAccountLogo])
}

/** One day, in seconds: for so long a browser may show an image that was removed. */
const CACHED = 86_400

const HEADERS = {
  'cache-control': `public, max-age=${CACHED}`,
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin', // emails, and applications that draw their own pages
}

export const imageRoutes: FastifyPluginAsyncTypebox<Pick<Parts, 'db'>> = async (app, { db }) => {
  app.get(
    '/brand/:hash.png',
    {
      config: { authority: 'public' },
      schema: { hide: true, params: Type.Object({ hash: Type.String({ pattern: '^[\\w-]{43}$' }) }) },
    },
    async (request, reply) => {
      const image = await findImage(db, request.params.hash)
      if (!image) throw new Failure('not_found')
      return reply.headers(HEADERS).type(PNG).send(image)
    },
  )
}

/** The addresses of the connections with SAML. With the setting `SAML` of false none of them exists. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { isSamlConnection } from '../../resources/connections/configured.ts'
import { samlAddressesOf } from '../../resources/connections/settings.ts'
import { ownMetadata } from '../../saml/documents.ts'
import { idOf } from './connection-address.ts'

type Parts = { db: Db; config: Config }

export const samlRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  if (!parts.config.SAML) return
  const hidden = { config: { authority: 'public' as const }, schema: { hide: true }, exposeHeadRoute: false }
  app.get('/sso/:id/metadata', hidden, async (request, reply) => sendMetadata(parts, request, reply))
}

/** Our metadata for a connection, from its creation on. */
async function sendMetadata(
  { db, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const id = idOf(request)
  if (!(await isSamlConnection(db, id))) throw new Failure('not_found')
  return reply.type('application/samlmetadata+xml').send(ownMetadata(samlAddressesOf(config, id)))
}

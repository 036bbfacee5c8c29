/** The address to which a tile of the provider leads. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../errors.ts'
import { type Configured, findConfigured } from '../../resources/connections/configured.ts'
import { startHref } from '../../resources/systems/application.ts'
import { connectionStartPage } from '../../ui/pages/connection-sign-in.ts'
import { idOf } from './connection-address.ts'
import { sendConnectionPage } from './connection-test.ts'
import type { SignInParts } from './sign-in.ts'

type Parts = SignInParts

/** Where a tile of the provider leads: the application begins its sign-in, with this connection. */
export async function startAtApplication(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const connection = await findConfigured(parts.db, parts, idOf(request))
  if (!connection?.enabled) throw new Failure('not_found')
  return sendToApplication(parts, request, reply, connection)
}

/** The application begins its sign-in, with this connection. */
export function sendToApplication(
  { config }: Pick<Parts, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: Configured,
): FastifyReply {
  const { application, organization, accountId, id } = connection
  const away = startHref(config, application, { accountId, connection: id })
  if (away !== undefined) return reply.redirect(away, 303)
  return sendConnectionPage({ config }, request, reply, connection, ({ locale, system }) =>
    connectionStartPage({ locale, system, organization }),
  )
}

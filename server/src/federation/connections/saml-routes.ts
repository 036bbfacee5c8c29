/** The addresses of the connections with SAML. With the setting `SAML` of false none of them exists. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../errors.ts'
import { wantsJson } from '../../http/forms-and-cookies.ts'
import { failureOfRequest, logFailure, sendProblem } from '../../http/problems.ts'
import {
  findConfigured,
  isSamlConnection,
  type SamlConfigured,
} from '../../resources/connections/configured.ts'
import { samlAddressesOf } from '../../resources/connections/settings.ts'
import { ownMetadata } from '../../saml/documents.ts'
import { sendFailurePage } from '../../ui/pages/page-failures.ts'
import { idOf } from './connection-address.ts'
import { createResponses } from './saml-acs.ts'
import { finishSaml, showUnsolicited } from './saml-finish.ts'
import type { SignInParts } from './sign-in.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request to an address of a SAML connection in use. */
    samlConnection: SamlConfigured | undefined
  }
}

/** 256 KiB, in bytes: a response in base64, and encoded once more as a form. */
const FORM_MAX = 262_144

export const samlRoutes: FastifyPluginAsyncTypebox<SignInParts> = async (app, parts) => {
  if (!parts.config.SAML) return
  const hidden = { config: { authority: 'public' as const }, schema: { hide: true }, exposeHeadRoute: false }
  app.get('/sso/:id/metadata', hidden, async (request, reply) => sendMetadata(parts, request, reply))

  app.decorateRequest('samlConnection', undefined)
  /** Before the body is read. */
  const used = {
    ...hidden,
    onRequest: async (request: FastifyRequest) => {
      request.samlConnection = await connectionInUse(parts, request)
    },
  }
  app.get('/sso/:id/finish', used, async (request, reply) =>
    finishSaml(parts, request, reply, request.samlConnection!),
  )
  app.get('/sso/:id/unsolicited', used, async (request, reply) =>
    showUnsolicited(parts, request, reply, request.samlConnection!),
  )
  const receive = createResponses(parts)
  await app.register(async (scope) => {
    // Not as a redirect: who loads the page again sends the form of the provider again.
    scope.setErrorHandler(async (error: FastifyError, request, reply) => {
      const failure = failureOfRequest(error)
      logFailure(request, error, failure)
      if (wantsJson(request)) return sendProblem(failure, request, reply)
      return sendFailurePage(failure, request, reply)
    })
    scope.post('/sso/:id/acs', { ...used, bodyLimit: FORM_MAX }, async (request, reply) =>
      receive(request, reply, request.samlConnection!),
    )
  })
}

/** A SAML connection that is enabled, or that a browser tests. Throws `not_found`. */
async function connectionInUse(parts: SignInParts, request: FastifyRequest): Promise<SamlConfigured> {
  const connection = await findConfigured(parts.db, parts, idOf(request))
  const isUsed = connection?.kind === 'saml' && (connection.enabled || connection.isTesting)
  if (!isUsed) throw new Failure('not_found')
  return connection
}

/** Our metadata for a connection, from its creation on. */
async function sendMetadata(
  { db, config }: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const id = idOf(request)
  if (!(await isSamlConnection(db, id))) throw new Failure('not_found')
  return reply.type('application/samlmetadata+xml').send(ownMetadata(samlAddressesOf(config, id)))
}

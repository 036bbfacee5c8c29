/**
 * The connections of organizations: the sign-in by one (sign-in.ts), where a tile of its provider leads
 * (/sso/<id>/start), and the test of one (/sso/<id>/test). All answers of a provider of OpenID Connect come
 * to /sso/<id>/callback; those of SAML providers: saml-routes.ts.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Failure } from '../../errors.ts'
import { STEP, STEP_BODY_MAX } from '../../oidc/interaction.ts'
import { answerPageFailures } from '../../ui/pages/page-failures.ts'
import { idOf } from './connection-address.ts'
import { beginTest, demandFirst, finishTest, showTest } from './connection-test.ts'
import { submitLinkCode, submitOwnFactor } from './own-proof.ts'
import { samlRoutes } from './saml-routes.ts'
import { beginSignIn, receiveAnswer, type SignInParts, showCompletion, submitCompletion } from './sign-in.ts'
import { takeRequest } from './state.ts'
import { startAtApplication } from './tile.ts'

type Parts = SignInParts

export const connectionRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: STEP_BODY_MAX })
  answerPageFailures(app, parts, () => undefined, null)
  const hidden = { config: { authority: 'public' as const }, schema: { hide: true }, exposeHeadRoute: false }

  app.get('/sso/:id/test', hidden, async (request, reply) => showTest(parts, request, reply))
  app.post('/sso/:id/test', { ...hidden, bodyLimit: STEP_BODY_MAX }, async (request, reply) =>
    beginTest(parts, request, reply),
  )
  app.get('/sso/:id/callback', hidden, async (request, reply) => finish(parts, request, reply))
  app.get('/sso/:id/start', hidden, async (request, reply) => startAtApplication(parts, request, reply))
  await app.register(samlRoutes, parts)

  const step = { ...STEP, exposeHeadRoute: false }
  const begun = {
    ...step,
    schema: { params: Type.Object({ uid: STEP.schema.params.properties.uid, id: Type.String() }) },
  }
  app.get('/interaction/:uid/connection/:id', begun, async (request, reply) =>
    beginSignIn(parts, request, reply),
  )
  app.get('/interaction/:uid/connection', step, async (request, reply) =>
    showCompletion(parts, request, reply),
  )
  app.post('/interaction/:uid/connection', STEP, async (request, reply) =>
    submitCompletion(parts, request, reply),
  )
  app.post('/interaction/:uid/connection/code', STEP, async (request, reply) =>
    submitLinkCode(parts, request, reply),
  )
  app.post('/interaction/:uid/connection/factor', STEP, async (request, reply) =>
    submitOwnFactor(parts, request, reply),
  )
}

/** An answer of the provider, to a request of this browser. */
async function finish(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = idOf(request)
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const pending = takeRequest(parts, request, reply, { connection: id, state: query.get('state') })
  if (!pending) throw new Failure('provider_state_invalid')
  const { uid } = pending
  if (uid === undefined) return finishTest(parts, request, reply, pending, query)
  await demandFirst(parts, pending)
  return receiveAnswer(parts, request, reply, { ...pending, uid })
}

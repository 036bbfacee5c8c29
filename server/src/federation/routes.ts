/**
 * Signing in with another identity provider. It begins with a button of the sign-in and ends in it: GET /social/login
 * sends the browser away, GET /social/callback takes it back and checks whom the provider has signed in, and
 * /interaction/:uid/social, where the cookie of the sign-in is, decides whose account that is. For each provider there
 * are also /social/<provider>/… and /<provider>/…; the address we give to providers is /social/<provider>/callback. A
 * person's own pages go the same way, to link a provider (account/link.ts).
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { welcome } from '../authentication/new-device.ts'
import { attemptLogin } from '../authentication/password.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { touchEnabled, touchLogin } from '../interaction/queries.ts'
import { answerPageFailures } from '../interaction/refusals.ts'
import type { Details, Screen } from '../interaction/screens.ts'
import {
  BODY_LIMIT,
  back,
  detailsOf,
  finish,
  type InteractionParts,
  ownedBy,
  refuse,
  STEP,
} from '../interaction/steps.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { record } from '../resources/audit/record.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { touchIdentity } from '../resources/identities/queries.ts'
import { clientOf } from '../resources/systems/clients.ts'
import { lockUser } from '../resources/users/queries.ts'
import { passOn, sendAway, takeBack } from './authorization.ts'
import { type FederatedLogin, identityOf, resolveUser } from './link.ts'
import { sendLink } from './link-page.ts'
import type { Providers } from './providers.ts'
import { arrivalOf, forgetArrival, signingIn } from './state.ts'

/** The library makes them of 21 and more characters of this alphabet. */
const UID = /^[\w-]{1,100}$/

type SocialParts = InteractionParts & { providers: Providers }

export const socialRoutes: FastifyPluginAsyncTypebox<SocialParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app)
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  const options = { config: { authority: 'public' as const }, exposeHeadRoute: false }
  const hidden = { ...options, schema: { hide: true } }

  /** The provider that a path or `?provider=` names, or the only one there is. */
  function asked({ params, query }: FastifyRequest, inPath?: string): SocialProvider {
    const named =
      inPath ?? (params as { provider?: string }).provider ?? (query as { provider?: unknown }).provider
    const only = parts.config.social.length === 1 ? parts.config.social[0]!.id : undefined
    const provider = parts.providers.find(named ?? only)
    if (!provider) throw new Failure('not_found')
    return provider
  }
  const begin = (request: FastifyRequest, reply: FastifyReply, provider = asked(request)) => {
    const { uid } = request.query as { uid?: unknown }
    if (typeof uid !== 'string' || !UID.test(uid)) throw new Failure('interaction_not_found')
    return sendAway(parts, request, reply, provider, signingIn(uid))
  }
  const end = (request: FastifyRequest, reply: FastifyReply, provider = asked(request)) =>
    takeBack(parts, request, reply, provider)

  app.get('/social/login', options, async (request, reply) => begin(request, reply))
  app.get('/social/callback', options, async (request, reply) => end(request, reply))
  app.get('/social/:provider/login', hidden, async (request, reply) => begin(request, reply))
  app.get('/social/:provider/callback', hidden, async (request, reply) => end(request, reply))
  for (const { id } of parts.config.social) {
    app.get(`/${id}/login`, hidden, async (request, reply) => begin(request, reply, asked(request, id)))
    app.get(`/${id}/callback`, hidden, async (request, reply) => end(request, reply, asked(request, id)))
  }

  app.post('/social/:provider/callback', { ...hidden, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const provider = asked(request)
    if (provider.kind !== 'apple') throw new Failure('not_found')
    return passOn(parts, request, reply, provider)
  })

  app.get('/interaction/:uid/social', { ...STEP, exposeHeadRoute: false }, async (request, reply) => {
    const details = await detailsOf(parts.provider(), request, reply)
    const arrived = details.prompt.name === 'login' ? await comingOf(parts, request, details) : undefined
    return arrived ? goOn(parts, request, reply, details, arrived) : back(request, reply, details)
  })

  app.post('/interaction/:uid/social', STEP, async (request, reply) => {
    const details = await ownedBy(parts, request, reply)
    const arrived = details.prompt.name === 'login' ? await comingOf(parts, request, details) : undefined
    return arrived ? linkByPassword(parts, request, reply, details, arrived) : back(request, reply, details)
  })
}

type Arrived = FederatedLogin & { nonce: string }

/** Who has come back to this sign-in. */
async function comingOf(
  { providers, ...parts }: SocialParts,
  request: FastifyRequest,
  { uid, params }: Details,
): Promise<Arrived | undefined> {
  const arrival = arrivalOf(parts, request, signingIn(uid))
  const provider = providers.find(arrival?.provider)
  const system = await clientOf(parts.db, params.client_id)
  return arrival && provider && system && { ...arrival, provider, system }
}

const told = ({ provider }: FederatedLogin) => ({ provider: [null, provider.id] as [unknown, unknown] })
const usedMeanwhile = () =>
  new Failure('unavailable', { detail: 'The sign-in or the user was changed meanwhile.', retryAfter: 1 })
const spendArrival = ({ config, seal }: InteractionParts, tx: InteractionParts['db'], { nonce }: Arrived) =>
  insertArtifact(tx, {
    model: 'SocialState',
    idHash: seal.hash(nonce, 'social:arrival'),
    expiresIn: config.TTL_INTERACTION,
  })

async function goOn(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  details: Details,
  arrived: Arrived,
): Promise<FastifyReply> {
  const { db, seal } = parts
  const { person, provider, system } = arrived
  const admitted = await inTransaction(db, (tx) => resolveUser(tx, seal, request.actor, arrived))
  const email = person.email ?? ''
  if (admitted === 'password')
    return sendLink(parts, request, reply, details, { provider, screen: { values: { email } } })
  forgetArrival(parts, reply, signingIn(details.uid))
  const entry = { action: 'user.login', systemId: system.id, changes: told(arrived) }
  if (admitted === 'refused') {
    await record(db, request.actor, { ...entry, outcome: 'failure' })
    return refuse(parts, request, reply, 'the user has no active membership')
  }
  const { userId } = admitted
  const amr = [...AMR.social]
  return finish(parts, request, reply, { login: { accountId: userId, amr, remember: true } }, async (tx) => {
    await welcome(tx, parts, request, reply, { userId, systemId: system.id, amr })
    if (!(await touchEnabled(tx, userId))) throw usedMeanwhile()
    if (!(await touchIdentity(tx, userId, identityOf(provider, person)))) throw usedMeanwhile()
    if (!(await spendArrival(parts, tx, arrived))) throw usedMeanwhile()
    await record(
      tx,
      { ...request.actor, type: 'user', id: userId },
      { ...entry, target: { type: 'user', id: userId } },
    )
  })
}

/** Once the password has shown whose account it is. One whose address is not proven yet may be somebody else's still. */
async function linkByPassword(
  parts: InteractionParts,
  request: FastifyRequest,
  reply: FastifyReply,
  details: Details,
  arrived: Arrived,
): Promise<FastifyReply> {
  const { provider, system } = arrived
  const show = (screen: Screen) => sendLink(parts, request, reply, details, { provider, screen })
  const { email, password } = (request.body ?? {}) as { email?: unknown; password?: unknown }
  const address = typeof email === 'string' ? email.trim().slice(0, 254) : ''
  const given = typeof password === 'string' ? password : ''
  if (address === '' || address.includes('\0'))
    return show({ status: 400, errors: { email: 'emailMissing' } })
  const values = { email: address }
  if (given === '') return show({ status: 400, values, errors: { password: 'passwordMissing' } })
  if (given.length > 1_024) return show({ status: 401, values, errors: { form: 'wrongCredentials' } })
  const attempt = await attemptLogin(parts, request, { email: address, password: given }, system.id)
  if (!attempt.user) return show(attempt.screen)
  const login = attempt.user
  forgetArrival(parts, reply, signingIn(details.uid))
  const amr = [...AMR.password, ...AMR.social]
  return finish(
    parts,
    request,
    reply,
    { login: { accountId: login.id, amr, remember: true } },
    async (tx) => {
      await welcome(tx, parts, request, reply, { userId: login.id, systemId: system.id, amr })
      if (!(await touchLogin(tx, login)) || !(await spendArrival(parts, tx, arrived))) throw usedMeanwhile()
      const self = { ...request.actor, type: 'user' as const, id: login.id }
      const user = await lockUser(tx, {}, login.id)
      if (!user.registration)
        await linkIdentity(tx, parts.seal, self, user, {
          identity: identityOf(provider, arrived.person),
          providerName: provider.name,
          system,
        })
      const target = { type: 'user', id: login.id }
      await record(tx, self, { action: 'user.login', target, systemId: system.id, changes: told(arrived) })
    },
  )
}

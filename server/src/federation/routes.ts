/**
 * Signing in with another identity provider. It begins with a button of the sign-in and ends in it: GET
 * /social/login sends the browser away, GET /social/callback takes it back and checks whom the provider has
 * signed in, and /interaction/:uid/social, where the cookie of the sign-in is, decides whose account that is.
 * For each provider there are also /social/<provider>/… and /<provider>/…; the address we give to providers
 * is /social/<provider>/callback. A person's own pages go the same way, to link a provider (account/link.ts).
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { noteDevice } from '../authentication/known-devices.ts'
import { checkPassword, TYPED_PASSWORD_MAX } from '../authentication/password.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import {
  BODY_LIMIT,
  completeStep,
  denyAccess,
  type InteractionParts,
  redirectToStep,
  STEP,
  type Step,
  stepOf,
  submittedStep,
  systemOf,
} from '../oidc/interaction.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { record } from '../resources/audit/record.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { touchIdentity } from '../resources/identities/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { touchEnabled, touchLogin } from '../resources/users/sign-in.ts'
import { answerPageFailures } from '../ui/page-failures.ts'
import type { PageState } from '../ui/page-state.ts'
import { rejectedState } from '../ui/rejected-credential.ts'
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
    const step = await stepOf(parts, request, reply)
    const arrived = await arrivedOf(parts, step)
    return arrived ? completeLogin(step, arrived) : redirectToStep(step)
  })

  app.post('/interaction/:uid/social', STEP, async (request, reply) => {
    const step = await submittedStep(parts, request, reply)
    const arrived = await arrivedOf(parts, step)
    return arrived ? linkByPassword(step, arrived) : redirectToStep(step)
  })
}

type Arrived = FederatedLogin & { nonce: string }

/** The identity with which the browser came back to this sign-in, at its login step. */
async function arrivedOf({ providers }: SocialParts, step: Step): Promise<Arrived | undefined> {
  const { uid, prompt } = step.interaction
  if (prompt.name !== 'login') return undefined
  const arrival = arrivalOf(step.parts, step.request, signingIn(uid))
  const provider = providers.find(arrival?.provider)
  return arrival && provider && { ...arrival, provider, system: await systemOf(step) }
}

const loginEntry = ({ provider, system }: Arrived) => ({
  action: 'user.login',
  systemId: system?.id ?? null,
  changes: { provider: [null, provider.id] as [unknown, unknown] },
})
const spendArrival = ({ config, seal }: InteractionParts, tx: InteractionParts['db'], { nonce }: Arrived) =>
  insertArtifact(tx, {
    model: 'SocialState',
    idHash: seal.hash(nonce, 'social:arrival'),
    expiresIn: config.TTL_INTERACTION,
  })

async function completeLogin(step: Step, arrived: Arrived): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const { db, seal } = parts
  const { person, provider } = arrived
  const resolved = await inTransaction(db, (tx) => resolveUser(tx, seal, request.actor, arrived))
  if (resolved === 'password') return sendLink(step, provider, { values: { email: person.email ?? '' } })
  forgetArrival(parts, reply, signingIn(step.interaction.uid))
  const entry = loginEntry(arrived)
  if (resolved === 'refused') {
    await record(db, request.actor, { ...entry, outcome: 'failure' })
    return denyAccess(step, 'the user has no active membership')
  }
  const { userId } = resolved
  const amr = [...AMR.social]
  return completeStep(step, { login: { accountId: userId, amr, remember: true } }, async (tx) => {
    await noteDevice(tx, parts, request, reply, { userId, systemId: entry.systemId, amr })
    const isCurrent =
      (await touchEnabled(tx, userId)) &&
      (await touchIdentity(tx, userId, identityOf(provider, person))) &&
      (await spendArrival(parts, tx, arrived))
    if (!isCurrent) throw usedMeanwhile()
    const actor = { ...request.actor, type: 'user' as const, id: userId }
    await record(tx, actor, { ...entry, target: { type: 'user', id: userId } })
  })
}

/**
 * Links the identity to the user whose password was verified, unless their own
 * e-mail address is still unverified.
 */
async function linkByPassword(step: Step, arrived: Arrived): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const show = (state: PageState) => sendLink(step, arrived.provider, state)
  const { email, password } = (request.body ?? {}) as { email?: unknown; password?: unknown }
  const address = typeof email === 'string' ? email.trim().slice(0, 254) : ''
  const given = typeof password === 'string' ? password : ''
  if (address === '' || address.includes('\0'))
    return show({ status: 400, errors: { email: 'emailMissing' } })
  const values = { email: address }
  const wrong = { form: 'wrongCredentials' } as const
  if (given === '') return show({ status: 400, values, errors: { password: 'passwordMissing' } })
  if (given.length > TYPED_PASSWORD_MAX) return show({ status: 401, values, errors: wrong })
  const entry = loginEntry(arrived)
  const checked = await checkPassword(parts, request, { email: address, password: given }, entry.systemId)
  if ('rejected' in checked) return show({ values, ...rejectedState(request, checked, wrong) })
  const login = checked.user
  forgetArrival(parts, reply, signingIn(step.interaction.uid))
  const amr = [...AMR.password, ...AMR.social]
  return completeStep(step, { login: { accountId: login.id, amr, remember: true } }, async (tx) => {
    await noteDevice(tx, parts, request, reply, { userId: login.id, systemId: entry.systemId, amr })
    if (!(await touchLogin(tx, login)) || !(await spendArrival(parts, tx, arrived))) throw usedMeanwhile()
    const actor = { ...request.actor, type: 'user' as const, id: login.id }
    const user = await lockUser(tx, {}, login.id)
    const { provider, person, system } = arrived
    const identity = identityOf(provider, person)
    if (!user.registration)
      await linkIdentity(tx, parts.seal, actor, user, { identity, providerName: provider.name, system })
    await record(tx, actor, { ...entry, target: { type: 'user', id: login.id } })
  })
}

/**
 * Sign-in with another identity provider. GET /social/login redirects to the provider, GET /social/callback
 * verifies the response, and /interaction/:uid/social, which receives the cookie of the interaction, resolves
 * the user. Each provider also has /social/<provider>/… and /<provider>/…; its redirect URI is
 * /social/<provider>/callback. The self-service pages use the same routes to link a provider
 * (self-service/link.ts).
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { noteDevice } from '../authentication/known-devices.ts'
import { checkPassword, type LoginWithPassword, TYPED_PASSWORD_MAX } from '../authentication/password.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure, failureOf } from '../errors.ts'
import type { Scope } from '../http/authority.ts'
import {
  BODY_LIMIT,
  completeStep,
  denyAccess,
  type InteractionParts,
  placeOf,
  redirectToStep,
  STEP,
  type Step,
  stepOf,
  submittedStep,
  systemOf,
} from '../oidc/interaction.ts'
import { loginOf } from '../oidc/policy/proofs.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { recordRefused } from '../resources/audit/failures.ts'
import { touchIdentity } from '../resources/identities/queries.ts'
import { lockUser, type User } from '../resources/users/queries.ts'
import { enabledLoginTime, findSignedIn, loginTime } from '../resources/users/sign-in.ts'
import { type PageState, rejectedState } from '../ui/forms.ts'
import { answerPageFailures } from '../ui/page-failures.ts'
import { handleCallback, redirectFormAsQuery, startAuthorization } from './authorization.ts'
import { type FederatedLogin, identityOf, linkOnly, resolveUser } from './link.ts'
import { sendLink } from './link-page.ts'
import type { Providers } from './providers.ts'
import { clearProviderLogin, loginPurpose, readProviderLogin } from './state.ts'

/** The library generates 21 or more characters of this alphabet. */
const UID = /^[\w-]{1,100}$/

type SocialParts = InteractionParts & { providers: Providers }

export const socialRoutes: FastifyPluginAsyncTypebox<SocialParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app)
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  const options = { config: { authority: 'public' as const }, exposeHeadRoute: false }
  const hidden = { ...options, schema: { hide: true } }

  /** The provider that a path or `?provider=` names, or the only one there is. */
  function providerOf({ params, query }: FastifyRequest, inPath?: string): SocialProvider {
    const named =
      inPath ?? (params as { provider?: string }).provider ?? (query as { provider?: unknown }).provider
    const only = parts.config.social.length === 1 ? parts.config.social[0]!.id : undefined
    const provider = parts.providers.find(named ?? only)
    if (!provider) throw new Failure('not_found')
    return provider
  }
  const start = (request: FastifyRequest, reply: FastifyReply, provider = providerOf(request)) => {
    const { uid } = request.query as { uid?: unknown }
    if (typeof uid !== 'string' || !UID.test(uid)) throw new Failure('interaction_not_found')
    return startAuthorization(parts, request, reply, provider, loginPurpose(uid))
  }
  const finish = (request: FastifyRequest, reply: FastifyReply, provider = providerOf(request)) =>
    handleCallback(parts, request, reply, provider)

  app.get('/social/login', options, async (request, reply) => start(request, reply))
  app.get('/social/callback', options, async (request, reply) => finish(request, reply))
  app.get('/social/:provider/login', hidden, async (request, reply) => start(request, reply))
  app.get('/social/:provider/callback', hidden, async (request, reply) => finish(request, reply))
  for (const { id } of parts.config.social) {
    app.get(`/${id}/login`, hidden, async (request, reply) => start(request, reply, providerOf(request, id)))
    app.get(`/${id}/callback`, hidden, async (request, reply) =>
      finish(request, reply, providerOf(request, id)),
    )
  }

  app.post('/social/:provider/callback', { ...hidden, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    const provider = providerOf(request)
    if (provider.kind !== 'apple') throw new Failure('not_found')
    return redirectFormAsQuery(parts, request, reply, provider)
  })

  app.get('/interaction/:uid/social', { ...STEP, exposeHeadRoute: false }, async (request, reply) => {
    const step = await stepOf(parts, request, reply)
    const returned = await returnedLogin(parts, step)
    return returned ? completeLogin(step, returned) : redirectToStep(step)
  })

  app.post('/interaction/:uid/social', STEP, async (request, reply) => {
    const step = await submittedStep(parts, request, reply)
    const returned = await returnedLogin(parts, step)
    return returned ? linkByPassword(step, returned) : redirectToStep(step)
  })
}

type ReturnedLogin = FederatedLogin & { nonce: string }

/** The provider login that the browser returned with, at the login step of its interaction. */
async function returnedLogin({ providers }: SocialParts, step: Step): Promise<ReturnedLogin | undefined> {
  const { uid, prompt } = step.interaction
  if (prompt.name !== 'login') return undefined
  const login = readProviderLogin(step.parts, step.request, loginPurpose(uid))
  const provider = providers.find(login?.provider)
  return login && provider && { ...login, provider, system: await systemOf(step) }
}

const loginEntry = ({ provider, system }: ReturnedLogin) => ({
  action: 'user.login',
  systemId: system?.id ?? null,
  changes: { provider: [null, provider.id] as [unknown, unknown] },
})
const consumeLogin = (
  { config, seal }: InteractionParts,
  tx: InteractionParts['db'],
  { nonce }: ReturnedLogin,
) =>
  insertArtifact(tx, {
    model: 'SocialState',
    idHash: seal.hash(nonce, 'social:arrival'),
    expiresIn: config.TTL_INTERACTION,
  })

/** Records a sign-in that is refused because of a conflict, and throws the error again. */
async function recordConflict(
  { parts, request, reply, interaction }: Step,
  returned: ReturnedLogin,
  error: unknown,
): Promise<never> {
  if (failureOf(error)?.code === 'identity_conflict') {
    clearProviderLogin(parts, reply, loginPurpose(interaction.uid))
    const entry = loginEntry(returned)
    const changes = { ...entry.changes, code: [null, 'identity_conflict'] as [unknown, unknown] }
    await recordRefused(parts.db, request.actor, { ...entry, outcome: 'failure', changes })
  }
  throw error
}

async function completeLogin(step: Step, returned: ReturnedLogin): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const { db, seal } = parts
  const { person, provider } = returned
  const resolved = await inTransaction(db, (tx) => resolveUser(tx, seal, request.actor, returned)).catch(
    (error: unknown) => recordConflict(step, returned, error),
  )
  if (resolved === 'password') return sendLink(step, provider, { values: { email: person.email ?? '' } })
  clearProviderLogin(parts, reply, loginPurpose(step.interaction.uid))
  const entry = loginEntry(returned)
  if (resolved === 'refused') {
    await recordRefused(db, request.actor, { ...entry, outcome: 'failure' })
    return denyAccess(step, 'the user has no active membership')
  }
  const { userId, identity } = resolved
  const amr = [...AMR.social]
  const user = await findSignedIn(db, userId, placeOf(returned.system).scope)
  const login = loginOf({ userId, method: 'social', credential: identity.id, scope: identity.scope })
  const notify = user && noteDevice(parts, request, reply, user, { system: returned.system, amr })
  return completeStep(
    step,
    { login },
    {
      condition: enabledLoginTime(userId, usedMeanwhile),
      entry: { ...entry, target: { type: 'user', id: userId } },
      actor: { ...request.actor, type: 'user', id: userId },
      async work(tx) {
        const isCurrent =
          (await touchIdentity(tx, identity.id, identityOf(provider, person))) &&
          (await consumeLogin(parts, tx, returned))
        if (!isCurrent) throw usedMeanwhile()
        await notify?.(tx)
      },
    },
  )
}

/**
 * Links the identity to the user whose password was verified, unless their own
 * e-mail address is still unverified.
 */
async function linkByPassword(step: Step, returned: ReturnedLogin): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const show = (state: PageState) => sendLink(step, returned.provider, state)
  const { email, password } = (request.body ?? {}) as { email?: unknown; password?: unknown }
  const address = typeof email === 'string' ? email.trim().slice(0, 254) : ''
  const given = typeof password === 'string' ? password : ''
  if (address === '' || address.includes('\0'))
    return show({ status: 400, errors: { email: 'emailMissing' } })
  const values = { email: address }
  const wrong = { form: 'wrongCredentials' } as const
  if (given === '') return show({ status: 400, values, errors: { password: 'passwordMissing' } })
  if (given.length > TYPED_PASSWORD_MAX) return show({ status: 401, values, errors: wrong })
  const entry = loginEntry(returned)
  const place = placeOf(returned.system)
  const checked = await checkPassword(parts, request, { email: address, password: given }, place)
  if ('rejected' in checked) return show({ values, ...rejectedState(request, checked, wrong) })
  const user = checked.user
  clearProviderLogin(parts, reply, loginPurpose(step.interaction.uid))
  const amr = [...AMR.password, ...AMR.social]
  const { id: credential, scope: validIn } = user.password
  const actor = { ...request.actor, type: 'user' as const, id: user.id }
  const notify = noteDevice(parts, request, reply, user, { system: returned.system, amr })
  return completeStep(
    step,
    { login: loginOf({ userId: user.id, method: 'password', credential, scope: validIn }) },
    {
      condition: loginTime(user, usedMeanwhile),
      entry: { ...entry, target: { type: 'user', id: user.id } },
      actor,
      async work(tx) {
        const before = await lockUser(tx, {}, user.id)
        if (!(await consumeLogin(parts, tx, returned))) throw usedMeanwhile()
        await notify?.(tx)
        const { provider, person, system } = returned
        const identity = identityOf(provider, person)
        const scope = linkScope(user, before, place.scope)
        if (scope === undefined) return
        const linking = { identity, scope, providerName: provider.name, system }
        await linkOnly(tx, parts.seal, actor, before, linking)
      },
    },
  ).catch((error: unknown) => recordConflict(step, returned, error))
}

/**
 * Where an identity is valid that is linked by a password: where the password is; only in the system of the
 * sign-in if the user has a second factor, which was not verified yet. Undefined: it is not linked. A
 * temporary password may be known to another person and links nothing, nor does one that an emailed code has
 * to confirm first.
 */
function linkScope(
  { password, isUnconfirmed }: LoginWithPassword,
  { mfaEnabled }: User,
  system: Scope,
): Scope | undefined {
  if (password.mustChange || isUnconfirmed) return undefined
  if (password.scope !== null) return password.scope
  return mfaEnabled ? (system ?? undefined) : null
}

/**
 * Sign-in with another identity provider. GET /social/login redirects to the provider, GET /social/callback
 * verifies the response, and /interaction/:uid/social, which receives the cookie of the interaction, resolves
 * the user. Each provider also has /social/<provider>/… and /<provider>/…; its redirect URI is
 * /social/<provider>/callback, or /social/callback if there is one provider. The self-service pages use the
 * same routes to link a provider (self-service/link.ts).
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { noteDevice } from '../authentication/known-devices.ts'
import { checkPassword, type LoginWithPassword, TYPED_PASSWORD_MAX } from '../authentication/password.ts'
import { isGiven } from '../authentication/second-factor.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING, type Scope } from '../http/authority.ts'
import { keepOpeners } from '../http/opener.ts'
import { recordRefused } from '../journal/audit/failures.ts'
import { clientOfStep } from '../oidc/clients/opened.ts'
import {
  completeStep,
  denyAccess,
  type InteractionParts,
  isTestSignIn,
  placeOf,
  redirectToStep,
  type SignInStep,
  STEP,
  STEP_BODY_MAX,
  stepOf,
  submittedStep,
  systemOf,
} from '../oidc/interaction.ts'
import { loginOf } from '../oidc/policy/proofs.ts'
import { loginTime } from '../resources/sign-ins/queries.ts'
import { lockUser, type User } from '../resources/users/queries.ts'
import { type PageState, rejectedState } from '../ui/forms.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import { handleCallback, redirectFormAsQuery, startAuthorization } from './authorization.ts'
import { identityOf, linkOnly, resolveUser } from './link.ts'
import { acceptsCode, linkByCode, sendLinkCode } from './link-by-code.ts'
import { sendLink, shownLink } from './link-page.ts'
import type { Providers } from './providers.ts'
import {
  consumeLogin,
  loginEntry,
  type ReturnedLogin,
  recordConflict,
  signInByIdentity,
} from './returned-login.ts'
import { clearProviderLogin, loginPurpose, readProviderLogin } from './state.ts'

/** The library generates 21 or more characters of this alphabet. */
const UID = /^[\w-]{1,100}$/

type SocialParts = InteractionParts & { providers: Providers }

export const socialRoutes: FastifyPluginAsyncTypebox<SocialParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: STEP_BODY_MAX })
  answerPageFailures(app, parts, (request) => {
    const { uid } = { ...(request.query as object), ...(request.params as object) } as { uid?: unknown }
    return typeof uid === 'string' ? clientOfStep(parts.config, request, uid) : undefined
  })
  keepOpeners(app)
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

  for (const url of ['/social/callback', '/social/:provider/callback'])
    app.post(url, { ...hidden, bodyLimit: STEP_BODY_MAX }, async (request, reply) => {
      const provider = providerOf(request)
      if (provider.kind !== 'apple') throw new Failure('not_found')
      return redirectFormAsQuery(parts, request, reply, provider)
    })

  app.get('/interaction/:uid/social', { ...STEP, exposeHeadRoute: false }, async (request, reply) => {
    const step = await stepOf(parts, request, reply)
    if (!step) return reply
    const returned = await returnedLogin(parts, step)
    if (!returned) return redirectToStep(step)
    const shown = shownLink(step)
    return shown ? sendLink(step, returned.provider, shown) : completeLogin(step, returned)
  })

  app.post('/interaction/:uid/social', STEP, async (request, reply) => {
    const step = await submittedStep(parts, request, reply)
    if (!step) return reply
    const returned = await returnedLogin(parts, step)
    return returned && !returned.isTest ? submitLink(step, returned) : redirectToStep(step)
  })
}

/** The provider login that the browser returned with, at the login step of its interaction. */
async function returnedLogin(
  { providers }: SocialParts,
  step: SignInStep,
): Promise<ReturnedLogin | undefined> {
  const { uid, prompt } = step.interaction
  if (prompt.name !== 'login') return undefined
  const login = readProviderLogin(step.parts, step.request, loginPurpose(uid))
  const provider = providers.find(login?.provider)
  const isTest = isTestSignIn(step.interaction)
  return login && provider && { ...login, provider, system: await systemOf(step), isTest }
}

async function completeLogin(step: SignInStep, returned: ReturnedLogin): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const { db, seal } = parts
  const { person, provider } = returned
  const resolved = await inTransaction(db, (tx) => resolveUser(tx, seal, request.actor, returned)).catch(
    (error: unknown) => recordConflict(step, returned, error),
  )
  if (resolved === 'password') return sendLink(step, provider, { values: { email: person.email ?? '' } })
  if (resolved !== 'refused') return signInByIdentity(step, returned, resolved)
  clearProviderLogin(parts, reply, loginPurpose(step.interaction.uid))
  await recordRefused(db, request.actor, { ...loginEntry(returned), outcome: 'failure' })
  return denyAccess(step, 'the user has no active membership')
}

type LinkFields = { email?: unknown; send?: unknown; code?: unknown }

/** The user shows by the password, or by an emailed code, that the account is theirs. */
async function submitLink(step: SignInStep, returned: ReturnedLogin): Promise<FastifyReply> {
  const { provider, system } = returned
  const { email: typed, send, code } = (step.request.body ?? {}) as LinkFields
  const email = typeof typed === 'string' ? typed.trim().slice(0, 254) : ''
  if (email === '' || email.includes('\0'))
    return sendLink(step, provider, { status: 400, errors: { email: 'emailMissing' } })
  if (acceptsCode(system) && isGiven(send)) return sendLinkCode(step, returned, system, email)
  if (acceptsCode(system) && code !== undefined) return linkByCode(step, returned, system, { email, code })
  return linkByPassword(step, returned, email)
}

/**
 * Links the identity to the user whose password was verified, unless their own
 * e-mail address is still unverified.
 */
async function linkByPassword(
  step: SignInStep,
  returned: ReturnedLogin,
  address: string,
): Promise<FastifyReply> {
  const { parts, request, reply } = step
  const show = (state: PageState) => sendLink(step, returned.provider, state)
  const { password } = (request.body ?? {}) as { password?: unknown }
  const given = typeof password === 'string' ? password : ''
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
  const signIn = { system: returned.system, login: { scope: validIn }, amr }
  const notify = noteDevice(parts, request, reply, user, signIn)
  return completeStep(
    step,
    { login: loginOf(user, { method: 'password', credential, scope: validIn }) },
    {
      condition: loginTime(user, usedMeanwhile),
      entry: { ...entry, target: { type: 'user', id: user.id } },
      actor,
      async work(tx) {
        const before = await lockUser(tx, EVERYTHING, user.id)
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

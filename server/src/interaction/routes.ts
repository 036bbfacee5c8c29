/**
 * The sign-in a person goes through: /interaction/:uid and its steps, as pages and as JSON. Each step does its own work
 * and hands the result back to the protocol library, which decides by oidc/prompts.ts what is next; a step that is not
 * the one owed changes nothing and leads back to the one that is.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { attemptLogin } from '../authentication/password.ts'
import { record } from '../resources/audit/record.ts'
import { upsertConsent } from '../resources/consents/queries.ts'
import type { Texts } from '../ui/i18n/texts.ts'
import { assetRoutes } from './assets.ts'
import { changePassword } from './change-password.ts'
import { factorSteps } from './factor-steps.ts'
import { newcomerSteps } from './newcomer-steps.ts'
import { answerPageFailures } from './refusals.ts'
import { type Details, type Screen, sendScreen } from './screens.ts'
import { signIn } from './sign-in.ts'
import {
  BODY_LIMIT,
  back,
  detailsOf,
  finish,
  type InteractionParts,
  ownedBy,
  refuse,
  STEP,
  systemOf,
} from './steps.ts'

export const interactionRoutes: FastifyPluginAsyncTypebox<InteractionParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  await app.register(assetRoutes)
  answerPageFailures(app)
  // Browsers would send `Origin: null` from a page with no-referrer, and our own forms could not be told from others.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  await app.register(factorSteps, parts)
  await app.register(newcomerSteps, parts)
  const owned = (request: FastifyRequest, reply: FastifyReply) => ownedBy(parts, request, reply)
  const show = (request: FastifyRequest, reply: FastifyReply, details: Details, screen: Screen = {}) =>
    sendScreen(parts, request, reply, details, screen)

  app.get('/interaction/:uid', STEP, async (request, reply) => {
    const details = await detailsOf(parts.provider(), request, reply)
    return show(request, reply, details)
  })

  app.post('/interaction/:uid/login', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    const given = readLogin(request)
    if ('errors' in given)
      return show(request, reply, details, {
        status: 400,
        values: { email: given.email },
        errors: given.errors,
      })
    const systemId = await systemOf(parts, details)
    const attempt = await attemptLogin(parts, request, given, systemId)
    if (!attempt.user) return show(request, reply, details, attempt.screen)
    return signIn(parts, request, reply, attempt.user, systemId)
  })

  app.post('/interaction/:uid/change-password', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'change_password') return back(request, reply, details)
    const change = await changePassword(parts, request, reply, details, await systemOf(parts, details))
    if ('errors' in change) return show(request, reply, details, { status: 400, errors: change.errors })
    return finish(parts, request, reply, { change_password: {} }, change.keep)
  })

  app.post('/interaction/:uid/account', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'select_account') return back(request, reply, details)
    const accountId = (request.body as { accountId?: unknown } | undefined)?.accountId
    const offered = (details.prompt.details.accounts as { id: string }[] | undefined) ?? []
    if (!offered.some((account) => account.id === accountId))
      return show(request, reply, details, { status: 400, errors: { form: 'accountMissing' } })
    return finish(parts, request, reply, { select_account: { accountId: String(accountId) } })
  })

  app.post('/interaction/:uid/consent', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'consent') return back(request, reply, details)
    if ((request.body as { decision?: unknown } | undefined)?.decision === 'deny')
      return refuse(parts, request, reply, 'the user did not consent')
    const { account, scopes } = details.prompt.details as { account: { id: string }; scopes: string[] }
    const userId = details.session?.accountId ?? ''
    const systemId = await systemOf(parts, details)
    return finish(parts, request, reply, { consent: {} }, async (tx) => {
      await upsertConsent(tx, userId, account.id, scopes)
      await record(
        tx,
        { ...request.actor, type: 'user', id: userId },
        {
          action: 'consent.granted',
          target: { type: 'account', id: account.id },
          systemId,
          accountId: account.id,
          changes: { scopes: [null, scopes] },
        },
      )
    })
  })

  /** The way back to the application from a page that can only say no; and a way out of any step. */
  app.post('/interaction/:uid/abort', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    return refuse(
      parts,
      request,
      reply,
      details.prompt.name === 'access' ? 'the user has no active membership' : 'the user left the sign-in',
    )
  })
}

type LoginErrors = { email?: keyof Texts; password?: keyof Texts; form?: keyof Texts }

/** 1,024 characters is far more than a password may have; longer ones are not hashed. */
function readLogin({
  body,
}: FastifyRequest): { email: string; password: string } | { email: string; errors: LoginErrors } {
  const { email, password } = (body ?? {}) as { email?: unknown; password?: unknown }
  const address = typeof email === 'string' ? email.trim() : ''
  const errors: LoginErrors = {}
  if (address === '') errors.email = 'emailMissing'
  else if (address.length > 254 || !address.includes('@') || address.includes('\0'))
    errors.email = 'emailInvalid'
  if (typeof password !== 'string' || password === '') errors.password = 'passwordMissing'
  else if (password.length > 1_024) errors.form = 'wrongCredentials'
  return Object.keys(errors).length > 0
    ? { email: address.slice(0, 254), errors }
    : { email: address, password: String(password) }
}

/** The steps of people who register, join, or have forgotten their password, below /interaction/:uid. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  askForMail,
  isStill,
  mailReset,
  openWaiting,
  register,
  sealWaiting,
  tellAgain,
} from '../authentication/registration.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms.ts'
import { findEnabledUser } from '../oidc/storage/queries.ts'
import { joinSystem } from '../resources/memberships/join.ts'
import { clientOf } from '../resources/systems/clients.ts'
import type { Client } from '../resources/systems/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { LANGUAGE_TAGS, localeOf } from '../ui/i18n/texts.ts'
import { readAccountName, readAddress, readRegistrant } from './newcomer-fields.ts'
import { findLogin } from './queries.ts'
import { type Details, type Screen, sendScreen } from './screens.ts'
import { signIn } from './sign-in.ts'
import { back, detailsOf, finish, type InteractionParts, ownedBy, refuse, STEP } from './steps.ts'

type Fields = { registration?: unknown; resend?: unknown; decision?: unknown }
const fieldsOf = (request: FastifyRequest) => (request.body ?? {}) as Fields

export const newcomerSteps: FastifyPluginAsyncTypebox<InteractionParts> = async (app, parts) => {
  const { db, seal, config } = parts
  const owned = (request: FastifyRequest, reply: FastifyReply) => ownedBy(parts, request, reply)
  const show = (request: FastifyRequest, reply: FastifyReply, details: Details, screen: Screen) =>
    sendScreen(parts, request, reply, details, screen)

  /** Shows what comes after a mail was asked for, or that too many were; for who draws their own screens that is thrown. */
  async function afterMail(
    request: FastifyRequest,
    reply: FastifyReply,
    details: Details,
    { work, before, after }: { work: () => Promise<unknown>; before: Screen; after: () => Screen },
  ): Promise<FastifyReply> {
    try {
      await askForMail(parts, request, work)
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'too_many_requests') || wantsJson(request)) throw error
      const screen = {
        ...before,
        status: 429,
        errors: { form: 'tooManyAttempts' },
        retryAfter: error.retryAfter,
      } as const
      return show(request, reply, details, screen)
    }
    return show(request, reply, details, after())
  }

  app.get('/interaction/:uid/register', STEP, async (request, reply) => {
    const details = await detailsOf(parts.provider(), request, reply)
    await demandOpen(parts, details)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    return show(request, reply, details, { step: 'register', values: hintOf(details) })
  })

  app.post('/interaction/:uid/register', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    const system = await demandOpen(parts, details)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    const { multiAccount } = system
    const given = readRegistrant(request.body, { multiAccount, minLength: config.PASSWORD_MIN_LENGTH })
    if ('errors' in given) return show(request, reply, details, { step: 'register', status: 400, ...given })
    const { email, name, accountName, password } = given
    const values = { email, ...(name !== null && { name }), ...(accountName !== null && { accountName }) }
    const locale = LANGUAGE_TAGS[localeOf(details.params.ui_locales, request.headers['accept-language'])]
    let registration = ''
    return afterMail(request, reply, details, {
      work: async () => {
        const passwordHash = await hashPassword(password)
        registration = sealWaiting(seal, details.uid, email, passwordHash)
        await register(parts, request, system, { ...given, locale }, passwordHash)
      },
      before: { step: 'register', values },
      after: () => ({ step: 'verify_email', values: { email }, registration }),
    })
  })

  app.post('/interaction/:uid/verify-email', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name === 'login') return goOnRegistered(request, reply, details)
    if (details.prompt.name !== 'verify_email') return back(request, reply, details)
    const user = await findEnabledUser(db, details.session?.accountId ?? '')
    if (!user) throw new Failure('interaction_not_found')
    if (fieldsOf(request).resend)
      return sendAgain(request, reply, details, { email: user.email, signedIn: true }, {})
    if (user.unproven || !user.emailVerified)
      return show(request, reply, details, { status: 400, errors: { form: 'notConfirmedYet' } })
    return finish(parts, request, reply, { verify_email: {} })
  })

  /** The browser that has just registered: it is signed in once the address is proven, by whichever browser. */
  async function goOnRegistered(
    request: FastifyRequest,
    reply: FastifyReply,
    details: Details,
  ): Promise<FastifyReply> {
    const { registration, resend } = fieldsOf(request)
    const waiting = openWaiting(seal, details.uid, registration)
    if (!waiting) return back(request, reply, details)
    const { email } = waiting
    const screen = { step: 'verify_email', values: { email }, registration: String(registration) } as const
    if (resend) return sendAgain(request, reply, details, { email, signedIn: false }, screen)
    const { user } = await findLogin(db, email)
    if (!user?.mayLogIn || user.unproven || !isStill(seal, waiting, user.passwordHash))
      return show(request, reply, details, { ...screen, status: 400, errors: { form: 'notConfirmedYet' } })
    return signIn(parts, request, reply, user, (await systemOf(parts, details)).id)
  }

  async function sendAgain(
    request: FastifyRequest,
    reply: FastifyReply,
    details: Details,
    to: { email: string; signedIn: boolean },
    screen: Screen,
  ): Promise<FastifyReply> {
    const system = await systemOf(parts, details)
    const work = () => tellAgain(parts, request, system, to)
    return afterMail(request, reply, details, {
      work,
      before: screen,
      after: () => ({ ...screen, notice: 'mailSentAgain' }),
    })
  }

  app.post('/interaction/:uid/join', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'join') return back(request, reply, details)
    if (fieldsOf(request).decision === 'deny')
      return refuse(parts, request, reply, 'the user did not want to join')
    const { id: systemId, multiAccount } = await demandOpen(parts, details)
    const account = readAccountName(request.body, multiAccount)
    if ('fault' in account)
      return show(request, reply, details, { status: 400, errors: { accountName: account.fault } })
    const userId = details.session?.accountId ?? ''
    return finish(parts, request, reply, { join: {} }, async (tx) => {
      const user = await lockUser(tx, {}, userId)
      await joinSystem(tx, { ...request.actor, type: 'user', id: userId }, { user, systemId, ...account })
    })
  })

  app.get('/interaction/:uid/forgot-password', STEP, async (request, reply) => {
    const details = await detailsOf(parts.provider(), request, reply)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    return show(request, reply, details, { step: 'forgot_password', values: hintOf(details) })
  })

  app.post('/interaction/:uid/forgot-password', STEP, async (request, reply) => {
    const details = await owned(request, reply)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    const given = readAddress(request.body)
    if ('fault' in given) {
      const { typed: email, fault } = given
      return show(request, reply, details, {
        step: 'forgot_password',
        status: 400,
        values: { email },
        errors: { email: fault },
      })
    }
    const system = await systemOf(parts, details)
    return afterMail(request, reply, details, {
      work: () => mailReset(parts, request, system, given.email),
      before: { step: 'forgot_password', values: given },
      after: () => ({ step: 'password_reset_sent', values: given }),
    })
  })
}

const hintOf = ({ params }: Details) => (params.login_hint === undefined ? {} : { email: params.login_hint })

async function systemOf({ db }: InteractionParts, { params }: Details): Promise<Client> {
  const system = await clientOf(db, params.client_id)
  if (!system) throw new Failure('interaction_not_found')
  return system
}

/** The system of the sign-in, when people may become members by themselves. To others there is no such step. */
async function demandOpen(parts: InteractionParts, details: Details): Promise<Client> {
  const system = await systemOf(parts, details)
  if (!system.open) throw new Failure('not_found')
  return system
}

/**
 * Pages of emailed links: /reset-password, /confirm-registration, /verify-email and /change-email, as HTML
 * and as JSON. Opening a link changes nothing, since mail scanners open links; its form consumes the link. A
 * link verifies the address only: it starts no session and removes no second factor.
 */

import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { rememberDevice } from '../authentication/known-devices.ts'
import {
  faultSentences,
  type NewPasswordFaults,
  newPasswordField,
  passwordLengths,
  readNewPassword,
} from '../authentication/new-password.ts'
import { confirmByLink, openRegistration, REGISTRATION_PATH } from '../authentication/registration.ts'
import type { Config } from '../config/config.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { demandOwnLinkForm, readLinkToken, wantsJson } from '../http/forms-and-cookies.ts'
import { readShown, redirectToOutcome } from '../http/shown.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../jobs/email/enqueue.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { CHANGE_PATH, confirmEmailChange, openChange } from '../lifecycle/change-email.ts'
import { replacePassword } from '../lifecycle/replace-password.ts'
import { LINKS, type LinkPurpose, linkOf } from '../resources/credentials/links.ts'
import { consumeLink, findLink, type LinkReader, type MailedLink } from '../resources/credentials/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { verifyMailbox } from '../resources/users/verify-mailbox.ts'
import { completelySignedIn } from '../self-service/signed-in.ts'
import { localeOf, textsOf } from '../texts/texts.ts'
import { bdi, type Content, fill } from '../ui/html.ts'
import { pagePolicy } from '../ui/layout.ts'
import { messagePage } from '../ui/pages/message.ts'
import { newPasswordPage } from '../ui/pages/new-password.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import { changePage, verifyPage } from '../ui/pages/verify-email.ts'

/** 16 kB: a token and two passwords. */
const BODY_LIMIT = 16_384

type Parts = { db: Db; seal: Seal; config: Config; provider: () => Provider }
type OpenedForm = { token: string; email: string }
type Opened = LinkReader & OpenedForm & { link: MailedLink }

export const recoveryRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app, parts.seal)

  linkPage(app, parts, {
    path: LINKS.password_reset.path,
    show: async (request, reply, { token, errors }) =>
      sendResetForm(parts, request, reply, await open(parts, 'password_reset', token), errors),
    async submit(request, reply, token) {
      const opened = await open(parts, 'password_reset', token)
      const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
      if ('errors' in chosen) return chosen
      await resetPassword(parts, request, reply, opened, await hashPassword(chosen.password, null))
      return { done: 'passwordChanged' }
    },
  })

  linkPage(app, parts, {
    path: REGISTRATION_PATH,
    show: async (request, reply, { token, errors }) =>
      sendRegistrationForm(parts, request, reply, await openPending(parts, token), errors),
    async submit(request, _reply, token) {
      await openPending(parts, token)
      const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
      if ('errors' in chosen) return chosen
      const passwordHash = await hashPassword(chosen.password, null)
      const confirmed = await confirmByLink(parts, request.actor, { token, passwordHash })
      if (!confirmed) throw new Failure('link_expired')
      return { done: confirmed === 'known' ? 'userKnown' : 'registered' }
    },
  })

  linkPage(app, parts, {
    path: LINKS.email_verification.path,
    async show(request, reply, { token }) {
      const { email } = await open(parts, 'email_verification', token)
      return sendConfirmation(request, reply, { step: 'verify_email', page: verifyPage, token, email })
    },
    async submit(request, _reply, token) {
      await verifyEmail(parts, request, await open(parts, 'email_verification', token))
      return { done: 'verified' }
    },
  })

  linkPage(app, parts, {
    path: CHANGE_PATH,
    async show(request, reply, { token }) {
      const { email } = await openEmailChange(parts, request, reply, token)
      return sendConfirmation(request, reply, { step: 'change_email', page: changePage, token, email })
    },
    async submit(request, reply, token) {
      const opened = await openEmailChange(parts, request, reply, token)
      const actor = { ...request.actor, type: 'user' as const, id: opened.userId }
      const outcome = await confirmEmailChange(parts.db, parts.seal, actor, opened)
      return { done: outcome === 'changed' ? 'emailChanged' : 'emailWaiting' }
    },
  })
}

type Form = { token: string; errors?: NewPasswordFaults }
type Done = { done: keyof typeof DONE }

type LinkPage = {
  path: string
  show(request: FastifyRequest, reply: FastifyReply, form: Form): Promise<FastifyReply>
  /** Consumes the link, or returns the errors of its form. */
  submit(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
  ): Promise<Done | { errors: NewPasswordFaults }>
}

/**
 * The two routes of a link. Its form is answered by a redirect to the page with the errors or to the end; the
 * token in the address of the page is sealed.
 */
function linkPage(app: FastifyInstance, parts: Parts, { path, show, submit }: LinkPage): void {
  const config = { authority: 'public' } as const
  const draw = async (request: FastifyRequest, reply: FastifyReply, state: Form | Done) => {
    if ('done' in state) return sendDone(request, reply, state.done)
    return show(request, state.errors ? reply.code(400) : reply, state)
  }

  app.get(path, { config }, async (request, reply) => {
    const found = readShown<Form | Done>(parts.seal, request, path)
    return draw(request, reply, found?.shown ?? { token: readLinkToken(request.query) })
  })

  app.post(path, { config, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    demandOwnLinkForm(request, parts.config)
    const token = readLinkToken(request.body)
    const outcome = await submit(request, reply, token)
    const isDone = 'done' in outcome
    const shown = isDone ? outcome : { ...outcome, token }
    const at = { address: path, page: path, shown, status: isDone ? 200 : 400 }
    return redirectToOutcome(parts.seal, request, reply, at) ?? draw(request, reply, shown)
  })
}

/** The user of a valid link. Throws `link_expired`. */
async function open({ db, seal }: Parts, purpose: LinkPurpose, token: string): Promise<Opened> {
  const link = linkOf(seal, purpose, token)
  const reader = await findLink(db, link)
  if (!reader) throw new Failure('link_expired')
  return { ...reader, token, link }
}

/** The registration of a valid link. Throws `link_expired`. */
async function openPending(parts: Parts, token: string): Promise<OpenedForm & { systemName: string }> {
  const registration = await openRegistration(parts, token)
  if (!registration) throw new Failure('link_expired')
  return { ...registration, token }
}

/**
 * The link to the new address throws `link_requires_sign_in` unless its user is signed in with credentials
 * that are valid everywhere.
 */
async function openEmailChange(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<{ userId: string; email: string; token: string }> {
  const change = await openChange(parts.db, parts.seal, token)
  if (!change) throw new Failure('link_expired')
  if (change.ofNewAddress && (await completelySignedIn(parts, request, reply)) !== change.userId)
    throw new Failure('link_requires_sign_in')
  return { ...change, token }
}

/** The browser becomes a known device, unless the user has a second factor. */
async function resetPassword(
  { db, seal, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
  passwordHash: string,
): Promise<void> {
  const actor = { ...request.actor, type: 'user' as const, id: opened.userId }
  await inTransaction(db, async (tx) => {
    // The user is locked first, as in every transaction that changes one, to avoid deadlocks.
    const before = await lockUser(tx, EVERYTHING, opened.userId)
    if (!(await consumeLink(tx, opened.link))) throw new Failure('link_expired')
    const password = { hash: passwordHash, mustChange: false, byMail: true as const }
    const target = { type: 'user', id: before.id }
    const after = await replacePassword(tx, actor, before, null, password, {
      action: 'user.password_reset_by_link',
      target,
    })
    await enqueueEmail(tx, seal, passwordChanged(after, 'byLink'), OF_NO_SYSTEM)
    const known = { id: after.id, password: { hash: passwordHash } }
    if (!after.mfaEnabled) rememberDevice({ seal, config }, request, reply, known)
  })
}

async function verifyEmail({ db }: Parts, request: FastifyRequest, opened: Opened): Promise<void> {
  const actor = { ...request.actor, type: 'user' as const, id: opened.userId }
  await inTransaction(db, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, opened.userId)
    if (!(await consumeLink(tx, opened.link))) throw new Failure('link_expired')
    await verifyMailbox(tx, actor, before)
  })
}

const languageOf = (request: FastifyRequest) => localeOf(undefined, request.headers['accept-language'])
const tokenField = (token: string) => ({ name: 'token', type: 'hidden', required: true, value: token })

const sendPage = (reply: FastifyReply, page: string) =>
  reply
    .header('content-security-policy', pagePolicy({ page, forms: 'own' }))
    .type('text/html')
    .send(page)

type Confirmation = { step: string; page: typeof verifyPage; token: string; email: string }

/** The form of a link that only confirms. */
function sendConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  { step, page, token, email }: Confirmation,
): FastifyReply {
  const action = request.routeOptions.url ?? ''
  if (wantsJson(request)) return reply.send({ step, action, email, fields: [tokenField(token)], errors: [] })
  return sendPage(reply, page({ locale: languageOf(request), action, token, email }))
}

const sendResetForm = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: OpenedForm,
  faults: NewPasswordFaults = {},
): FastifyReply => {
  const lead = fill(textsOf(languageOf(request)).resetPasswordLead, { email: bdi(opened.email) })
  const form = { step: 'reset_password', action: LINKS.password_reset.path, lead }
  return sendPasswordForm(parts, request, reply, { ...opened, ...form, faults })
}

const sendRegistrationForm = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { systemName, ...opened }: OpenedForm & { systemName: string },
  faults: NewPasswordFaults = {},
): FastifyReply => {
  const named = { email: bdi(opened.email), system: bdi(systemName) }
  const lead = fill(textsOf(languageOf(request)).registerLead, named)
  const form = { step: 'confirm_registration', action: REGISTRATION_PATH, lead }
  return sendPasswordForm(parts, request, reply, { ...opened, ...form, faults })
}

type PasswordForm = OpenedForm & { step: string; action: string; lead: Content; faults: NewPasswordFaults }

/** The form of a link that sets a password. */
function sendPasswordForm(
  { config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { step, action, lead, token, email, faults }: PasswordForm,
): FastifyReply {
  const locale = languageOf(request)
  const lengths = passwordLengths(config)
  const errors = faultSentences(faults, locale)
  if (wantsJson(request)) {
    const listed = Object.entries(errors).flatMap(([path, message]) =>
      message === undefined ? [] : [{ path, message }],
    )
    const fields = [tokenField(token), newPasswordField(lengths)]
    return reply.send({ step, action, email, fields, errors: listed })
  }
  return sendPage(reply, newPasswordPage({ locale, lead, action, hidden: { token }, email, lengths, errors }))
}

const DONE = {
  passwordChanged: 'password_changed',
  verified: 'email_verified',
  registered: 'user_created',
  userKnown: 'user_exists',
  emailChanged: 'email_changed',
  emailWaiting: 'email_change_waiting',
} as const

const sendDone = (request: FastifyRequest, reply: FastifyReply, kind: keyof typeof DONE) =>
  wantsJson(request)
    ? reply.send({ step: DONE[kind] })
    : sendPage(reply, messagePage({ locale: languageOf(request), kind }))

/**
 * Pages of emailed links: /reset-password, /confirm-registration, /verify-email and /change-email, as HTML
 * and as JSON. Opening a link changes nothing, since mail scanners open links; its form consumes the link. A
 * link verifies the address only: it starts no session and removes no second factor.
 */

import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rememberDevice } from '../authentication/known-devices.ts'
import {
  faultSentences,
  type NewPasswordFaults,
  newPasswordField,
  passwordLengths,
  readNewPassword,
} from '../authentication/new-password.ts'
import {
  confirmByLink,
  openRegistration,
  REGISTRATION_PATH,
  sendPasswordReset,
  withMailLimit,
} from '../authentication/registration.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { demandOwnLinkForm, readLinkToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { readShown, redirectToOutcome } from '../http/shown.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../jobs/email/enqueue.ts'
import { passwordChanged } from '../jobs/email/messages.ts'
import { CHANGE_PATH, confirmEmailChange, openChange } from '../lifecycle/change-email.ts'
import { replacePassword } from '../lifecycle/replace-password.ts'
import { LINKS, type LinkPurpose, linkOf } from '../resources/credentials/links.ts'
import { consumeLink, findLink, type LinkRow } from '../resources/credentials/queries.ts'
import type { RegistrationLink } from '../resources/registrations/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { verifyMailbox } from '../resources/users/verify-mailbox.ts'
import { completelySignedIn } from '../self-service/signed-in.ts'
import { textsOf } from '../texts/texts.ts'
import { bdi, type Content, fill } from '../ui/html.ts'
import type { SystemLook } from '../ui/layout.ts'
import { newPasswordPage } from '../ui/pages/new-password.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import { changePage, verifyPage } from '../ui/pages/verify-email.ts'
import {
  addLinkPage,
  LINK_BODY_MAX,
  type LinkEnds,
  lookOfLink,
  type RecoveryParts as Parts,
  sendDone,
  sendLinkPage,
} from './link-page.ts'

/** Sends another link in place of one that is not valid any more. */
const AGAIN_PATH = `${LINKS.password_reset.path}/again`

type OpenedForm = { token: string; email: string }
type Row = LinkRow & LinkEnds
type RegistrationRow = RegistrationLink & LinkEnds

export const recoveryRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: LINK_BODY_MAX })
  const reset = (token: string) => findRow(parts, 'password_reset', token)
  const verification = (token: string) => findRow(parts, 'email_verification', token)
  const registration = (token: string) => findPending(parts, token)
  const finders: Record<string, (token: string) => Promise<LinkEnds | undefined>> = {
    [LINKS.password_reset.path]: reset,
    [AGAIN_PATH]: reset,
    [LINKS.email_verification.path]: verification,
    [REGISTRATION_PATH]: registration,
  }
  answerPageFailures(app, parts, async ({ routeOptions, query, body }) => {
    const row = await finders[routeOptions.url ?? '']?.(readLinkToken(body ?? query))
    return row?.application?.clientId
  })
  // The choice of the language returns to the page. Other origins receive no referrer: the URL has the token.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))

  addLinkPage(app, parts, {
    path: LINKS.password_reset.path,
    find: reset,
    show: async (request, reply, { token, errors }, row) =>
      sendResetForm(parts, request, reply, { token, ...opened(row) }, errors),
    async submit(request, reply, token, row) {
      const { userId } = opened(row)
      const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
      if ('errors' in chosen) return chosen
      const hash = await hashPassword(chosen.password, null)
      await resetPassword(parts, request, reply, { token, userId }, hash)
      return { done: 'passwordChanged' }
    },
  })
  sendAgain(app, parts, reset)

  addLinkPage(app, parts, {
    path: REGISTRATION_PATH,
    find: registration,
    show: async (request, reply, { token, errors }, row) =>
      sendRegistrationForm(parts, request, reply, { token, ...opened(row) }, errors),
    async submit(request, _reply, token, row) {
      opened(row)
      const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
      if ('errors' in chosen) return chosen
      const passwordHash = await hashPassword(chosen.password, null)
      const confirmed = await confirmByLink(parts, request.actor, { token, passwordHash })
      if (!confirmed) throw new Failure('link_expired')
      return { done: confirmed === 'known' ? 'userKnown' : 'registered' }
    },
  })

  addLinkPage(app, parts, {
    path: LINKS.email_verification.path,
    find: verification,
    async show(request, reply, { token }, row) {
      const { email } = opened(row)
      const system = lookOfLink(parts, row)
      return sendConfirmation(request, reply, {
        step: 'verify_email',
        page: verifyPage,
        token,
        email,
        system,
      })
    },
    async submit(request, _reply, token, row) {
      await verifyEmail(parts, request, { token, userId: opened(row).userId })
      return { done: 'verified' }
    },
  })

  addLinkPage(app, parts, {
    path: CHANGE_PATH,
    find: async () => undefined,
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

/** The form on the page of a link to reset a password: the same answer whatever it sends. */
function sendAgain(
  app: FastifyInstance,
  parts: Parts,
  find: (token: string) => Promise<Row | undefined>,
): void {
  const config = { authority: 'public' } as const
  const draw = async (request: FastifyRequest, reply: FastifyReply, token: string) =>
    sendDone(request, reply, 'resetAgain', lookOfLink(parts, await find(token)))

  app.get(AGAIN_PATH, { config, schema: { hide: true } }, async (request, reply) => {
    const found = readShown<{ token: string }>(parts.seal, request, AGAIN_PATH)
    if (!found) throw new Failure('not_found')
    return draw(request, reply, found.shown.token)
  })

  app.post(AGAIN_PATH, { config, bodyLimit: LINK_BODY_MAX }, async (request, reply) => {
    demandOwnLinkForm(request, parts.config)
    const token = readLinkToken(request.body)
    const row = await find(token)
    await withMailLimit(parts, request, async (waits) => {
      if (row) await sendPasswordReset(parts, request, row.application ?? undefined, { ...row, waits })
    })
    const at = { address: AGAIN_PATH, page: AGAIN_PATH, shown: { token }, status: 200 }
    return redirectToOutcome(parts.seal, request, reply, at) ?? draw(request, reply, token)
  })
}

async function findRow({ db, seal }: Parts, purpose: LinkPurpose, token: string): Promise<Row | undefined> {
  const row = await findLink(db, linkOf(seal, purpose, token))
  const again = purpose === 'password_reset' && row?.isOfUser ? AGAIN_PATH : undefined
  return row && { ...row, loginHint: row.readEmail ?? undefined, again }
}

async function findPending(parts: Parts, token: string): Promise<RegistrationRow | undefined> {
  const row = await openRegistration(parts, token)
  return row && { ...row, loginHint: row.readEmail ?? undefined, registers: true }
}

/** Throws `link_expired` unless the link is valid. */
function opened<Found extends { isGood: boolean }>(row: Found | undefined): Found {
  if (!row?.isGood) throw new Failure('link_expired')
  return row
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
  { token, userId }: { token: string; userId: string },
  passwordHash: string,
): Promise<void> {
  const actor = { ...request.actor, type: 'user' as const, id: userId }
  await inTransaction(db, async (tx) => {
    // The user is locked first, as in every transaction that changes one, to avoid deadlocks.
    const before = await lockUser(tx, EVERYTHING, userId)
    if (!(await consumeLink(tx, linkOf(seal, 'password_reset', token)))) throw new Failure('link_expired')
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

async function verifyEmail(
  { db, seal }: Parts,
  request: FastifyRequest,
  { token, userId }: { token: string; userId: string },
): Promise<void> {
  const actor = { ...request.actor, type: 'user' as const, id: userId }
  await inTransaction(db, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, userId)
    if (!(await consumeLink(tx, linkOf(seal, 'email_verification', token)))) throw new Failure('link_expired')
    await verifyMailbox(tx, actor, before)
  })
}

const tokenField = (token: string) => ({ name: 'token', type: 'hidden', required: true, value: token })

type Confirmation = {
  step: string
  page: typeof verifyPage
  token: string
  email: string
  system?: SystemLook | undefined
}

/** The form of a link that only confirms. */
function sendConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  { step, page, token, email, system }: Confirmation,
): FastifyReply {
  const action = request.routeOptions.url ?? ''
  if (wantsJson(request)) return reply.send({ step, action, email, fields: [tokenField(token)], errors: [] })
  return sendLinkPage(reply, page({ locale: languageOf(request), system, action, token, email }), system)
}

const sendResetForm = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  row: Row & OpenedForm,
  faults: NewPasswordFaults = {},
): FastifyReply => {
  const { email, token } = row
  const lead = fill(textsOf(languageOf(request)).resetPasswordLead, { email: bdi(email) })
  const form = { step: 'reset_password', action: LINKS.password_reset.path, lead }
  const system = lookOfLink(parts, row)
  return sendPasswordForm(parts, request, reply, { email, token, system, ...form, faults })
}

const sendRegistrationForm = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  row: RegistrationRow & OpenedForm,
  faults: NewPasswordFaults = {},
): FastifyReply => {
  const { email, token, application } = row
  const named = { email: bdi(email), system: bdi(application.name) }
  const lead = fill(textsOf(languageOf(request)).registerLead, named)
  const form = { step: 'confirm_registration', action: REGISTRATION_PATH, lead }
  const system = lookOfLink(parts, row)
  return sendPasswordForm(parts, request, reply, { email, token, system, ...form, faults })
}

type PasswordForm = OpenedForm & {
  step: string
  action: string
  lead: Content
  faults: NewPasswordFaults
  system: SystemLook | undefined
}

/** The form of a link that sets a password. */
function sendPasswordForm(
  { config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { step, action, lead, token, email, faults, system }: PasswordForm,
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
  const form = { locale, system, lead, action, hidden: { token }, email, lengths, errors }
  return sendLinkPage(reply, newPasswordPage(form), system)
}

/**
 * /invitation: the page of an invitation, as HTML and as JSON. Opening the link changes nothing, since mail
 * scanners open links; a form answers the invitation. A link that was sent by email proves the mailbox; one
 * that the API returned proves nothing, and shows nothing about the address.
 */

import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { rememberRegistered } from '../authentication/just-registered.ts'
import { newPasswordField, passwordLengths, readNewPassword } from '../authentication/new-password.ts'
import { canMakePasskeys } from '../authentication/passkey.ts'
import { withMailLimit } from '../authentication/registration.ts'
import { readPersonName } from '../authentication/registration-input.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { demandOwnLinkForm, readLinkToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { isBrowserForm, readShown, redirectToOutcome } from '../http/shown.ts'
import {
  acceptInvitation,
  attemptJoin,
  declineInvitation,
  type InvitationOutcome,
  registerInvited,
} from '../lifecycle/accept-invitation.ts'
import { INVITATION_CALLBACK } from '../oidc/clients/client.ts'
import { INVITATION_PATH, mailByLink } from '../resources/invitations/invite.ts'
import type { InvitationStatus, OpenedInvitation } from '../resources/invitations/queries.ts'
import { completeSignIn, startSignIn } from '../self-service/sign-in.ts'
import type { KeyOf } from '../texts/message.ts'
import { LANGUAGE_TAGS, type Texts, textsOf } from '../texts/texts.ts'
import { pagePolicy } from '../ui/layout.ts'
import { brandJson, lookOf } from '../ui/look.ts'
import {
  type AnsweredKind,
  answeredPage,
  type InvitationStep,
  invitationGonePage,
  invitationPage,
} from '../ui/pages/invitation.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import {
  find,
  findEnded,
  INVITATION_SIGN_IN,
  type InvitationParts,
  type Opened,
  OWN_ACCOUNTS,
  openInvitation,
  reopenInvitation,
  type Seen,
} from './open.ts'

/** 16 kB: a token, a name and a password. */
const BODY_LIMIT = 16_384
const schema = { hide: true }
/** The user who has accepted an invitation signs in to see the answer. */
const SIGNS_IN = new Set<InvitationStatus>(['pending', 'accepted'])
const config = { authority: 'public' } as const

export const invitationRoutes: FastifyPluginAsyncTypebox<InvitationParts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app, parts, async ({ query, body }) => {
    const invitation = await findEnded(parts, { token: readLinkToken(body ?? query) })
    return invitation?.system.clientId
  })
  // The choice of the language returns to the page. Other origins receive no referrer: the URL has the token.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))

  app.get(INVITATION_PATH, { config, schema }, async (request, reply) => {
    const found = readShown<Shown>(parts.seal, request, INVITATION_PATH)
    return draw(parts, request, reply, found?.shown ?? { token: readLinkToken(request.query) })
  })

  app.get(`${INVITATION_PATH}/sign-in`, { config, schema }, async (request, reply) => {
    const found = await find(parts, request, reply, readLinkToken(request.query))
    if (!found || !SIGNS_IN.has(found.invitation.status))
      return sendGone(parts, request, reply, found?.invitation)
    const { token, invitation, isAnother } = found
    startSignIn(parts, INVITATION_SIGN_IN, request, reply, {
      page: `${INVITATION_PATH}?token=${token}`,
      secondFactor: false,
      loginHint: invitation.email,
      asAnother: isAnother,
    })
    return reply
  })

  app.get(INVITATION_CALLBACK, { config, schema }, async (request, reply) =>
    completeSignIn(parts, INVITATION_SIGN_IN, request, reply),
  )

  app.post(INVITATION_PATH, { config, schema, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    demandOwnLinkForm(request, parts.config)
    const token = readLinkToken(request.body)
    const opened = await openInvitation(parts, request, reply, token)
    const outcome = opened ? await answer(parts, request, reply, opened) : GONE
    const shown = { token, id: opened?.invitation.id, outcome }
    // The form leads to the application; whoever opens the link later is not redirected.
    if (isMember(outcome) && isBrowserForm(request)) {
      const next = (await reopenInvitation(parts, request, reply, { ...shown, id: shown.id ?? '' }))?.joined
        .next
      if (next !== undefined) return reply.redirect(next, 303)
    }
    const at = { address: INVITATION_PATH, page: INVITATION_PATH, shown, status: outcome.status }
    return redirectToOutcome(parts.seal, request, reply, at) ?? draw(parts, request, reply, shown)
  })
}

type Answered = Exclude<InvitationOutcome, 'gone' | 'other'> | 'blocked' | 'suspended' | 'declined' | 'mailed'

type FormState = {
  values?: { name?: string | undefined }
  errors?: { form?: KeyOf<Texts>; name?: KeyOf<Texts>; password?: KeyOf<Texts> }
}

/** `isForAnother`: the member is not the user who is signed in, and signs in to continue. */
type Answer = { answered: Answered; isForAnother?: boolean; status?: number }
/** What the form leads to: the answered invitation, the page of an ended one, or the form again. */
type Outcome = Answer | { isGone: true; status: number } | (FormState & { status?: number })

/** What the page shows; `id`: of the invitation, whose link may have ended by the answer. */
type Shown = { token: string; id?: string | undefined; outcome?: Outcome }

const GONE = { isGone: true, status: 410 } as const

const isMember = (outcome: Outcome): boolean =>
  'answered' in outcome &&
  !outcome.isForAnother &&
  (outcome.answered === 'joined' || outcome.answered === 'member')

async function draw(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, id, outcome = {} }: Shown,
): Promise<FastifyReply> {
  const gone = async () => sendGone(parts, request, reply, await findEnded(parts, { token, id }))
  if ('isGone' in outcome) return gone()
  if ('answered' in outcome && id !== undefined) {
    const seen = await reopenInvitation(parts, request, reply, { id, token })
    return seen ? sendAnswered(request, reply, seen, outcome) : gone()
  }
  const opened = await openInvitation(parts, request, reply, token)
  if (!opened) return gone()
  const { answered } = opened
  return answered
    ? sendAnswered(request, reply, opened, { answered, ...statusOf(answered) })
    : sendForm(parts, request, reply, opened, outcome as FormState & { status?: number })
}

async function answer(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
): Promise<Outcome> {
  const { decision, as } = (request.body ?? {}) as { decision?: unknown; as?: unknown }
  const { db } = parts
  if (opened.answered) return { answered: opened.answered, ...statusOf(opened.answered) }
  if (decision === 'decline') {
    const isDone = await inTransaction(db, (tx) => declineInvitation(tx, visitorOf(request), opened.linkHash))
    return isDone ? { answered: 'declined' } : GONE
  }
  if (decision === 'mail' && opened.step === 'confirm') {
    await withMailLimit(parts, request, () =>
      inTransaction(db, (tx) => mailByLink(tx, parts, visitorOf(request), opened.linkHash)),
    )
    return { answered: 'mailed' }
  }
  if (decision === 'register' && opened.step === 'register') return register(parts, request, reply, opened)
  if (decision === 'accept' && opened.user) {
    const { id: userId } = opened.user
    const actor = { ...request.actor, type: 'user' as const, id: userId }
    const joining = { userId, ...(typeof as === 'string' && { as }) }
    const joined = await attemptJoin(() =>
      inTransaction(db, (tx) => acceptInvitation(tx, parts, actor, opened.linkHash, joining)),
    )
    return outcomeOf(joined)
  }
  return {}
}

function outcomeOf(joined: InvitationOutcome | 'blocked' | 'suspended', isForAnother = false): Outcome {
  if (joined === 'gone') return GONE
  if (joined === 'other') return {}
  return { answered: joined, isForAnother, ...statusOf(joined) }
}

const statusOf = (answered: Answered): { status?: number } =>
  answered === 'blocked' || answered === 'suspended' ? { status: 403 } : {}

/** Whoever has the link. The administrators of the account learn nothing about them from the audit log. */
const visitorOf = ({ actor }: FastifyRequest): Actor => ({
  ...actor,
  type: 'anonymous',
  id: null,
  ip: null,
  userAgent: null,
})

/** A new user, or one without credentials: with the password chosen on the page. */
async function register(
  parts: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
): Promise<Outcome> {
  const chosen = readNewPassword(request.body, parts.config.PASSWORD_MIN_LENGTH)
  const given = readPersonName(request.body)
  const values = { name: 'name' in given ? (given.name ?? undefined) : given.typed }
  const errors = {
    ...('errors' in chosen && chosen.errors.password && { password: chosen.errors.password }),
    ...('fault' in given && { name: given.fault }),
  }
  if ('errors' in chosen || 'fault' in given) return { status: 400, values, errors }
  const passwordHash = await hashPassword(chosen.password, null)
  const locale = LANGUAGE_TAGS[opened.locale]
  const outcome = await attemptJoin(() =>
    inTransaction(parts.db, (tx) =>
      registerInvited(tx, parts, request.actor, opened.linkHash, { name: given.name, locale, passwordHash }),
    ),
  )
  if (outcome === undefined) return { status: 409, errors: { form: 'userKnown' } }
  if (outcome !== 'blocked' && outcome !== 'suspended' && outcome !== 'gone')
    await rememberRegistered(parts, reply, {
      email: opened.invitation.email,
      hasDevice: canMakePasskeys(request.body),
    })
  return outcomeOf(outcome, opened.isAnother)
}

const signInPathOf = ({ token }: Seen) => `${INVITATION_PATH}/sign-in?token=${token}`

const KINDS = {
  joined: 'Joined',
  pending: 'Pending',
  member: 'Member',
  blocked: 'Blocked',
  suspended: 'Suspended',
  declined: 'Declined',
  mailed: 'Mailed',
} as const satisfies Record<Answered, AnsweredKind>

function sendAnswered(
  request: FastifyRequest,
  reply: FastifyReply,
  seen: Seen,
  { answered, isForAnother = false, status = 200 }: Answer,
): FastifyReply {
  const { invitation, user, locale, joined } = seen
  const isMember = answered === 'joined' || answered === 'member'
  const signIn = isMember && isForAnother ? signInPathOf(seen) : undefined
  const location = signIn ?? joined.next ?? OWN_ACCOUNTS
  const system = isMember ? joined : seen.system
  reply.code(status)
  if (wantsJson(request))
    return reply.send({
      step: answered,
      account: { id: invitation.accountId, name: invitation.accountName },
      ...(isMember && { location }),
    })
  const { accountName: account, email } = invitation
  const page = answeredPage({
    locale,
    system,
    kind: KINDS[answered],
    account,
    email,
    signIn,
    own: isForAnother ? user?.email : undefined,
  })
  return sendInvitationPage(reply, page, { logoUrl: system.logoUrl })
}

function sendForm(
  { config }: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  opened: Opened,
  { values = {}, errors = {}, status = 200 }: FormState & { status?: number },
): FastifyReply {
  const { invitation, token, user, isAnother, locale, system, step, joinAs } = opened
  const { email, accountId, accountName: account, roleNames: roles, message, expiresAt } = invitation
  const inviter = invitation.inviter && (invitation.inviter.name ?? invitation.inviter.email)
  const said = Object.fromEntries(Object.entries(errors).map(([name, key]) => [name, textsOf(locale)[key]]))
  const lengths = passwordLengths(config)
  const signIn = signInPathOf(opened)
  reply.code(status)
  if (wantsJson(request))
    return reply.send({
      step,
      action: INVITATION_PATH,
      email,
      account: { id: accountId, name: account },
      system: brandJson(system),
      inviter,
      roles,
      message,
      expiresAt: expiresAt.toISOString(),
      signIn,
      ...(joinAs !== undefined && { joinAs }),
      fields: fieldsOf({ step, token, joinAs }, lengths),
      errors: Object.entries(said).map(([path, text]) => ({ path, message: text })),
    })
  const about = { locale, system, email, account, inviter, roles, message, expiresAt }
  const page = {
    ...about,
    step,
    own: isAnother ? user?.email : undefined,
    joinAs,
    action: INVITATION_PATH,
    token,
    signIn,
    lengths,
    values,
    errors: said,
  }
  return sendInvitationPage(reply, invitationPage(page), { logoUrl: system.logoUrl })
}

const DECISIONS: Record<InvitationStep, string[]> = {
  join: ['accept', 'decline'],
  register: ['register', 'decline'],
  confirm: ['mail', 'decline'],
  another: ['decline'],
  sign_in: ['decline'],
}

const fieldsOf = (
  { step, token, joinAs }: Pick<Opened, 'step' | 'token' | 'joinAs'>,
  lengths: { min: number; max: number },
): object[] => [
  { name: 'token', type: 'hidden', required: true, value: token },
  {
    name: 'decision',
    type: 'choice',
    required: true,
    options: [...(joinAs === undefined ? [] : ['accept']), ...DECISIONS[step]].map((id) => ({ id })),
  },
  ...(joinAs === undefined ? [] : [{ name: 'as', type: 'hidden', required: false, value: joinAs }]),
  ...(step === 'register'
    ? [{ name: 'name', type: 'text', required: false, maxLength: 100 }, newPasswordField(lengths)]
    : []),
]

function sendGone(
  { config }: InvitationParts,
  request: FastifyRequest,
  reply: FastifyReply,
  invitation: OpenedInvitation | undefined,
): FastifyReply {
  if (wantsJson(request)) throw new Failure('link_expired')
  const locale = languageOf(request)
  const system = invitation && lookOf(config, invitation.system)
  const { status, inviter, accountName: account } = invitation ?? {}
  const ask =
    status === 'expired' && account !== undefined
      ? { inviter: inviter ? (inviter.name ?? inviter.email) : null, account }
      : undefined
  const page = invitationGonePage({ locale, system, ask })
  return sendInvitationPage(reply.code(410), page, { logoUrl: system?.logoUrl })
}

/** Whoever joins continues at the application. */
const sendInvitationPage = (
  reply: FastifyReply,
  page: string,
  sources: { logoUrl?: string | undefined } = {},
): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy({ page, forms: 'away', ...sources }))
    .type('text/html')
    .send(page)

/** The signed-in user of a page of /account, and what the page requires of the browser session. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { endCountOfWrites } from '../authentication/anonymous-writes.ts'
import { amrOf, authTimeOf, builtInProofs, type Proof, unconfirmedOf } from '../authentication/proofs.ts'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Providers } from '../federation/providers.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { csrfToken, isOwnForm } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import type { Shares } from '../http/limits/shares.ts'
import type { WriteBudget } from '../http/limits/write-budget.ts'
import { isRecent, RECENT_MAX } from '../http/recent-sign-in.ts'
import { isBrowserForm, readShown, redirectToOutcome } from '../http/shown.ts'
import { ACCOUNT_CALLBACK } from '../oidc/clients/client.ts'
import { type Browser, readBrowser } from '../oidc/provider/browser-session.ts'
import { findPassword } from '../resources/credentials/passwords.ts'
import type { InvitationRules } from '../resources/invitations/invite.ts'
import { type EnabledUser, findEnabledUser } from '../resources/sign-ins/queries.ts'
import { findUser, type User } from '../resources/users/queries.ts'
import type { SamlReader } from '../saml/reader.ts'
import type { KeyOf } from '../texts/message.ts'
import { type Catalog, type Locale, textsOf } from '../texts/texts.ts'
import { pagePolicy } from '../ui/layout.ts'
import type { PageReader } from '../ui/pages/self-service/frame.ts'
import { lookOfPages } from './application.ts'
import { type SignInTarget, startSignIn } from './sign-in.ts'

export type AccountParts = {
  db: Db
  seal: Seal
  config: Config
  provider: () => Provider
  providers: Providers
  rules: InvitationRules
  shares: Shares
  budget: WriteBudget
  saml: SamlReader
}

type SessionParts = Omit<AccountParts, 'providers' | 'rules' | 'shares' | 'budget' | 'saml'>

export type SignedIn = {
  session: Browser
  user: User
  /** The time of the database; ms since 1970. */
  readAt: number
  /** The proofs that are valid everywhere: others open no page of /account. */
  proofs: Proof[]
  /** The user has neither a password nor a passkey: only another identity provider authenticates them. */
  withoutCredentials: boolean
  /** A code is required before the credentials of the sign-in are valid. */
  isUnconfirmed: boolean
  csrf: string
  locale: Locale
  actor: Actor
}
/** A request of a signed-in user. */
export type Visit = SignedIn & {
  parts: AccountParts
  request: FastifyRequest
  reply: FastifyReply
  /** The user as the reader of a page. */
  reader: PageReader
}

/**
 * `recent`: requires a recent sign-in; `unlessPassword`: but not of a user who enters the password on the
 * page itself; `ordinary`: none.
 */
export type Requirement = 'recent' | 'unlessPassword' | 'ordinary'

/** A route below /account. */
export type AccountRoute = {
  method: 'GET' | 'POST'
  url: string
  requirement: Requirement
  /** In bytes; by default 16 kB. */
  bodyLimit?: number
  handle: (visit: Visit) => FastifyReply | Promise<FastifyReply>
}

export const visitPage = (
  url: string,
  handle: AccountRoute['handle'],
  requirement: Requirement = 'ordinary',
): AccountRoute => ({
  method: 'GET',
  url,
  requirement,
  handle,
})

/** Each visitForm states what it requires. */
export const visitForm = (
  url: string,
  handle: AccountRoute['handle'],
  requirement: Requirement,
): AccountRoute => ({ ...visitPage(url, handle, requirement), method: 'POST' })

/** The address of the page of an organization begins with this; the id of the account follows. */
export const ORGANIZATIONS = '/account/organizations'
/** A page of an organization, and the forms below it. */
const ORGANIZATION_PAGE = new RegExp(
  String.raw`^/account/organizations/[\da-f-]{36}(/(members(/[\da-f-]{36})?|` +
    String.raw`service-accounts(/([\da-f-]{36}|new))?|sso(/connections/([\da-f-]{36}(/links)?|new))?|` +
    'invitations|activity|settings)(?=/|$))?',
  'i',
)

const PAGES = [
  '/account',
  '/account/password',
  '/account/sessions',
  '/account/accounts',
  '/account/applications',
  '/account/security',
  '/account/security/link',
  '/account/email',
  '/account/delete',
]

/** A sign-in continues at the page at or above an address. */
export const ACCOUNT_SIGN_IN: SignInTarget = {
  path: '/account',
  callback: ACCOUNT_CALLBACK,
  pageOf: (address) =>
    ORGANIZATION_PAGE.exec(address)?.[0] ??
    PAGES.findLast((page) => address === page || address.startsWith(`${page}/`)) ??
    '/account',
}

/** The visit of a user who may use the page; otherwise the reply redirects to the sign-in. */
export async function requireSignIn(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  requirement: Requirement,
): Promise<Visit | undefined> {
  const signedIn = await signedInUser(parts, request, reply)
  if (signedIn && request.method === 'POST' && !isOwnForm(request, parts.config.BASE_URL, signedIn.csrf))
    throw new Failure('csrf_rejected')
  const needsRecent =
    requirement === 'recent' || (requirement === 'unlessPassword' && signedIn?.user.hasPassword === false)
  if (signedIn && isComplete(signedIn) && (!needsRecent || isSignedInRecently(signedIn)))
    return { ...signedIn, parts, request, reply, reader: await readerOf(parts, request, reply, signedIn) }
  startSignIn(parts, ACCOUNT_SIGN_IN, request, reply, {
    page: request.url.split('?')[0]!,
    maxAge: needsRecent ? RECENT_MAX : undefined,
    secondFactor: signedIn?.user.mfaEnabled === true,
  })
  return undefined
}

async function readerOf(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, user, locale }: SignedIn,
): Promise<PageReader> {
  const { id, email, givenName, familyName, zoneinfo: zone } = user
  const full = [givenName, familyName].filter(Boolean).join(' ')
  const look = await lookOfPages(parts, request, reply, { session, user })
  return { locale, look, zone, person: { id, email, name: user.name ?? (full || null) } }
}

/** The id of the user who could use /account in this browser: no step of a sign-in is left. */
export async function completelySignedIn(
  parts: SessionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const signedIn = await signedInUser(parts, request, reply)
  return signedIn && isComplete(signedIn) ? signedIn.user.id : undefined
}

async function signedInUser(
  parts: SessionParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const session = await readBrowser(parts, request, reply)
  const userId = session?.accountId ?? ''
  const [found, rules] = session
    ? await Promise.all([findEnabled(parts.db, userId), findEnabledUser(parts.db, userId, null)])
    : []
  if (!session || !found || !rules) return undefined
  const proofs = builtInProofs(session.proofs ?? [], rules)
  if (!proofs.some(({ primary }) => primary)) return undefined
  const user = rules.unconfirmed.length > 0 ? await withConfirmed(parts.db, found, rules) : found
  const isUnconfirmed = unconfirmedOf(proofs, rules).length > 0
  endCountOfWrites()
  const locale = languageOf(request, user.locale ?? undefined)
  const csrf = csrfToken(parts.seal, `account:${session.uid}`)
  const actor: Actor = { ...request.actor, type: 'user', id: user.id, via: 'account_pages' }
  const { readAt, withoutCredentials } = rules
  return { session, user, readAt, proofs, withoutCredentials, isUnconfirmed, csrf, locale, actor }
}

/** A password that is valid only with an emailed code is replaced like a missing one, after a sign-in. */
async function withConfirmed(db: Db, user: User, { unconfirmed }: EnabledUser): Promise<User> {
  const password = await findPassword(db, user.id, null)
  return password && unconfirmed.includes(password.id) ? { ...user, hasPassword: false } : user
}

async function findEnabled(db: Db, id: string): Promise<User | undefined> {
  try {
    const user = await findUser(db, EVERYTHING, id)
    return user.disabled ? undefined : user
  } catch (error) {
    if (error instanceof Failure && error.code === 'user_not_found') return undefined
    throw error
  }
}

/** Whether no step of a sign-in is left: /auth requires the same ones (oidc/policy/prompts.ts). */
const isComplete = ({ proofs, user, isUnconfirmed }: SignedIn): boolean =>
  !isUnconfirmed && !user.mustChangePassword && (!user.mfaEnabled || amrOf(proofs).includes('mfa'))

/** /auth decides in the same way for the same `max_age` (oidc/policy/owed.ts). */
export const isSignedInRecently = (signedIn: SignedIn): boolean =>
  isRecent(authTimeOf(signedIn.proofs, signedIn))

const DONE = [
  'saved',
  'passwordSaved',
  'ended',
  'revoked',
  'added',
  'removed',
  'linked',
  'unlinked',
  'emailAsked',
  'left',
] as const satisfies KeyOf<Catalog['profile']>[]

/** The success message after the redirect of a form. */
export function noticeOf({ request, locale }: Visit): string | undefined {
  const done = DONE.find((each) => each === (request.query as { done?: unknown }).done)
  return done && textsOf(locale, 'profile')[done]
}

export const changedMeanwhile = () =>
  new Failure('unavailable', {
    detail: 'The user was changed or signed out by another request.',
    retryAfter: 1,
  })

/**
 * Draws the page of an address with a state, such as the errors of a form. After the form itself, the answer
 * is a redirect to the page, which draws the same (http/shown.ts).
 */
export function showAt<State extends { status?: number }, Drawn>(
  visit: Visit,
  address: string,
  state: State,
  draw: (state: State) => Drawn,
): Drawn | FastifyReply {
  const { parts, request, reply, session } = visit
  const page = `${session.uid} ${address}`
  if (!isBrowserForm(request))
    return draw({ ...state, ...readShown<State>(parts.seal, request, page)?.shown })
  const outcome = { address, page, shown: state, status: state.status }
  return redirectToOutcome(parts.seal, request, reply, outcome) ?? draw(state)
}

export const sendPage = ({ reply, reader: { look } }: Visit, html: string, status = 200): FastifyReply =>
  reply
    .code(status)
    .header('content-security-policy', pagePolicy({ page: html, forms: 'own', logoUrl: look.logoUrl }))
    .type('text/html')
    .send(html)

/** Who is at a page: the person of this browser's session, what they still owe, and whether a form is from our own page. */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { cookieAttributes, cookieName } from '../http/cookies.ts'
import { csrfToken, isOwnForm } from '../http/forms.ts'
import { isSameOrigin } from '../http/same-origin.ts'
import { type Browser, readBrowser } from '../oidc/provider/browser-session.ts'
import { findUser, type User } from '../resources/users/queries.ts'
import { pagePolicy } from '../ui/assets.ts'
import { type OwnTexts, ownTexts } from '../ui/i18n/self-service/texts.ts'
import { type Locale, localeOf } from '../ui/i18n/texts.ts'

export type OwnParts = { db: Db; seal: Seal; config: Config; provider: () => Provider }

/** 16 kB: all forms are small. */
export const BODY_LIMIT = 16_384
/** Routes of who is signed in, and those of the sign-in. */
export const OWN = { config: { authority: 'person' }, bodyLimit: BODY_LIMIT, schema: { hide: true } } as const
export const OPEN = {
  config: { authority: 'public' },
  bodyLimit: BODY_LIMIT,
  schema: { hide: true },
} as const

/** 5 minutes, in seconds: what would give the account away asks for the sign-in again after that. */
const RECENT = 300

export type Standing = { session: Browser; user: User; csrf: string; locale: Locale; actor: Actor }

const csrfOf = (seal: Seal, session: Browser) => csrfToken(seal, `account:${session.uid}`)

/** The person of this browser, whatever they owe. */
export async function personOf(
  parts: OwnParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Standing | undefined> {
  const session = await readBrowser(parts, request, reply)
  const user = session && (await findOwn(parts.db, session.accountId ?? ''))
  if (!session || !user) return undefined
  const locale = localeOf(user.locale ?? undefined, request.headers['accept-language'])
  return {
    session,
    user,
    csrf: csrfOf(parts.seal, session),
    locale,
    actor: { ...request.actor, type: 'user', id: user.id },
  }
}

async function findOwn(db: Db, id: string): Promise<User | undefined> {
  try {
    const user = await findUser(db, {}, id)
    return user.disabled ? undefined : user
  } catch (error) {
    if (error instanceof Failure && error.code === 'user_not_found') return undefined
    throw error
  }
}

const PATHS = {
  login: '/account/login',
  factor: '/account/second-factor',
  password: '/account/password',
} as const

/** Where somebody has to go first, if anywhere: an address nobody proved opens nothing here. */
export function owedBy({ session, user }: Standing): keyof typeof PATHS | undefined {
  if (user.registration) return 'login'
  if (user.mfaEnabled && !session.amr?.includes('mfa')) return 'factor'
  return user.mustChangePassword ? 'password' : undefined
}

/** What another provider says alone is not enough: it may have asked the person nothing. */
export const isRecent = ({ session }: Pick<Standing, 'session'>): boolean =>
  !session.past(RECENT) && (session.amr ?? []).some((method) => method !== 'fed')

/** `owing`: what may be owed still. `recent`: the sign-in is asked for again, unless a password is asked for anyway. */
type Demand = { recent?: boolean; unless?: 'hasPassword'; owing?: keyof typeof PATHS }

/** The person, when they may be at this page; else the answer sends them to where they have to be. */
export async function demandPerson(
  parts: OwnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { recent = false, unless, owing }: Demand = {},
): Promise<Standing | undefined> {
  const there = await personOf(parts, request, reply)
  if (there && request.method === 'POST' && !isOwnForm(request, parts.config.BASE_URL, there.csrf))
    throw new Failure('csrf_rejected')
  const owed = there ? owedBy(there) : 'login'
  const place =
    owed !== undefined && owed !== owing
      ? PATHS[owed]
      : there && recent && !(unless && there.user[unless]) && !isRecent(there)
        ? PATHS.login
        : undefined
  if (there && place === undefined) return there
  const asked = request.url.split('?')[0]
  reply.redirect(asked === '/account' ? place! : `${place}?next=${encodeURIComponent(nextOf(asked))}`, 303)
  return undefined
}

const PAGES = [
  '/account',
  '/account/password',
  '/account/sessions',
  '/account/accounts',
  '/account/security',
  '/account/security/link',
  '/account/email',
]

/** Where to go on after a sign-in: a page of ours, also from an address below it, or the first. */
export const nextOf = (asked: unknown): string =>
  PAGES.findLast((page) => asked === page || (typeof asked === 'string' && asked.startsWith(`${page}/`))) ??
  '/account'

/** A field of a form, or nothing. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  const value = ((body ?? {}) as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

/** Refuses every form that was not sent from our own origin, before anything is read. */
export const demandOwnOrigin =
  ({ config }: OwnParts) =>
  async (request: FastifyRequest): Promise<void> => {
    if (request.method === 'POST' && !isSameOrigin(request, config.BASE_URL))
      throw new Failure('csrf_rejected')
  }

const SHAPE = /^[\w-]{22}$/

/** What binds the form of a sign-in to a browser that nobody is signed in to: a random number in a cookie. */
export function strangerOf({ config, seal }: OwnParts, request: FastifyRequest, reply: FastifyReply) {
  const name = cookieName(config, '__Secure-', 'account')
  const kept = request.cookies[name] ?? ''
  const value = SHAPE.test(kept) ? kept : randomBytes(16).toString('base64url')
  if (value !== kept)
    reply.setCookie(name, value, { ...cookieAttributes(config, '/account'), sameSite: 'strict' })
  return { binding: value, csrf: csrfToken(seal, `account-stranger:${value}`) }
}

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
] as const satisfies (keyof OwnTexts)[]

/** What the page says was done, when a form of its own led here. */
export function doneOf(request: FastifyRequest, { locale }: Pick<Standing, 'locale'>): string | undefined {
  const done = DONE.find((each) => each === (request.query as { done?: unknown }).done)
  return done && ownTexts(locale)[done]
}

export const meanwhile = () =>
  new Failure('unavailable', { detail: 'The user was changed or signed out meanwhile.', retryAfter: 1 })

export const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply.header('content-security-policy', pagePolicy({ page })).type('text/html').send(page)

/**
 * The browsers a person has signed in with: they try passwords under a limit of their own, so that a stranger who keeps
 * guessing does not keep the person out (OWASP: device cookies). The cookie names nobody: a number of the browser, and
 * for each of its last five people a keyed hash of the number, the person and their password's hash. With another password
 * the browser is as unknown as any other.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/cookies.ts'
import type { Login } from '../interaction/queries.ts'

/** 180 days, in seconds, since the last sign-in. */
const LIFE = 15_552_000
const PEOPLE_MAX = 5
const SHAPE = /^[\w-]{22}(\.[\w-]{43}){1,5}$/

type Parts = { seal: Seal; config: Config }
type Person = Pick<Login, 'id' | 'passwordHash'>

const nameOf = (config: Config) => cookieName(config, '__Host-', 'known')

function readCookie(
  config: Config,
  { cookies }: FastifyRequest,
): { browser: string; people: string[] } | undefined {
  const value = cookies[nameOf(config)] ?? ''
  if (!SHAPE.test(value)) return undefined
  const [browser = '', ...people] = value.split('.')
  return { browser, people }
}

const markOf = (seal: Seal, browser: string, { id, passwordHash }: Person) =>
  seal.hash(JSON.stringify([browser, id, passwordHash]), 'known-browser').toString('base64url')

/** What a person's known browser is known by; none where they never signed in with the password they have. */
export function knownBrowser(
  { seal, config }: Parts,
  request: FastifyRequest,
  user: Person | undefined,
): string | undefined {
  const known = readCookie(config, request)
  const mark = known && user && markOf(seal, known.browser, user)
  return mark && known.people.includes(mark) ? mark : undefined
}

/** Sets the cookie of a browser in which the user has just authenticated. */
export function rememberBrowser(
  { seal, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  user: Person,
): void {
  const { browser, people } = readCookie(config, request) ?? {
    browser: randomBytes(16).toString('base64url'),
    people: [],
  }
  const value = [browser, ...new Set([markOf(seal, browser, user), ...people])]
    .slice(0, PEOPLE_MAX + 1)
    .join('.')
  reply.setCookie(nameOf(config), value, { ...cookieAttributes(config, '/'), maxAge: LIFE })
}

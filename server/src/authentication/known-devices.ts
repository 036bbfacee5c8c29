/**
 * The browsers a person has signed in with: they try passwords under a limit of their own, so that a stranger who keeps
 * guessing does not keep the person out (OWASP: device cookies). The cookie names nobody: a number of the browser, and
 * for each of its last five people a keyed hash of the number, the person and their password's hash. With another password
 * the browser is as unknown as any other.
 */
import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Login } from '../interaction/queries.ts'

/** 180 days, in seconds, since the last sign-in. */
const LIFE = 15_552_000
const PEOPLE_MAX = 5
const SHAPE = /^[\w-]{22}(\.[\w-]{43}){1,5}$/

type Parts = { seal: Seal; config: Config }
type Person = Pick<Login, 'id' | 'passwordHash'>

const isSecure = ({ BASE_URL }: Config) => BASE_URL.startsWith('https:')
const nameOf = (config: Config) => (isSecure(config) ? '__Host-known' : '_known')

function readCookie(
  config: Config,
  header: string | undefined,
): { browser: string; people: string[] } | undefined {
  const name = `${nameOf(config)}=`
  const pair = header?.split(/;\s*/).find((each) => each.startsWith(name))
  const value = pair?.slice(name.length) ?? ''
  if (!SHAPE.test(value)) return undefined
  const [browser = '', ...people] = value.split('.')
  return { browser, people }
}

const markOf = (seal: Seal, browser: string, { id, passwordHash }: Person) =>
  seal.hash(JSON.stringify([browser, id, passwordHash]), 'known-browser').toString('base64url')

/** What a person's known browser is known by; none where they never signed in with the password they have. */
export function knownBrowser(
  { seal, config }: Parts,
  cookies: string | undefined,
  user: Person | undefined,
): string | undefined {
  const known = readCookie(config, cookies)
  const mark = known && user && markOf(seal, known.browser, user)
  return mark && known.people.includes(mark) ? mark : undefined
}

/** The cookie of a browser in which the person has just proven who they are, for Set-Cookie. */
export function rememberBrowser({ seal, config }: Parts, cookies: string | undefined, user: Person): string {
  const { browser, people } = readCookie(config, cookies) ?? {
    browser: randomBytes(16).toString('base64url'),
    people: [],
  }
  const value = [browser, ...new Set([markOf(seal, browser, user), ...people])]
    .slice(0, PEOPLE_MAX + 1)
    .join('.')
  const secure = isSecure(config) ? '; Secure' : ''
  return `${nameOf(config)}=${value}; Path=/; Max-Age=${LIFE}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * Finds out whether a browser keeps cookies: a page that lacks one sets a cookie and redirects to itself,
 * with the time in the query. A browser that comes back without any has refused it.
 */
import type { Config } from '../config/config.ts'
import { cookieAttributes, cookieName } from './forms-and-cookies.ts'

const PARAMETER = 'cookies'
/** Seconds within which a browser follows a redirect. An older address, such as a bookmark, says nothing. */
const FOLLOWED = 60

export type CookieCheck =
  | { cookies: 'kept' }
  /** The cookie is set again: a page that is loaded after the user has allowed cookies has it. */
  | { cookies: 'refused'; setCookie: string }
  | { cookies: 'unknown'; setCookie: string; location: string }

type Sent = { url: string; headers: { cookie?: string | undefined } }

export function checkCookies(config: Config, { url, headers }: Sent): CookieCheck {
  if (headers.cookie) return { cookies: 'kept' }
  const seconds = Math.floor(Date.now() / 1_000)
  const { secure } = cookieAttributes(config, '/')
  const name = cookieName(config, '__Host-', 'cookies')
  const setCookie = `${name}=kept; Path=/; Max-Age=${FOLLOWED}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const [at = '', query] = url.split('?')
  const parameters = new URLSearchParams(query)
  const asked = Number(parameters.get(PARAMETER) ?? Number.NaN)
  if (Math.abs(seconds - asked) <= FOLLOWED) return { cookies: 'refused', setCookie }
  parameters.set(PARAMETER, String(seconds))
  return { cookies: 'unknown', setCookie, location: `${at}?${parameters}` }
}

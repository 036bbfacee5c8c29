/**
 * The connections of organizations by which a browser has completed a sign-in: a page then goes on to the
 * provider of one without a click (interaction/going-on.ts). A sealed cookie, so that no other page can add
 * one.
 */
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import { cookieAttributes, cookieName } from '../http/forms-and-cookies.ts'
import type { Sender } from './attempts.ts'

/** 90 days since the last sign-in by a connection, in seconds. */
const LIFETIME = 7_776_000
const IDS_MAX = 20
const CONTEXT = 'connections:used'

type Parts = { seal: Seal; config: Config }
type Cookies = { setCookie(name: string, value: string, options: CookieOptions): unknown }
type CookieOptions = ReturnType<typeof cookieAttributes> & { maxAge: number }

const nameOf = (config: Config) => cookieName(config, '__Secure-', 'connections')

/** Ids of connections, the last one first. */
export function usedConnections({ seal, config }: Parts, { cookies }: Sender): string[] {
  const value = cookies[nameOf(config)]
  if (!value) return []
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), CONTEXT)) as string[]
  } catch {
    return [] // sealed under another key
  }
}

export function noteConnection(parts: Parts, sender: Sender, cookies: Cookies, id: string): void {
  const { seal, config } = parts
  const ids = [...new Set([id, ...usedConnections(parts, sender)])].slice(0, IDS_MAX)
  const sealed = seal.seal(JSON.stringify(ids), CONTEXT).toString('base64url')
  cookies.setCookie(nameOf(config), sealed, { ...cookieAttributes(config, '/interaction'), maxAge: LIFETIME })
}

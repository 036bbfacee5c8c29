/** Cookies of the pages. Those of the protocol are written by the protocol library. */
import cookies, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { dropCookies } from './problems.ts'

type Issuer = Pick<Config, 'BASE_URL'>

const isSecure = ({ BASE_URL }: Issuer) => BASE_URL.startsWith('https:')

/** Browsers enforce the prefix (RFC 6265bis section 4.1.3), which requires https. */
export const cookieName = (config: Issuer, prefix: '__Host-' | '__Secure-', name: string): string =>
  isSecure(config) ? `${prefix}${name}` : `_${name}`

/** `Max-Age` is in seconds; without it the cookie ends with the browser session. */
export const cookieAttributes = (config: Issuer, path: string) =>
  ({
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(config),
  }) as const satisfies CookieSerializeOptions

/** Adds `request.cookies` and `reply.setCookie` to the routes of `app`, and to no others. */
export async function acceptCookies(app: FastifyInstance): Promise<void> {
  await app.register(cookies)
  // After the hook of the plugin, which writes the header: a 5xx rolls back the state that a cookie refers
  // to.
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 500) dropCookies(reply)
  })
}

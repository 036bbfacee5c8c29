/**
 * The application that has linked to the pages of an organization, to which they link back. The address is in
 * a cookie, so that it remains while the user signs in and moves between the pages. It is not trusted: a page
 * shows it only if its origin is that of a registered redirect URI of the organization's system.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { cookieAttributes, cookieName } from '../../http/forms-and-cookies.ts'
import { isUuid } from '../../http/uuid.ts'

const NAME = 'return-to'
/** The limit in characters is that of a redirect URI. */
const LENGTH_MAX = 2_000
/** In seconds. */
const LIFETIME = 3_600

/** Only `https` and `http`: the origin of an app's own scheme is not comparable. Without a user name. */
function webUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string' || value.length > LENGTH_MAX) return undefined
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined
  return url.href.length > LENGTH_MAX ? undefined : url
}

/** Keeps the address of a link to a page of an organization for an hour. Call it before the sign-in. */
export function keepReturn(config: Config, { method, query, params }: FastifyRequest, reply: FastifyReply) {
  const { accountId } = params as { accountId?: unknown }
  const url = webUrl((query as { return_to?: unknown }).return_to)
  if (method !== 'GET' || !url || !isUuid(accountId)) return
  const attributes = cookieAttributes(config, `/account/organizations/${accountId.toLowerCase()}`)
  reply.setCookie(cookieName(config, '__Secure-', NAME), url.href, { ...attributes, maxAge: LIFETIME })
}

/** The address to which the pages link back; undefined if it is not one of the system. */
export function returnOf(
  config: Config,
  { query, cookies }: FastifyRequest,
  registered: string[],
): string | undefined {
  const given = (query as { return_to?: unknown }).return_to
  const url = webUrl(given) ?? webUrl(cookies[cookieName(config, '__Secure-', NAME)])
  return registered.some((uri) => webUrl(uri)?.origin === url?.origin && url) ? url?.href : undefined
}

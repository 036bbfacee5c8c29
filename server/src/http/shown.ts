/**
 * Post, redirect, get: a form is answered by a redirect (303) to a page that shows the outcome, so that a
 * browser that goes back to that page, or loads it again, requests it and does not ask whether to send the
 * form again. What the page shows is in its address, sealed for one browser: the server stores nothing, and
 * logs and histories do not contain an email address that was typed.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import { cookieAttributes, cookieName, wantsJson } from './forms-and-cookies.ts'
import { isRead } from './methods.ts'

const PARAMETER = 'shown'
/**
 * Characters. Many proxies accept 4 kB of headers in an answer. A larger outcome is the answer to the form
 * itself.
 */
const SEALED_MAX = 2_400

/** Whether the answer is a page that a browser displays, to a form that it has sent. */
export const isBrowserForm = (request: FastifyRequest): boolean => !isRead(request) && !wantsJson(request)

const contextOf = (page: string) => `shown:${page}`

/**
 * The address of a page with what it shows; undefined if that is too much. `page`: the page, and what only
 * the browser that sent the form can open, such as the interaction or the browser session. The pages of
 * emailed links have no such thing: what they show has the token of the link, and is as valid as the link.
 */
export function addressShowing(
  seal: Seal,
  address: string,
  { page, shown }: { page: string; shown: object },
): string | undefined {
  const packed = deflateRawSync(JSON.stringify({ at: Date.now(), shown })).toString('base64')
  const sealed = seal.seal(packed, contextOf(page)).toString('base64url')
  if (sealed.length > SEALED_MAX) return undefined
  return `${address}${address.includes('?') ? '&' : '?'}${PARAMETER}=${sealed}`
}

/** What an address shows, and for how many seconds it has done so. */
export type Shown<State> = { shown: State; age: number }

/**
 * Undefined if it shows nothing, or was made for another browser or page, or under an earlier key. The
 * log has had the refusal that it shows.
 */
export function readShown<State extends object>(
  seal: Seal,
  { query, actor }: Pick<FastifyRequest, 'query' | 'actor'>,
  page: string,
): Shown<State> | undefined {
  const { [PARAMETER]: sealed } = (query ?? {}) as { [PARAMETER]?: unknown }
  if (typeof sealed !== 'string' || sealed.length > SEALED_MAX) return undefined
  try {
    const packed = Buffer.from(seal.open(Buffer.from(sealed, 'base64url'), contextOf(page)), 'base64')
    const { at, shown } = JSON.parse(inflateRawSync(packed).toString()) as { at: number; shown: State }
    actor.refusalNote?.hush()
    return { shown, age: Math.max(0, Math.floor((Date.now() - at) / 1_000)) }
  } catch {
    return undefined
  }
}

type Outcome = { address: string; page: string; shown: object; status?: number | undefined }

/**
 * The answer to a form of a browser: a redirect to the page of its outcome. Undefined if the answer is the
 * outcome itself: of a request for a page or for JSON, or if the outcome is too much for an address.
 */
export function redirectToOutcome(
  seal: Seal,
  request: FastifyRequest,
  reply: FastifyReply,
  { address, page, shown, status }: Outcome,
): FastifyReply | undefined {
  if (!isBrowserForm(request)) return undefined
  const to = addressShowing(seal, address, { page, shown })
  if (to === undefined) return undefined
  request.actor?.refusalNote?.noteStatus(status)
  return reply.redirect(to, 303)
}

/** Seconds within which a browser requests the page that it is redirected to. */
const ONCE_MAX = 600

type Parts = { seal: Seal; config: Config }

const onceName = (config: Config) => cookieName(config, '__Secure-', 'once')

/**
 * Keeps a secret for one display at `path`, sealed in a cookie of that page: an address is kept in histories,
 * and a second visit must not show it.
 */
export function keepOnce(
  { seal, config }: Parts,
  reply: FastifyReply,
  { path, page, shown }: { path: string; page: string; shown: object },
): void {
  const value = seal.seal(JSON.stringify(shown), contextOf(page)).toString('base64url')
  reply.setCookie(onceName(config), value, { ...cookieAttributes(config, path), maxAge: ONCE_MAX })
}

/** The secret that was kept for this page. It is removed from the browser. */
export function takeOnce<State extends object>(
  { seal, config }: Parts,
  { cookies }: FastifyRequest,
  reply: FastifyReply,
  { path, page }: { path: string; page: string },
): State | undefined {
  const value = cookies[onceName(config)]
  if (!value) return undefined
  reply.clearCookie(onceName(config), cookieAttributes(config, path))
  try {
    return JSON.parse(seal.open(Buffer.from(value, 'base64url'), contextOf(page))) as State
  } catch {
    return undefined
  }
}

/** The pages of the protocol library. Their HTML is rendered by ui/pages, which app.ts passes in. */

import type { FastifyBaseLogger } from 'fastify'
import { type ErrorOut, errors, type KoaContextWithOIDC, type Provider, type Session } from 'oidc-provider'
import { chosenLanguage } from '../../http/language.ts'
import { isRead } from '../../http/methods.ts'
import type { RefusalLog } from '../../http/refusal-log.ts'
import type { Application } from '../../resources/systems/application.ts'
import { applicationOfClient } from '../clients/client.ts'
import type { RefusedClients } from '../policy/refused-clients.ts'
import { requestState } from '../policy/request-state.ts'
import { type ShownRedirect, shownRedirect } from './refused-redirect.ts'

export type RenderedPage = { html: string /** Content-Security-Policy of the page. */; csp: string }

export type Render = {
  log: FastifyBaseLogger
  refusals: RefusalLog
  refusedClients: RefusedClients
  /** The context of the console in which the user of a browser session may read a system. */
  contextOf(session: Session | undefined, systemId: string): Promise<string | undefined>
  /** An error of /auth that must not be returned to the application, or of resuming an interaction. */
  error(problem: ProtocolProblem, ask: Ask): RenderedPage
  /** The address of the page of an error that is the outcome of a form. */
  errorAt(problem: ProtocolProblem, ask: Ask): string
  logout(form: OwnForm & { system?: Application }, ask: Ask): RenderedPage
  /** `stayed`: the browser is still signed in. */
  loggedOut(page: { system?: Application; stayed: boolean }, ask: Ask): RenderedPage
  deviceCode(form: OwnForm & { code?: string; fault?: DeviceFault }, ask: Ask): RenderedPage
  deviceConfirm(form: OwnForm & { code: string; system: Application; device: Device }, ask: Ask): RenderedPage
  /** The end of the device flow in the browser; the device gets the result at its next poll. */
  deviceEnd(page: { system?: Application; done: boolean }, ask: Ask): RenderedPage
}

export type ProtocolProblem = {
  error: string
  description?: string
  status: number
  requestId: string
  /** Seconds. */
  retryAfter?: number
  system?: Application
  /** What the browser was sent for. `test`: the application would have received the error. */
  purpose: 'signIn' | 'logout' | 'test'
  redirect?: ShownRedirect | undefined
}

/** The target of the library's own form, and its CSRF token. */
export type OwnForm = { action: string; xsrf: string }

/** The place from where a device requested its codes. */
export type Device = { ip?: string; userAgent?: string; requestedAt?: number }

/** The error of a user code, or of the form that it was sent with. */
export type DeviceFault = 'missing' | 'wrong' | 'expired' | 'used' | 'slow' | 'form' | 'cookies'

/** The language preferences of a request. */
export type Ask = { uiLocales?: string; acceptLanguage?: string }

export function askOf(ctx: KoaContextWithOIDC): Ask {
  const uiLocales = chosenLanguage(ctx.get('cookie')) ?? ctx.oidc?.params?.ui_locales ?? ctx.query.ui_locales
  const acceptLanguage = ctx.get('accept-language')
  return { ...(typeof uiLocales === 'string' && { uiLocales }), ...(acceptLanguage && { acceptLanguage }) }
}

export function send(ctx: KoaContextWithOIDC, page: RenderedPage): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', page.csp)
  ctx.body = page.html
}

export function applicationIn({ oidc: { client } }: KoaContextWithOIDC): { system?: Application } {
  const system = applicationOfClient(client)
  return system ? { system } : {}
}

/** Browsers open these endpoints; applications call the others, and expect JSON whatever they accept. */
const IN_BROWSERS = /^\/(auth|session\/end|device(?!\/auth$))(\/|$)/

const purposeOf = ({ path }: KoaContextWithOIDC) =>
  path.startsWith('/session/end') ? ('logout' as const) : ('signIn' as const)

export function renderError(
  render: Render,
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  { redirect, purpose = purposeOf(ctx) }: Partial<Pick<ProtocolProblem, 'purpose' | 'redirect'>> = {},
): void {
  requestState(ctx).isOwnPage = true
  if (ctx.status === 503) ctx.set('retry-after', '2')
  if (!IN_BROWSERS.test(ctx.path) || ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  const description = out.error_description
  const retryAfter = Number(ctx.response.get('retry-after'))
  const problem = {
    error: out.error,
    ...(description && { description }),
    status: ctx.status,
    requestId: ctx.get('x-request-id'),
    purpose,
    redirect,
    ...(retryAfter > 0 && { retryAfter }),
    ...applicationIn(ctx),
  }
  if (isRead(ctx)) send(ctx, render.error(problem, askOf(ctx)))
  else redirectToProtocolOutcome(ctx, render.errorAt(problem, askOf(ctx)))
}

/** The answer to a form: a redirect to the page of its outcome, which has the present status. */
export function redirectToProtocolOutcome(ctx: KoaContextWithOIDC, address: string): void {
  const { status } = ctx
  requestState(ctx).shownStatus = status
  ctx.status = 303
  ctx.redirect(address)
}

/**
 * An error that the library sends to the application by form_post is a form that the browser posts by itself.
 * The library answers it with status 400 or 500, in place of which many proxies and browsers show a page of
 * their own, so that the application would never learn of it. Call it when the library has answered.
 */
export function acceptFormPost(ctx: KoaContextWithOIDC): void {
  const isResponse = FORM_POST_ROUTES.has(ctx.oidc?.route ?? '') && !requestState(ctx).isOwnPage
  if (isResponse && ctx.status >= 400 && typeof ctx.body === 'string') ctx.status = 200
}

const FORM_POST_ROUTES = new Set(['authorization', 'resume'])

/**
 * An address at which the library resumes a sign-in has no page of its own: once it was used, the page of the
 * sign-in says where it stands. True if the answer redirects there.
 */
function leaveResumed(ctx: KoaContextWithOIDC, error: Error | undefined): boolean {
  const { uid } = ctx.params as { uid?: string }
  const isGone = error instanceof errors.SessionNotFound && ctx.oidc.entities.Interaction === undefined
  if (!isGone || ctx.oidc.route !== 'resume' || uid === undefined) return false
  if (ctx.accepts('html', 'json') === 'json') return false
  ctx.status = 303
  ctx.redirect(`/interaction/${uid}`)
  return true
}

/** The library's errors that are not returned to the application. */
export async function answerError(
  render: Render,
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: Error | undefined,
): Promise<void> {
  if (leaveResumed(ctx, error)) return
  renderError(render, ctx, out, { redirect: await shownRedirect(render, ctx, out) })
}

/** The library passes its form as HTML; ours needs two values of it. */
export const ownForm = (form: string): OwnForm => ({
  action: /action="([^"]+)"/.exec(form)?.[1] ?? '',
  xsrf: /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '',
})

export function renderLogout(render: Render, ctx: KoaContextWithOIDC, form: string): void {
  const { action, xsrf } = ownForm(form)
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: 'logout', action, fields: { xsrf, logout: 'yes' } }
    return
  }
  send(ctx, render.logout({ action, xsrf, ...applicationIn(ctx) }, askOf(ctx)))
}

/** Called by the library after each answer to renderLogout, also after "stay signed in". */
export async function renderLoggedOut(render: Render, ctx: KoaContextWithOIDC): Promise<void> {
  const session = await (ctx.oidc.provider as Provider).Session.get(ctx)
  const stayed = session.accountId !== undefined
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: stayed ? 'stayed' : 'logged_out' }
    return
  }
  send(ctx, render.loggedOut({ ...applicationIn(ctx), stayed }, askOf(ctx)))
}

/** The pages of the protocol library. Their HTML is rendered by ui/pages, which app.ts passes in. */
import type { FastifyBaseLogger } from 'fastify'
import { type Client, type ErrorOut, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import { checkCookies } from '../../http/cookie-check.ts'
import type { RefusalLog } from '../../http/refusal-log.ts'
import type { Brand } from '../../texts/brand.ts'
import { brandOf } from '../clients/client.ts'
import { requestState } from '../policy/request-state.ts'

export type RenderedPage = { html: string /** Content-Security-Policy of the page. */; csp: string }

export type Render = {
  log: FastifyBaseLogger
  refusals: RefusalLog
  /** An error of /auth that must not be returned to the application, or of resuming an interaction. */
  error(problem: ProtocolProblem, ask: Ask): RenderedPage
  logout(form: OwnForm & { system?: Brand }, ask: Ask): RenderedPage
  /** `stayed`: the browser is still signed in. */
  loggedOut(page: { system?: Brand; stayed: boolean }, ask: Ask): RenderedPage
  deviceCode(form: OwnForm & { code?: string; fault?: DeviceFault }, ask: Ask): RenderedPage
  deviceConfirm(form: OwnForm & { code: string; system: Brand; device: Device }, ask: Ask): RenderedPage
  /** The end of the device flow in the browser; the device gets the result at its next poll. */
  deviceEnd(page: { system?: Brand; done: boolean }, ask: Ask): RenderedPage
}

export type ProtocolProblem = {
  error: string
  description?: string
  status: number
  requestId: string
  system?: Brand
  /** What the browser was sent for. `test`: the application would have received the error. */
  purpose: 'signIn' | 'logout' | 'test'
}

/** The target of the library's own form, and its CSRF token. */
type OwnForm = { action: string; xsrf: string }

/** From where a device requested its codes. */
export type Device = { ip?: string; userAgent?: string; requestedAt?: number }

/** Stored with the codes. `requestedAt`: in seconds since 1970. */
export const deviceInfoOf = (ctx: KoaContextWithOIDC): Device => ({
  ip: ctx.ip,
  userAgent: ctx.get('user-agent').slice(0, 200),
  requestedAt: Math.floor(Date.now() / 1_000),
})

/** The error of a user code, or of the form that it was sent with. */
export type DeviceFault = 'missing' | 'wrong' | 'expired' | 'used' | 'slow' | 'form' | 'cookies'

/** The language preferences of a request. */
export type Ask = { uiLocales?: string; acceptLanguage?: string }

function askOf(ctx: KoaContextWithOIDC): Ask {
  const uiLocales = ctx.oidc?.params?.ui_locales ?? ctx.query.ui_locales
  const acceptLanguage = ctx.get('accept-language')
  return { ...(typeof uiLocales === 'string' && { uiLocales }), ...(acceptLanguage && { acceptLanguage }) }
}

function send(ctx: KoaContextWithOIDC, page: RenderedPage): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', page.csp)
  ctx.body = page.html
}

const systemOf = ({ oidc: { client } }: KoaContextWithOIDC) =>
  client?.clientName ? { system: brandOf(client) } : {}

/** Browsers open these endpoints; applications call the others, and expect JSON whatever they accept. */
const IN_BROWSERS = /^\/(auth|session\/end|device(?!\/auth$))(\/|$)/

export function renderError(
  render: Render,
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  purpose: ProtocolProblem['purpose'] = ctx.path.startsWith('/session/end') ? 'logout' : 'signIn',
): void {
  requestState(ctx).isOwnPage = true
  if (ctx.status === 503) ctx.set('retry-after', '2')
  if (!IN_BROWSERS.test(ctx.path) || ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  const description = out.error_description
  send(
    ctx,
    render.error(
      {
        error: out.error,
        ...(description && { description }),
        status: ctx.status,
        requestId: ctx.get('x-request-id'),
        purpose,
        ...(purpose === 'test' && systemOf(ctx)),
      },
      askOf(ctx),
    ),
  )
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
export function leaveResumed(ctx: KoaContextWithOIDC, error: Error | undefined): boolean {
  const { uid } = ctx.params as { uid?: string }
  const isGone = error instanceof errors.SessionNotFound && ctx.oidc.entities.Interaction === undefined
  if (!isGone || ctx.oidc.route !== 'resume' || uid === undefined) return false
  if (ctx.accepts('html', 'json') === 'json') return false
  ctx.status = 303
  ctx.redirect(`/interaction/${uid}`)
  return true
}

/** The library passes its form as HTML; ours needs two values of it. */
const ownForm = (form: string): OwnForm => ({
  action: /action="([^"]+)"/.exec(form)?.[1] ?? '',
  xsrf: /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? '',
})

export function renderLogout(render: Render, ctx: KoaContextWithOIDC, form: string): void {
  const { action, xsrf } = ownForm(form)
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: 'logout', action, fields: { xsrf, logout: 'yes' } }
    return
  }
  send(ctx, render.logout({ action, xsrf, ...systemOf(ctx) }, askOf(ctx)))
}

/** Called by the library after each answer to renderLogout, also after "stay signed in". */
export async function renderLoggedOut(render: Render, ctx: KoaContextWithOIDC): Promise<void> {
  const session = await (ctx.oidc.provider as Provider).Session.get(ctx)
  const stayed = session.accountId !== undefined
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: stayed ? 'stayed' : 'logged_out' }
    return
  }
  send(ctx, render.loggedOut({ ...systemOf(ctx), stayed }, askOf(ctx)))
}

/** The library's error classes for user codes (RFC 8628 section 3.3), which it does not export. */
const DEVICE_FAULTS: Record<string, DeviceFault> = {
  NoCodeError: 'missing',
  NotFoundError: 'wrong',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  TooManyCodes: 'slow',
  // The CSRF token or the cookie of the interaction is missing.
  InvalidRequest: 'form',
  SessionNotFound: 'form',
}

type DeviceError = Error & { userCode?: string; retryAfter?: number }

/** The page to enter a user code. The library calls it for every later error as well. */
export function renderDeviceCode(
  { render, config }: { render: Render; config: Config },
  ctx: KoaContextWithOIDC,
  form: string,
  out: ErrorOut | undefined,
  error: DeviceError | undefined,
): void {
  if (error?.name === 'AbortedError') {
    renderDeviceEnd(render, ctx, false)
    return
  }
  const check = checkCookies(config, { url: ctx.url, headers: ctx.headers })
  const isRefused = check.cookies === 'refused'
  if (isRefused) ctx.append('set-cookie', check.setCookie)
  const fault = isRefused ? 'cookies' : error && DEVICE_FAULTS[error.name]
  if (out && !fault) {
    renderError(render, ctx, out)
    return
  }
  if (error?.retryAfter !== undefined) ctx.set('retry-after', String(error.retryAfter))
  const { action, xsrf } = ownForm(form)
  const { session } = ctx.oidc
  if (out && session?.exp === undefined) {
    // A browser without a session has no CSRF token: it gets both with the form.
    if (session) Object.assign(session, { touched: false })
    ctx.status = 303
    if (check.cookies === 'unknown') ctx.append('set-cookie', check.setCookie)
    ctx.redirect(check.cookies === 'unknown' ? check.location : action)
    return
  }
  const code = error ? error.userCode : requestState(ctx).userCode
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = {
      step: 'device',
      action,
      fields: { xsrf, user_code: code ?? '' },
      ...(fault && { error: fault }),
    }
    return
  }
  send(
    ctx,
    render.deviceCode(
      { action, xsrf, ...(code !== undefined && { code }), ...(fault && { fault }) },
      askOf(ctx),
    ),
  )
}

/** `code` is formatted as the device displays it. */
type DeviceRequest = { client: Client; device: Device; code: string }

export function renderDeviceConfirm(
  render: Render,
  ctx: KoaContextWithOIDC,
  form: string,
  { client, device, code }: DeviceRequest,
): void {
  const { action, xsrf } = ownForm(form)
  const system = brandOf(client)
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = {
      step: 'device_confirm',
      action,
      system: { name: system.name },
      device,
      fields: { xsrf, user_code: code, confirm: 'yes' },
    }
    return
  }
  send(ctx, render.deviceConfirm({ action, xsrf, code, system, device }, askOf(ctx)))
}

export function renderDeviceEnd(render: Render, ctx: KoaContextWithOIDC, done: boolean): void {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: done ? 'device_done' : 'device_stopped' }
    return
  }
  send(ctx, render.deviceEnd({ ...systemOf(ctx), done }, askOf(ctx)))
}

/** The pages the protocol library asks for: drawn by interaction/pages, which app.ts hands in. */
import type { FastifyBaseLogger } from 'fastify'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'

export type Page = { html: string /** Content-Security-Policy of the page. */; csp: string }

export type Render = {
  log: FastifyBaseLogger
  /** A refusal of /auth that may not go back to the application, or of the interaction's resume. */
  error(problem: { error: string; description?: string; status: number; requestId: string }, ask: Ask): Page
  /** `action` and `xsrf` are of the library's own form. */
  logout(form: { action: string; xsrf: string; systemName?: string; formOrigins: string[] }, ask: Ask): Page
  loggedOut(page: { systemName?: string }, ask: Ask): Page
}

/** What decides the language of a page. */
export type Ask = { uiLocales?: string; acceptLanguage?: string }

function askOf(ctx: KoaContextWithOIDC): Ask {
  const uiLocales = ctx.oidc?.params?.ui_locales ?? ctx.query.ui_locales
  const acceptLanguage = ctx.get('accept-language')
  return { ...(typeof uiLocales === 'string' && { uiLocales }), ...(acceptLanguage && { acceptLanguage }) }
}

function send(ctx: KoaContextWithOIDC, page: Page): void {
  ctx.type = 'html'
  ctx.set('content-security-policy', page.csp)
  ctx.set('referrer-policy', 'same-origin') // else a browser hides the origin of our own form
  ctx.body = page.html
}

const systemName = (ctx: KoaContextWithOIDC) => (ctx.oidc.client?.clientName ? { systemName: ctx.oidc.client.clientName } : {})

export function renderError(render: Render, ctx: KoaContextWithOIDC, out: ErrorOut): void {
  if (ctx.status === 503) ctx.set('retry-after', '2')
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = out
    return
  }
  const description = out.error_description
  send(
    ctx,
    render.error(
      { error: out.error, ...(description && { description }), status: ctx.status, requestId: ctx.get('x-request-id') },
      askOf(ctx),
    ),
  )
}

/** The library's form comes as text; ours needs its two values. */
export function renderLogout(render: Render, ctx: KoaContextWithOIDC, form: string): void {
  const action = /action="([^"]+)"/.exec(form)?.[1] ?? ''
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form)?.[1] ?? ''
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: 'logout', action, fields: { xsrf, logout: 'yes' } }
    return
  }
  const target = ctx.oidc.session?.state?.postLogoutRedirectUri
  const url = typeof target === 'string' ? URL.parse(target) : null
  const formOrigins = url ? [url.origin === 'null' ? url.protocol : url.origin] : []
  send(ctx, render.logout({ action, xsrf, formOrigins, ...systemName(ctx) }, askOf(ctx)))
}

export function renderLoggedOut(render: Render, ctx: KoaContextWithOIDC): void {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.body = { step: 'logged_out' }
    return
  }
  send(ctx, render.loggedOut(systemName(ctx), askOf(ctx)))
}

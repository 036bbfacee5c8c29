/**
 * The answers to requests of /auth with the parameter `test`: none of them leads to the application, whatever
 * the protocol library or a prompt decides.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { requestState } from '../policy/request-state.ts'
import { type Render, renderError } from './render.ts'

const ROUTES = new Set(['authorization', 'resume'])

/** A request is a test even if its parameter was refused, or is in the address only. */
const isTested = (ctx: KoaContextWithOIDC): boolean =>
  ROUTES.has(ctx.oidc?.route ?? '') && (ctx.oidc.params?.test !== undefined || ctx.query.test !== undefined)

/**
 * Replaces an answer to the application by an error page. True if it was an error of the sign-in, whose rows
 * are stored as without the parameter.
 */
export function keepTestAnswer(render: Render, ctx: KoaContextWithOIDC): boolean {
  if (!isTested(ctx) || isOwnAnswer(ctx)) return false
  const { refusal } = requestState(ctx)
  ctx.remove('location')
  ctx.status = refusal ? 400 : 500
  if (!refusal) render.log.error('a test of a sign-in was about to answer the application')
  const { error, error_description: description } = refusal ?? { error: 'server_error' }
  renderError(
    render,
    ctx,
    { error, ...(description && { error_description: description }) },
    { purpose: 'test' },
  )
  return refusal !== undefined
}

/** A page of ours, the next step, or the form by which the library signs out another user. */
function isOwnAnswer(ctx: KoaContextWithOIDC): boolean {
  if (requestState(ctx).isOwnPage) return true
  const location = ctx.response.get('location')
  if (location) return location.startsWith('/interaction/')
  return String(ctx.body).includes(`<form method="post" action="${ctx.oidc.urlFor('end_session_confirm')}">`)
}

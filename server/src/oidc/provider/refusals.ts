/** What an operator reads about a request that the protocol library has refused, and why. */
import type Provider from 'oidc-provider'
import type { Client, errors, KoaContextWithOIDC } from 'oidc-provider'
import type { RefusalLog } from '../../http/refusal-log.ts'
import { masked, maskedUri, printable } from '../../http/sent-values.ts'
import { requestState } from '../policy/request-state.ts'
import { unregisteredRedirect } from './refused-redirect.ts'

/** The library's events for refused requests of applications and of browsers that they send. */
const EVENTS = [
  'authorization.error',
  'code_verification.error',
  'device_authorization.error',
  'device_resume.error',
  'end_session.error',
  'end_session_confirm.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'revocation.error',
  'userinfo.error',
] as const

/** Registered redirect URIs in a line: anyone can cause it. */
const REGISTERED_MAX = 3
/** Notes why the library refuses a request; the first reason is the cause of the others. */
export function noteRefusals(provider: Provider): void {
  for (const event of EVENTS)
    provider.on(event as 'grant.error', (ctx, error) => {
      requestState(ctx).refusal ??= error
    })
}

/** An interaction is a part of these paths. */
const routeOf = ({ path }: KoaContextWithOIDC) =>
  path.replace(/^\/(auth|device)\/(?!auth$)[^/]+$/, '/$1/:uid').slice(0, 100)

/** Writes the line of a request that the library, or a rule of ours in it, has refused. */
export function logRefusal(log: RefusalLog, ctx: KoaContextWithOIDC): void {
  const { refusal, sender, shownStatus } = requestState(ctx)
  if (refusal) sender.refusalNote?.note({ ...clientOf(ctx), ...reasonOf(ctx, refusal) })
  const noted = sender.refusalNote?.take()
  if (!noted) return
  const status = shownStatus ?? ctx.status
  log.write({ reqId: ctx.get('x-request-id'), method: ctx.method, route: routeOf(ctx), status }, noted)
}

function reasonOf(ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError) {
  const { error, error_description: description, error_detail: detail } = refusal
  const cause = innermost(refusal)
  const { client, params } = ctx.oidc ?? {}
  return {
    kind: 'protocol' as const,
    reason: error,
    detail: masked(cause === refusal ? (detail ?? description ?? '') : messageOf(cause)),
    ...redirectsOf(client, params, error),
  }
}

/** The client of a request. The id of an unknown one is what the sender has chosen. */
function clientOf(ctx: KoaContextWithOIDC) {
  const { client, params } = ctx.oidc ?? {}
  if (client) return { clientId: client.clientId, systemId: client.tenantry.systemId ?? undefined }
  return typeof params?.client_id === 'string' ? { clientId: masked(params.client_id) } : {}
}

/** An error of the JavaScript engine may quote the value that it could not read. */
const messageOf = (cause: Error) =>
  [SyntaxError, TypeError, RangeError, URIError].some((each) => cause instanceof each)
    ? cause.name
    : cause.message

/** The error that has caused the others. */
const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)

/** The redirect URI of a request and the registered ones, if they differ. */
function redirectsOf(
  client: Client | undefined,
  params: KoaContextWithOIDC['oidc']['params'],
  error: string,
): { sent?: string; registered?: string[] } {
  const found = unregisteredRedirect(client, params, error)
  if (!found) return {}
  const { sent, registered } = found
  return { sent: maskedUri(sent), registered: registered.slice(0, REGISTERED_MAX).map(printable) }
}

/**
 * RFC 6749 section 5.2: a request without client authentication is answered with `invalid_client`. The
 * library answers it as a malformed one.
 */
export function answerMissingClient(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (body?.error_description !== 'no client authentication mechanism provided') return
  ctx.status = 401
  ctx.body = { ...body, error: 'invalid_client' }
}

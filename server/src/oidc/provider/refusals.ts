/** What an operator reads about a request that the protocol library has refused, and why. */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { Client, KoaContextWithOIDC } from 'oidc-provider'
import type { Failure } from '../../errors.ts'
import { requestState } from '../request-state.ts'

/** The library's events for refused requests of applications and of browsers that they send. */
const EVENTS = [
  'authorization.error',
  'device_authorization.error',
  'end_session.error',
  'end_session_confirm.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'revocation.error',
] as const

const REFUSED = 'protocol request refused'
/** Characters of a value that the sender of a request has chosen. */
const VALUE_MAX = 300
/** Registered redirect URIs in a line: anyone can cause it. */
const REGISTERED_MAX = 3
/** Control, format and separator characters, of which JSON escapes only some: a terminal may act on them. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A value that the sender of a request has chosen, for the log and the audit. */
export const printable = (value: string) =>
  value.slice(0, VALUE_MAX).toWellFormed().replace(UNPRINTABLE, '\ufffd')

/** Notes why the library refuses a request; the first reason is the cause of the others. */
export function noteRefusals(provider: Provider): void {
  for (const event of EVENTS)
    provider.on(event as 'grant.error', (ctx, error) => {
      requestState(ctx).refusal ??= error
    })
}

/** One line for a request that is refused before the library reads it; its log has the request's id. */
export function logUnread({ log, routeOptions: { url: path } }: FastifyRequest, failure: Failure): void {
  log.info({ path, error: failure.code, reason: failure.message }, REFUSED)
}

/** One line for a refused request, with the id that the error page shows. */
export function logRefusal(log: FastifyBaseLogger, ctx: KoaContextWithOIDC): void {
  const { refusal } = requestState(ctx)
  if (!refusal) return
  const { client, params } = ctx.oidc ?? {}
  const named = client?.clientId ?? params?.client_id
  const { error, error_description: description, error_detail: detail } = refusal
  const cause = innermost(refusal)
  log.info(
    {
      reqId: ctx.get('x-request-id'),
      path: ctx.path,
      ...(typeof named === 'string' && { clientId: printable(named) }),
      error,
      reason: printable(cause === refusal ? (detail ?? description ?? '') : cause.message),
      ...redirectsOf(client, params, refusal.error),
    },
    REFUSED,
  )
}

/** The error that has caused the others. */
const innermost = (error: Error): Error => (error.cause instanceof Error ? innermost(error.cause) : error)

/** The redirect URI of a request and the registered ones, if they differ. */
function redirectsOf(
  client: Client | undefined,
  params: KoaContextWithOIDC['oidc']['params'],
  error: string,
): object {
  const sent = params?.redirect_uri ?? params?.post_logout_redirect_uri
  if (!client || typeof sent !== 'string') return {}
  const registered = params?.redirect_uri === undefined ? client.postLogoutRedirectUris : client.redirectUris
  if (error !== 'invalid_redirect_uri' && registered?.includes(sent)) return {}
  return { sent: printable(sent), registered: registered?.slice(0, REGISTERED_MAX).map(printable) }
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

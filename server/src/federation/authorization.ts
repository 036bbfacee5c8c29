/** The redirect to another identity provider and its callback. */

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { SocialProvider } from '../config/identity-providers.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { failureOfRequest } from '../http/problems.ts'
import { recordRefused } from '../journal/audit/failures.ts'
import { clientOfStep } from '../oidc/clients/opened.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { clientOf } from '../resources/systems/queries.ts'
import { pagePolicy } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { errorPage } from '../ui/pages/error.ts'
import { newAuthorizationValues, refusal } from './openid.ts'
import type { Providers } from './providers.ts'
import {
  type AuthorizationPurpose,
  type PendingAuthorization,
  storePending,
  storeProviderLogin,
  takePending,
} from './state.ts'

type Parts = { db: Db; seal: Seal; config: Config; providers: Providers }

export async function startAuthorization(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: SocialProvider,
  purpose: AuthorizationPurpose,
): Promise<FastifyReply> {
  const pending = { ...newAuthorizationValues(), provider: provider.id, purpose }
  try {
    const away = await parts.providers.begin(provider, pending)
    storePending(parts, reply, pending)
    return reply.redirect(away.href, 303)
  } catch (error) {
    return await sendFailure(parts, request, reply, error, purpose)
  }
}

export async function handleCallback(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: SocialProvider,
): Promise<FastifyReply> {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const pending = takePending(parts, request, reply, { provider: provider.id, state: query.get('state') })
  if (!pending) throw new Failure('provider_state_invalid', refusalDetail(query))
  const { purpose, state } = pending
  try {
    const isFirst = await insertArtifact(parts.db, {
      model: 'SocialState',
      idHash: parts.seal.hash(state, 'social:state'),
      expiresIn: parts.config.TTL_INTERACTION,
    })
    if (!isFirst) throw new Failure('provider_state_invalid')
    const said = query.get('said') ?? undefined
    for (const ours of ['provider', 'said']) query.delete(ours)
    const person = await parts.providers.complete(
      provider,
      pending,
      query,
      said && openUserField(parts, state, said),
    )
    storeProviderLogin(parts, reply, purpose, { provider: provider.id, nonce: randomToken(), person })
    return reply.redirect(purpose.path, 303)
  } catch (error) {
    await recordFailed(parts, request, pending, error)
    return await sendFailure(parts, request, reply, error, purpose)
  }
}

/** Parameters of an authorization response (RFC 6749 section 4.1.2, RFC 9207). */
const ANSWER = ['state', 'code', 'iss', 'error', 'error_description'] as const
/** Exceeds the length of any parameter that a provider sends. */
const ANSWER_MAX = 2_000

/**
 * Redirects a response that was sent as a form to the same URL with a query. A cross-site form is sent
 * without cookies (SameSite=Lax), the GET that follows includes them; nothing is verified or stored here. The
 * user field of Apple is sealed, since URLs are logged in many places.
 */
export function redirectFormAsQuery(
  { seal }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: SocialProvider,
): FastifyReply {
  const form = (request.body ?? {}) as Record<string, unknown>
  const query = new URLSearchParams()
  for (const name of ANSWER) {
    const value = form[name]
    if (typeof value === 'string' && value.length <= ANSWER_MAX) query.set(name, value)
  }
  const { user } = form
  if (typeof user === 'string' && user.length <= ANSWER_MAX)
    query.set('said', seal.seal(user, userFieldContext(query.get('state') ?? '')).toString('base64url'))
  return reply.redirect(`/social/${provider.id}/callback?${query}`, 303)
}

const userFieldContext = (state: string) => `social:said:${state}`

function openUserField({ seal }: Parts, state: string, said: string): string | undefined {
  try {
    return seal.open(Buffer.from(said, 'base64url'), userFieldContext(state))
  } catch {
    return undefined // sealed for another state
  }
}

async function recordFailed(
  { db }: Parts,
  { actor }: FastifyRequest,
  { provider, purpose }: PendingAuthorization,
  error: unknown,
) {
  const { code } = failureOfRequest(error as FastifyError)
  if (!code.startsWith('provider_')) return
  const changes = { provider: [null, provider], code: [null, code] } as Record<string, [unknown, unknown]>
  const { userId: id } = purpose
  if (id === undefined) return recordRefused(db, actor, { action: 'user.login', outcome: 'failure', changes })
  const target = { type: 'user', id }
  return recordRefused(
    db,
    { ...actor, type: 'user', id },
    { action: 'user.identity_linked', outcome: 'failure', target, changes },
  )
}

/** The error of the provider, for a browser without a pending authorization. */
function refusalDetail(query: URLSearchParams): { detail?: string } {
  const [error, description] = [query.get('error'), query.get('error_description')]
  return error === null
    ? {}
    : { detail: refusal({ error, error_description: description ?? undefined }).message }
}

/** Sends an error page with a link to the start. */
async function sendFailure(
  { db, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { page: href, bound }: AuthorizationPurpose,
): Promise<FastifyReply> {
  const failure = failureOfRequest(error as FastifyError)
  if (wantsJson(request) || !failure.code.startsWith('provider_')) throw error
  request.actor.refusalNote?.noteFailure(failure, 'sign_in')
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  const locale = languageOf(request)
  const clientId = clientOfStep(config, request, bound)
  const found = clientId === undefined ? undefined : await clientOf(db, clientId)
  const system = found && lookOf(config, found)
  const page = errorPage({
    locale,
    system,
    code: failure.code,
    requestId: request.id,
    description: failure.detail,
    next: { href },
  })
  return reply
    .code(failure.status)
    .header('content-security-policy', pagePolicy({ forms: 'own', logoUrl: system?.logoUrl }))
    .type('text/html')
    .send(page)
}

/**
 * From a page of ours to another identity provider and back: what both is for,
 * and what is said when it fails.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { SocialProvider } from '../config/identity-providers.ts'
import type { Config } from '../config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms.ts'
import { failureOfRequest } from '../http/problems.ts'
import { insertArtifact } from '../resources/artifacts/queries.ts'
import { record } from '../resources/audit/record.ts'
import { pagePolicy } from '../ui/assets.ts'
import { localeOf } from '../ui/i18n/texts.ts'
import { errorPage } from '../ui/pages/error.ts'
import { newAsked, type Providers, refusal } from './providers.ts'
import { type Journey, journeyOf, letArrive, type Purpose, sendOff } from './state.ts'

type Parts = { db: Db; seal: Seal; config: Config; providers: Providers }

export async function sendAway(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: SocialProvider,
  purpose: Purpose,
): Promise<FastifyReply> {
  const journey = { ...newAsked(), provider: provider.id, purpose }
  try {
    const away = await parts.providers.begin(provider, journey)
    sendOff(parts, reply, journey)
    return reply.redirect(away.href, 303)
  } catch (error) {
    return sayFailed(request, reply, error, purpose)
  }
}

export async function takeBack(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: SocialProvider,
): Promise<FastifyReply> {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const journey = journeyOf(parts, request, reply, { provider: provider.id, state: query.get('state') })
  if (!journey) throw new Failure('provider_state_invalid', refusedWords(query))
  const { purpose, state } = journey
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
      journey,
      query,
      said && openSaid(parts, state, said),
    )
    letArrive(parts, reply, purpose, { provider: provider.id, nonce: randomToken(), person })
    return reply.redirect(purpose.path, 303)
  } catch (error) {
    await recordFailed(parts, request, journey, error)
    return sayFailed(request, reply, error, purpose)
  }
}

/** What an authorization response may say (RFC 6749 section 4.1.2, RFC 9207). */
const ANSWER = ['state', 'code', 'iss', 'error', 'error_description'] as const
/** Far more than any provider sends. */
const ANSWER_MAX = 2_000

/**
 * Sends an answer that came as a form on as a query. A form from another site comes without our cookies
 * (SameSite=Lax), the GET that follows brings them; so nothing is decided or kept here. What Apple says of
 * the name goes along sealed: addresses are written down in too many places.
 */
export function passOn(
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
    query.set('said', seal.seal(user, saidOf(query.get('state') ?? '')).toString('base64url'))
  return reply.redirect(`/social/${provider.id}/callback?${query}`, 303)
}

const saidOf = (state: string) => `social:said:${state}`

function openSaid({ seal }: Parts, state: string, said: string): string | undefined {
  try {
    return seal.open(Buffer.from(said, 'base64url'), saidOf(state))
  } catch {
    return undefined // not from a form that came with this state
  }
}

async function recordFailed(
  { db }: Parts,
  { actor }: FastifyRequest,
  { provider, purpose }: Journey,
  error: unknown,
) {
  const { code } = failureOfRequest(error as FastifyError)
  if (!code.startsWith('provider_')) return
  const changes = { provider: [null, provider], code: [null, code] } as Record<string, [unknown, unknown]>
  const { userId: id } = purpose
  if (id === undefined) return record(db, actor, { action: 'user.login', outcome: 'failure', changes })
  const target = { type: 'user', id }
  return record(
    db,
    { ...actor, type: 'user', id },
    { action: 'user.identity_linked', outcome: 'failure', target, changes },
  )
}

/** What a provider refuses with, for who draws the page of a browser that asked for nothing. */
function refusedWords(query: URLSearchParams): { detail?: string } {
  const [error, description] = [query.get('error'), query.get('error_description')]
  return error === null
    ? {}
    : { detail: refusal({ error, error_description: description ?? undefined }).message }
}

/** People get a page with the way back to where they began. */
function sayFailed(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { page: href }: Purpose,
): FastifyReply {
  const failure = failureOfRequest(error as FastifyError)
  if (wantsJson(request) || !failure.code.startsWith('provider_')) throw error
  request.log.info({ err: error }, failure.code)
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter))
  const locale = localeOf(undefined, request.headers['accept-language'])
  const page = errorPage({
    locale,
    code: failure.code,
    requestId: request.id,
    description: failure.detail,
    next: { href },
  })
  return reply
    .code(failure.status)
    .header('content-security-policy', pagePolicy({}))
    .type('text/html')
    .send(page)
}

/**
 * The test of a connection: its page in the browser that has opened its address first, and its result. It
 * starts no session.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { randomToken } from '../../crypto/seal.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { cookieAttributes, cookieName, csrfToken, isOwnForm } from '../../http/forms-and-cookies.ts'
import { siteOf } from '../../http/ip-address.ts'
import { languageOf } from '../../http/language.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { insertArtifact } from '../../resources/artifacts/queries.ts'
import { insertAttempt } from '../../resources/connections/attempts.ts'
import {
  type Configured,
  endTest,
  findConfigured,
  hashTestBrowser,
  hashTestToken,
  hostOf,
  isTestOpen,
  openTest,
} from '../../resources/connections/configured.ts'
import { recordConnection } from '../../resources/connections/event.ts'
import { findStanding } from '../../resources/connections/standing.ts'
import { pagePolicy } from '../../ui/layout.ts'
import { lookOf } from '../../ui/look.ts'
import { connectionResultPage, connectionTestPage } from '../../ui/pages/connection-test.ts'
import { newAuthorizationValues } from '../openid.ts'
import { type Assertion, assertionOf } from './assertion.ts'
import { idOf } from './connection-address.ts'
import { sendSamlRequest } from './saml-start.ts'
import type { SignInParts } from './sign-in.ts'
import { type PendingRequest, storeRequest } from './state.ts'

type Parts = SignInParts

/** 30 minutes, in seconds, as the test itself. */
const COOKIE_MAX = 1_800
/** randomToken: 256 bits, base64url. */
const TOKEN = /^[\w-]{43}$/

/** Why a test has not reached the provider. */
const FAILED = ['provider_unavailable', 'provider_answer_invalid', 'provider_refused'] as const

const pathOf = (id: string) => `/sso/${id}/test`

const testCookie = (config: Config) => cookieName(config, '__Secure-', 'sso_test')
/** The callback needs it as well. */
const attributesOf = (config: Config, id: string) => cookieAttributes(config, `/sso/${id}`)

/** With the secret of the address it redirects to the address without, which no history or log repeats. */
export async function showTest(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { db, seal, config } = parts
  const id = idOf(request)
  const { token, failed } = request.query as { token?: unknown; failed?: unknown }
  if (token === undefined) {
    const { connection, browser } = await openedTest(parts, request, id)
    const code = FAILED.find((each) => each === failed)
    if (code) return sendRefusal(parts, request, reply, connection, { code, status: 200 })
    return sendConnectionPage(parts, request, reply, connection, (shown) =>
      connectionTestPage({ ...shown, action: pathOf(id), csrf: csrfToken(seal, browser) }),
    )
  }
  if (typeof token !== 'string' || !TOKEN.test(token)) throw new Failure('link_invalid')
  const browser = browserOf(config, request) ?? randomToken()
  const hashes = { testHash: hashTestToken(seal, token), browserHash: hashTestBrowser(seal, browser) }
  if (!(await openTest(db, id, hashes))) throw new Failure('link_invalid')
  reply.setCookie(testCookie(config), browser, { ...attributesOf(config, id), maxAge: COOKIE_MAX })
  return reply.redirect(pathOf(id), 303)
}

function browserOf(config: Config, { cookies }: FastifyRequest): string | undefined {
  const value = cookies[testCookie(config)]
  return value !== undefined && TOKEN.test(value) ? value : undefined
}

/** The connection with a test that is in progress in this browser. Throws `link_invalid`. */
export async function openedTest(
  { db, seal, config }: Parts,
  request: FastifyRequest,
  id: string,
): Promise<{ connection: Configured; browser: string }> {
  const browser = browserOf(config, request)
  const isOpen = browser !== undefined && (await isTestOpen(db, id, hashTestBrowser(seal, browser)))
  const connection = isOpen ? await findConfigured(db, { seal, config }, id) : undefined
  if (!connection || browser === undefined) throw new Failure('link_invalid')
  return { connection, browser }
}

export async function beginTest(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { seal, config, connections } = parts
  const id = idOf(request)
  const { connection, browser } = await openedTest(parts, request, id)
  if (!isOwnForm(request, config.BASE_URL, csrfToken(seal, browser))) throw new Failure('csrf_rejected')
  if (connection.kind === 'saml')
    return sendSamlRequest(parts, request, reply, connection, { forceAuthn: false })
  const pending = { ...newAuthorizationValues(), connection: id }
  try {
    const away = await connections.begin(connection, pending)
    storeRequest(parts, request, reply, pending)
    return reply.redirect(away.href, 303)
  } catch (error) {
    const { code } = await noteRefused(parts, request, { connection, browser, error })
    return reply.redirect(`${pathOf(id)}?failed=${code}`, 303)
  }
}

/** Whether what is named has not happened to the request of this `state` before. */
export const isFirst = (
  { db, seal, config }: Parts,
  { state }: { state: string },
  what: 'connection:state' | 'connection:relay-state-lost',
): Promise<boolean> =>
  insertArtifact(db, {
    model: 'ConnectionState',
    idHash: seal.hash(state, what),
    expiresIn: config.TTL_INTERACTION,
  })

/** Throws `provider_state_invalid` if the `state` was used before. */
export async function demandFirst(parts: Parts, pending: PendingRequest): Promise<void> {
  if (!(await isFirst(parts, pending, 'connection:state'))) throw new Failure('provider_state_invalid')
}

export async function finishTest(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingRequest,
  query: URLSearchParams,
): Promise<FastifyReply> {
  const opened = await openedTest(parts, request, pending.connection)
  await demandFirst(parts, pending)
  const { connection } = opened
  if (connection.kind !== 'oidc') throw new Failure('not_found')
  return completeTest(parts, request, reply, opened, async () => {
    const answer = await parts.connections.complete(connection, pending, query, siteOf(request.ip))
    return assertionOf(connection, answer)
  })
}

type Opened = Awaited<ReturnType<typeof openedTest>>

/** Ends the test with what the provider states. */
export async function completeTest(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  { connection, browser }: Opened,
  stated: () => Promise<Assertion>,
): Promise<FastifyReply> {
  const { db, seal, config } = parts
  const { id } = connection
  try {
    const assertion = await stated()
    if (assertion.subject === null)
      return await refuseTest(parts, request, reply, { connection, browser, assertion, error: 'no_subject' })
    const isStored = await inTransaction(db, async (tx) => {
      const isEnded = await endTest(tx, id, hashTestBrowser(seal, browser), undefined)
      if (isEnded) {
        await recordConnection(tx, request.actor, 'connection.tested', connection)
        await insertAttempt(tx, {
          ...attemptOf(request, connection, assertion),
          outcome: 'tested',
          code: null,
        })
      }
      return isEnded
    })
    if (!isStored) throw new Failure('link_invalid')
    reply.clearCookie(testCookie(config), attributesOf(config, id))
    const standing = await findStanding(db, connection, assertion.email)
    return sendConnectionPage(parts, request, reply, connection, (shown) =>
      connectionResultPage({ ...shown, assertion, standing }),
    )
  } catch (error) {
    return refuseTest(parts, request, reply, { connection, browser, error })
  }
}

const attemptOf = ({ id: requestId }: FastifyRequest, { id }: Configured, assertion?: Assertion) => ({
  connectionId: id,
  subject: assertion?.subject ?? null,
  email: assertion?.email ?? null,
  requestId,
})

type Refused = {
  connection: Configured
  browser: string
  assertion?: Assertion
  /** The code, or what the provider has caused. */
  error: unknown
}

type Why = { code: string; status: number; detail?: string | undefined }

/** Notes why the test has failed. It can be tried again. Throws what the provider has not caused. */
async function noteRefused(
  { db, seal }: Parts,
  request: FastifyRequest,
  { connection, browser, assertion, error }: Refused,
): Promise<Why> {
  const failure = typeof error === 'string' ? undefined : failureOfRequest(error as FastifyError)
  const code = failure?.code ?? String(error)
  if (failure && !code.startsWith('provider_')) throw error
  if (failure) request.actor.refusalNote?.noteFailure(failure, 'sign_in')
  await inTransaction(db, async (tx) => {
    if (!(await endTest(tx, connection.id, hashTestBrowser(seal, browser), code))) return
    await insertAttempt(tx, { ...attemptOf(request, connection, assertion), outcome: 'refused', code })
  })
  return { code, status: failure?.status ?? 400, detail: failure?.detail }
}

const refuseTest = async (parts: Parts, request: FastifyRequest, reply: FastifyReply, refused: Refused) =>
  sendRefusal(parts, request, reply, refused.connection, await noteRefused(parts, request, refused))

/** The page of a test that has failed. */
export const sendRefusal = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: Configured,
  { code, status, detail }: Why,
): FastifyReply =>
  sendConnectionPage(
    parts,
    request,
    reply,
    connection,
    (shown) => {
      const refused = { code, detail, requestId: request.id, again: pathOf(connection.id) }
      return connectionResultPage({ ...shown, refused })
    },
    status,
  )

type Shown = Pick<
  Parameters<typeof connectionTestPage>[0],
  'locale' | 'system' | 'name' | 'organization' | 'issuer' | 'host' | 'kind'
>

export function sendConnectionPage(
  { config }: Pick<Parts, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: Configured,
  draw: (shown: Shown) => string,
  status = 200,
): FastifyReply {
  const { name, organization, issuer, application, kind } = connection
  const system = lookOf(config, application)
  const locale = languageOf(request)
  const html = draw({ locale, system, name, organization, issuer, kind, host: hostOf(connection) })
  return reply
    .code(status)
    .header('content-security-policy', pagePolicy({ forms: 'away', logoUrl: system.logoUrl }))
    .type('text/html')
    .send(html)
}

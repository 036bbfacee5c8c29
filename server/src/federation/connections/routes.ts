/**
 * The connections of organizations: the sign-in by one (sign-in.ts), where a tile of its provider leads
 * (/sso/<id>/start), and the test of one (/sso/<id>/test). All answers of its provider come to
 * /sso/<id>/callback. The test starts no session: it shows what the provider states, in the browser that has
 * opened its address first.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { randomToken } from '../../crypto/seal.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { cookieAttributes, cookieName, csrfToken, isOwnForm } from '../../http/forms-and-cookies.ts'
import { siteOf } from '../../http/ip-address.ts'
import { languageOf } from '../../http/language.ts'
import { failureOfRequest } from '../../http/problems.ts'
import { STEP, STEP_BODY_MAX } from '../../oidc/interaction.ts'
import { insertArtifact } from '../../resources/artifacts/queries.ts'
import { insertAttempt } from '../../resources/connections/attempts.ts'
import {
  type Configured,
  endTest,
  findConfigured,
  hashTestBrowser,
  hashTestToken,
  isTestOpen,
  openTest,
} from '../../resources/connections/configured.ts'
import { recordConnection } from '../../resources/connections/event.ts'
import { findStanding } from '../../resources/connections/standing.ts'
import { startHref } from '../../resources/systems/application.ts'
import { pagePolicy } from '../../ui/layout.ts'
import { lookOf } from '../../ui/look.ts'
import { connectionStartPage } from '../../ui/pages/connection-sign-in.ts'
import { connectionResultPage, connectionTestPage } from '../../ui/pages/connection-test.ts'
import { answerPageFailures } from '../../ui/pages/page-failures.ts'
import { newAuthorizationValues } from '../openid.ts'
import { type Assertion, assertionOf } from './assertion.ts'
import { idOf } from './connection-address.ts'
import { submitLinkCode, submitOwnFactor } from './own-proof.ts'
import { samlRoutes } from './saml-routes.ts'
import { beginSignIn, receiveAnswer, type SignInParts, showCompletion, submitCompletion } from './sign-in.ts'
import { type PendingRequest, storeRequest, takeRequest } from './state.ts'

type Parts = SignInParts

/** 30 minutes, in seconds, as the test itself. */
const COOKIE_MAX = 1_800
/** randomToken: 256 bits, base64url. */
const TOKEN = /^[\w-]{43}$/

export const connectionRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  await app.register(formbody, { bodyLimit: STEP_BODY_MAX })
  answerPageFailures(app, parts, () => undefined, null)
  const hidden = { config: { authority: 'public' as const }, schema: { hide: true }, exposeHeadRoute: false }

  app.get('/sso/:id/test', hidden, async (request, reply) => showTest(parts, request, reply))
  app.post('/sso/:id/test', { ...hidden, bodyLimit: STEP_BODY_MAX }, async (request, reply) =>
    beginTest(parts, request, reply),
  )
  app.get('/sso/:id/callback', hidden, async (request, reply) => finish(parts, request, reply))
  app.get('/sso/:id/start', hidden, async (request, reply) => startAtApplication(parts, request, reply))
  await app.register(samlRoutes, parts)

  const step = { ...STEP, exposeHeadRoute: false }
  const begun = {
    ...step,
    schema: { params: Type.Object({ uid: STEP.schema.params.properties.uid, id: Type.String() }) },
  }
  app.get('/interaction/:uid/connection/:id', begun, async (request, reply) =>
    beginSignIn(parts, request, reply),
  )
  app.get('/interaction/:uid/connection', step, async (request, reply) =>
    showCompletion(parts, request, reply),
  )
  app.post('/interaction/:uid/connection', STEP, async (request, reply) =>
    submitCompletion(parts, request, reply),
  )
  app.post('/interaction/:uid/connection/code', STEP, async (request, reply) =>
    submitLinkCode(parts, request, reply),
  )
  app.post('/interaction/:uid/connection/factor', STEP, async (request, reply) =>
    submitOwnFactor(parts, request, reply),
  )
}

/** Why a test has not reached the provider. */
const FAILED = ['provider_unavailable', 'provider_answer_invalid', 'provider_refused'] as const

const pathOf = (id: string) => `/sso/${id}/test`

const testCookie = (config: Config) => cookieName(config, '__Secure-', 'sso_test')
/** The callback needs it as well. */
const attributesOf = (config: Config, id: string) => cookieAttributes(config, `/sso/${id}`)

/** With the secret of the address it redirects to the address without, which no history or log repeats. */
async function showTest(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, seal, config } = parts
  const id = idOf(request)
  const { token, failed } = request.query as { token?: unknown; failed?: unknown }
  if (token === undefined) {
    const { connection, browser } = await openedTest(parts, request, id)
    const code = FAILED.find((each) => each === failed)
    if (code) return sendRefusal(parts, request, reply, connection, { code, status: 200 })
    return sendPage(parts, request, reply, connection, (shown) =>
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
async function openedTest(
  { db, seal, config }: Parts,
  request: FastifyRequest,
  id: string,
): Promise<{ connection: Configured; browser: string }> {
  const browser = browserOf(config, request)
  const isOpen = browser !== undefined && (await isTestOpen(db, id, hashTestBrowser(seal, browser)))
  const connection = isOpen ? await findConfigured(db, seal, id) : undefined
  if (!connection || browser === undefined) throw new Failure('link_invalid')
  return { connection, browser }
}

async function beginTest(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { seal, config, connections } = parts
  const id = idOf(request)
  const { connection, browser } = await openedTest(parts, request, id)
  if (!isOwnForm(request, config.BASE_URL, csrfToken(seal, browser))) throw new Failure('csrf_rejected')
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

/** An answer of the provider, to a request of this browser. */
async function finish(parts: Parts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = idOf(request)
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const pending = takeRequest(parts, request, reply, { connection: id, state: query.get('state') })
  if (!pending) throw new Failure('provider_state_invalid')
  const { uid } = pending
  if (uid === undefined) return finishTest(parts, request, reply, pending, query)
  await demandFirst(parts, pending)
  return receiveAnswer(parts, request, reply, { ...pending, uid })
}

/** Throws `provider_state_invalid` if the `state` was used before. */
async function demandFirst({ db, seal, config }: Parts, { state }: PendingRequest): Promise<void> {
  const isFirst = await insertArtifact(db, {
    model: 'ConnectionState',
    idHash: seal.hash(state, 'connection:state'),
    expiresIn: config.TTL_INTERACTION,
  })
  if (!isFirst) throw new Failure('provider_state_invalid')
}

/** Where a tile of the provider leads: the application begins its sign-in, with this connection. */
async function startAtApplication(
  { db, seal, config }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const connection = await findConfigured(db, seal, idOf(request))
  if (!connection?.enabled) throw new Failure('not_found')
  const { application, organization, accountId, id } = connection
  const away = startHref(config, application, { accountId, connection: id })
  if (away !== undefined) return reply.redirect(away, 303)
  return sendPage({ config }, request, reply, connection, ({ locale, system }) =>
    connectionStartPage({ locale, system, organization }),
  )
}

async function finishTest(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  pending: PendingRequest,
  query: URLSearchParams,
): Promise<FastifyReply> {
  const { db, seal, config, connections } = parts
  const id = pending.connection
  const { connection, browser } = await openedTest(parts, request, id)
  await demandFirst(parts, pending)
  try {
    const assertion = assertionOf(
      connection,
      await connections.complete(connection, pending, query, siteOf(request.ip)),
    )
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
    return sendPage(parts, request, reply, connection, (shown) =>
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

const sendRefusal = (
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  connection: Configured,
  { code, status, detail }: Why,
): FastifyReply =>
  sendPage(
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
  'locale' | 'system' | 'name' | 'organization' | 'issuer'
>

function sendPage(
  { config }: Pick<Parts, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, organization, issuer, application }: Configured,
  draw: (shown: Shown) => string,
  status = 200,
): FastifyReply {
  const system = lookOf(config, application)
  const html = draw({ locale: languageOf(request), system, name, organization, issuer })
  return reply
    .code(status)
    .header('content-security-policy', pagePolicy({ forms: 'away', logoUrl: system.logoUrl }))
    .type('text/html')
    .send(html)
}

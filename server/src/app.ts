/** The route map, and the hooks that apply to all routes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import helmet from 'helmet'
import { type AnonymousWrites, limitAnonymousWrites } from './authentication/anonymous-writes.ts'
import { shareVisits } from './authentication/visitors.ts'
import type { Config } from './config/config.ts'
import { serveFiles } from './console/files.ts'
import { type ConsoleParts, consoleGuard, contextReading, recheckConsole } from './console/guard.ts'
import { consoleRoutes } from './console/routes.ts'
import type { Seal } from './crypto/seal.ts'
import type { Database } from './database/database.ts'
import { explainRoutes } from './explain/routes.ts'
import { createConnectionProviders } from './federation/connections/providers.ts'
import { connectionRoutes } from './federation/connections/routes.ts'
import { createProviders } from './federation/providers.ts'
import { socialRoutes } from './federation/routes.ts'
import { guideRoutes } from './guide/routes.ts'
import type { Actor, Declared } from './http/authority.ts'
import { takeBodies } from './http/fields.ts'
import { acceptCookies } from './http/forms-and-cookies.ts'
import { closeConnections, type Draining } from './http/health/draining.ts'
import { healthRoutes } from './http/health/routes.ts'
import { acceptIdempotencyKeys } from './http/idempotency/idempotency-key.ts'
import { keepAddresses } from './http/ip-address.ts'
import { languageRoutes } from './http/language.ts'
import { type Guard, guardAgain, guardHeaders } from './http/late-body.ts'
import { createShares, type Shares, shareAdmin } from './http/limits/shares.ts'
import { chargeWrites, createWriteBudget, limitWrites, type WriteBudget } from './http/limits/write-budget.ts'
import { loggerOf } from './http/log.ts'
import { tokenOf } from './http/metrics/port.ts'
import { measureRequests } from './http/metrics/requests.ts'
import { metricsRoutes } from './http/metrics/routes.ts'
import type { Scrape } from './http/metrics/workers.ts'
import { describeRoutes } from './http/openapi/document.ts'
import { mountApiPage } from './http/openapi/page.ts'
import { demandDeclared } from './http/power.ts'
import { answerFailures, failureOfRequest, sendProblem } from './http/problems.ts'
import { apiPathOf, CONSOLE_API } from './http/recent-sign-in.ts'
import { createRefusalLog, logRefusals } from './http/refusal-log.ts'
import { RefusalNote } from './http/refusals.ts'
import { COMPILERS } from './http/schema-compilers.ts'
import { newStage } from './http/stage.ts'
import { answerVersions } from './http/versions.ts'
import { limitWaiting } from './http/waiting.ts'
import { assetRoutes } from './interaction/assets.ts'
import { protocolPages } from './interaction/protocol-pages.ts'
import { interactionRoutes } from './interaction/routes.ts'
import { invitationRoutes } from './invitation/routes.ts'
import { recordDenied } from './journal/audit/denied.ts'
import { auditKeysRoutes, auditRoutes } from './journal/audit/routes.ts'
import { eventsRoutes } from './journal/events/routes.ts'
import { createStreams, type Recheck, type Streams } from './journal/events/stream.ts'
import { statsRoutes } from './journal/stats/routes.ts'
import { adminGuard, type BearerParts, demandRecentSignIn, recheckTokens } from './oidc/bearer.ts'
import { rotateKeys } from './oidc/keys/signing-keys.ts'
import { noteRefusedClients } from './oidc/policy/refused-clients.ts'
import { mountProtocol, startProtocol } from './oidc/provider/mount.ts'
import { hasOutbox } from './outbox/access.ts'
import { outboxRoutes } from './outbox/routes.ts'
import { recoveryRoutes } from './recovery/routes.ts'
import { accountsRoutes, systemAccountsRoutes } from './resources/accounts/routes.ts'
import { accountBrandingRoutes, imageRoutes, systemBrandingRoutes } from './resources/branding/routes.ts'
import { connectionsRoutes, memberLinkRoutes } from './resources/connections/routes.ts'
import { credentialsRoutes } from './resources/credentials/routes.ts'
import { domainsRoutes } from './resources/domains/routes.ts'
import { emailTextsRoutes } from './resources/email-texts/routes.ts'
import { exportsRoutes } from './resources/exports/routes.ts'
import { factorsRoutes } from './resources/factors/routes.ts'
import { installationRoutes } from './resources/installation/routes.ts'
import { type InvitationRules, invitationRules } from './resources/invitations/invite.ts'
import { invitationsRoutes } from './resources/invitations/routes.ts'
import { jobsRoutes } from './resources/jobs/routes.ts'
import { limitsRoutes } from './resources/limits/routes.ts'
import { accountMembersRoutes, membershipsRoutes } from './resources/memberships/routes.ts'
import { operatorsRoutes } from './resources/operators/routes.ts'
import { profilesRoutes } from './resources/profiles/routes.ts'
import { rolesRoutes } from './resources/roles/routes.ts'
import { searchRoutes } from './resources/search/routes.ts'
import { serviceAccountsRoutes } from './resources/service-accounts/routes.ts'
import { sessionsRoutes } from './resources/sessions/routes.ts'
import { systemsRoutes } from './resources/systems/routes.ts'
import { usersRoutes } from './resources/users/routes.ts'
import { allWebhooksRoutes } from './resources/webhooks/deliveries.ts'
import { webhooksRoutes } from './resources/webhooks/routes.ts'
import { createSamlReader, type SamlReader } from './saml/reader.ts'
import { accountRoutes, unknownAccountPages } from './self-service/routes.ts'
import { testSignInsRoutes } from './test-sign-ins/routes.ts'
import { unknownAddress } from './ui/pages/page-failures.ts'

/** The parts of a server. */
export type AppParts = {
  config: Config
  database: Database
  seal: Seal
  draining?: Draining // default: the process never drains
  scrape?: Scrape | undefined // default: no metrics
  /** The key of `/outbox`. Default: the server has no such page. */
  outboxKey?: string | undefined
  patience?: number // how many times as long as usual a request waits; default 1
}

/** 64 kB; imports and protocol requests have their own limit. */
const BODY_LIMIT = 65_536

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { config, seal, draining = { isOn: false } } = parts
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    return503OnClosing: false, // requests on open connections are served until the process exits
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    schemaController: { compilersFactory: COMPILERS },
    http: { headersTimeout: 15_000, maxHeaderSize: 16_384 },
    genReqId: () => crypto.randomUUID(),
    frameworkErrors: (error, request, reply) => sendProblem(failureOfRequest(error), request, reply),
    logController: new LogController({ disableRequestLogging: true }),
    logger: loggerOf(config),
  }).withTypeProvider<TypeBoxTypeProvider>()

  takeBodies(app)
  declareActors(app)
  closeConnections(app, draining)
  limitWaiting(app, parts.patience)
  app.addHook('onRequest', newStage())
  const refusals = createRefusalLog(app.log, config.LOG_REFUSALS)
  logRefusals(app, refusals)
  const answer = answerFailures(app, unknownAddress())
  const headers = securityHeaders(config)
  app.addHook('onRequest', (_request, { raw }, done) => {
    for (const [name, value] of headers) raw.setHeader(name, value)
    done()
  })
  describeRoutes(app, config)
  mountApiPage(app)

  const { db } = parts.database
  await mountMetrics(app, parts)
  await app.register(healthRoutes, { db, draining })
  await app.register(auditKeysRoutes, { seal })
  const { slots, total } = slotsOf(parts)
  const shares = createShares(slots, total)
  // Requests with tokens are short, and cheaper when many are executed together.
  const tokenShares = createShares(config.DATABASE_POOL * 2)
  const signInShares = createShares(config.DATABASE_POOL * 2)
  const visitShares = createShares(config.DATABASE_POOL * 2)
  const shareVisit = shareVisits(visitShares, { config, seal })
  const writes = limitAnonymousWrites({ config, seal })
  const refusedClients = noteRefusedClients({ db, seal, log: app.log })
  const contextOf = contextReading({ db, config })
  const render = protocolPages({ log: app.log, refusals, refusedClients, contextOf, seal, config })
  const protocol = await startProtocol({ db, seal, config, writes, render, log: app.log })
  const saml = createSamlReader()
  app.addHook('onClose', async () => {
    protocol.close()
    await refusedClients.close()
    await saml.close()
  })
  const mounted = {
    parts: { config, seal },
    protocol,
    render,
    shares: tokenShares,
    signInShares,
    visitShares,
  }
  await app.register(async (scope) => mountProtocol(scope, mounted))
  const { provider } = protocol
  const providers = createProviders(config)
  const connections = createConnectionProviders(config)
  const rules = invitationRules(config)
  const budget = createWriteBudget({ db, seal })
  await app.register(async (pages) => {
    await acceptCookies(pages)
    await pages.register(assetRoutes, { db, seal, config })
    await pages.register(languageRoutes, { config })
    await pages.register(guideRoutes, { db, seal, config })
    countAnonymousWrites(pages, writes)
    pages.addHook('preValidation', shareVisit)
    await pages.register(imageRoutes, { db })
    await pages.register(interactionRoutes, { db, seal, config, provider })
    await pages.register(recoveryRoutes, { db, seal, config, provider })
    await pages.register(invitationRoutes, { db, seal, config, provider, rules })
    const account = { db, seal, config, provider, providers, rules, shares, budget, saml }
    await pages.register(accountRoutes, account)
    await pages.register(unknownAccountPages, { ...account, answer, prefix: '/account' })
    await pages.register(socialRoutes, { db, seal, config, provider, providers })
    await pages.register(connectionRoutes, { db, seal, config, provider, connections, saml })
  })

  const bearer = { db, config, tokens: protocol.tokens }
  const browser = { db, seal, config, provider }
  const streams = createStreams({ db, log: app.log, recheck: recheckBy(bearer, browser) })
  app.addHook('preClose', () => streams.stop())
  const admin = { parts, shares, budget, streams, rules, saml }
  await app.register(adminApi, { ...admin, prefix: '/admin', guard: adminGuard(bearer) })
  const { outboxKey: key } = parts
  if (key !== undefined && hasOutbox(config))
    await app.register(async (pages) => {
      await acceptCookies(pages)
      await pages.register(outboxRoutes, { ...browser, seal, key })
    })
  if (config.CONSOLE)
    await app.register(async (pages) => {
      await acceptCookies(pages)
      await pages.register(serveFiles)
      await pages.register(async (shared) => {
        shared.addHook('preValidation', shareVisit)
        await shared.register(consoleRoutes, { ...browser, seal })
      })
      const prefix = `${CONSOLE_API}/admin`
      await pages.register(adminApi, { ...admin, prefix, guard: consoleGuard(browser) })
    })
  return app
}

/** The writes of a request to a page, until it is known which user sends it. */
function countAnonymousWrites(pages: FastifyInstance, writes: AnonymousWrites): void {
  pages.addHook('onRequest', ({ waitingTime, ip, cookies }, _reply, done) => {
    writes.count(waitingTime, { ip, cookieOf: (name) => cookies[name] })
    done()
  })
}

/** Before the routes that it measures. */
async function mountMetrics(app: FastifyInstance, { scrape, config }: AppParts) {
  if (!scrape) return
  measureRequests(app)
  if (config.METRICS_PORT === 0) await app.register(metricsRoutes, { tokenNow: tokenOf(config), scrape })
}

/**
 * The slots of /admin and the pages of organizations. The embedded database has one connection, which
 * executes one statement after the other. Two connections of a pool are left to other requests.
 */
function slotsOf({ config: { DATABASE_POOL: pool }, database: { kind } }: AppParts) {
  if (kind === 'pglite') return { slots: 2, total: 2 }
  const slots = Math.max(2, Math.floor(pool / 2))
  return { slots, total: Math.max(slots, pool - 2) }
}

type AdminParts = {
  parts: AppParts
  shares: Shares
  budget: WriteBudget
  streams: Streams
  /** The limit of the invitations of an account. */
  rules: InvitationRules
  saml: SamlReader
  guard: Guard
}

/** The operations of the admin API: for access tokens, and once more for the console. */
async function adminApi(
  admin: FastifyInstance,
  { parts, shares, budget, streams, rules, saml, guard }: AdminParts,
): Promise<void> {
  const { config, seal, database } = parts
  const { db } = database
  guardHeaders(admin, guard)
  admin.addHook('preValidation', shareAdmin(shares))
  admin.addHook('preValidation', limitWrites(budget))
  admin.addHook('onResponse', chargeWrites(budget))
  admin.addHook('onError', recordDenied(db))
  guardAgain(admin, guard)
  admin.addHook('preHandler', demandRecentSignIn(db))
  acceptIdempotencyKeys(admin, { db, seal })
  answerVersions(admin)
  await admin.register(systemsRoutes, { prefix: '/systems', db, seal, config })
  await admin.register(systemBrandingRoutes, { prefix: '/systems/:systemId/branding', db, config })
  const emailTexts = '/systems/:systemId/email-texts'
  await admin.register(emailTextsRoutes, { prefix: emailTexts, db, seal, config })
  await admin.register(rolesRoutes, { prefix: '/systems/:systemId/roles', db })
  await admin.register(profilesRoutes, { prefix: '/systems/:systemId/profiles', db })
  await admin.register(testSignInsRoutes, { prefix: '/systems/:systemId/test-sign-ins', db, seal, config })
  await admin.register(webhooksRoutes, { prefix: '/systems/:systemId/webhooks', db, seal, config })
  await admin.register(allWebhooksRoutes, { prefix: '/webhooks', db })
  await admin.register(usersRoutes, { prefix: '/users', db, seal, config, budget })
  await admin.register(credentialsRoutes, { prefix: '/users', db, seal, config })
  await admin.register(factorsRoutes, { prefix: '/users', db, seal })
  await admin.register(exportsRoutes, { prefix: '/users', db })
  await admin.register(systemAccountsRoutes, { prefix: '/systems/:systemId/accounts', db })
  await admin.register(accountsRoutes, { prefix: '/accounts', db })
  await admin.register(accountBrandingRoutes, { prefix: '/accounts/:accountId/branding', db, config })
  await admin.register(accountMembersRoutes, { prefix: '/accounts/:accountId/members', db })
  await admin.register(memberLinkRoutes, { prefix: '/accounts/:accountId/members', db })
  const invitations = '/accounts/:accountId/invitations'
  await admin.register(invitationsRoutes, { prefix: invitations, db, seal, config, rules })
  const serviceAccounts = '/accounts/:accountId/service-accounts'
  await admin.register(serviceAccountsRoutes, { prefix: serviceAccounts, db, seal })
  await admin.register(domainsRoutes, { prefix: '/accounts/:accountId/domains', db, seal, config })
  const connections = '/accounts/:accountId/connections'
  await admin.register(connectionsRoutes, { prefix: connections, db, seal, config, saml })
  await admin.register(membershipsRoutes, { prefix: '/memberships', db, seal, config })
  await admin.register(sessionsRoutes, { prefix: '/sessions', db, seal })
  await admin.register(limitsRoutes, { prefix: '/limits', db, seal })
  await admin.register(jobsRoutes, { prefix: '/jobs', db })
  await admin.register(operatorsRoutes, { prefix: '/operators', db })
  await admin.register(statsRoutes, { prefix: '/stats', db })
  await admin.register(searchRoutes, { db })
  const rotate = (actor: Actor) => rotateKeys(db, seal, config, { actor })
  await admin.register(installationRoutes, { db, seal, config, kind: database.kind, rotate })
  await admin.register(auditRoutes, { prefix: '/audit', db })
  await admin.register(explainRoutes, { prefix: '/explain', db, seal })
  await admin.register(eventsRoutes, { prefix: '/events', db, streams })
}

/** Checks the requests of both APIs again. */
function recheckBy(bearer: BearerParts, browser: ConsoleParts): Recheck {
  const [ofTokens, ofConsole] = [recheckTokens(bearer), recheckConsole(browser)]
  return async (requests) => {
    const isConsole = ({ caller }: FastifyRequest) => caller.actor.via === 'console'
    const lost = await Promise.all([
      ofTokens(requests.filter((request) => !isConsole(request))),
      ofConsole(requests.filter(isConsole)),
    ])
    return new Set(lost.flatMap((each) => [...each]))
  }
}

/** The server does not start with a route that declares no authority, or an operation without a class. */
function declareActors(app: FastifyInstance): void {
  const declared: Declared[] = []
  app.decorate('declared', declared)
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    if (config?.authority === undefined) throw new Error(`${method} ${url} declares no authority`)
    const { authority, reach } = config
    if (Array.isArray(authority))
      demandDeclared({ method: String(method), url: apiPathOf(url), body: schema?.body })
    declared.push({
      method: String(method),
      url: url.replace(/(?<=.)\/$/, ''),
      authority,
      ...(reach && { reach }),
    })
  })
  app.decorateRequest('caller')
  app.decorateRequest('actor')
  app.addHook('onRequest', (request, reply, done) => {
    // The client closed the connection before its address was read: the request
    // could not be counted by any limit.
    if (request.raw.socket.remoteAddress === undefined) {
      reply.hijack()
      return void request.raw.destroy()
    }
    keepAddresses(request.raw.headers) // before `request.ip` evaluates them
    request.actor = {
      type: 'anonymous',
      id: null,
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 400) ?? null,
      requestId: request.id,
      refusalNote: new RefusalNote(),
    }
    done()
  })
}

/**
 * The headers of every response, unless its route sets others. Computed once,
 * since they are the same for all.
 */
function securityHeaders(config: Config): Map<string, string> {
  const headers = new Map([['Cache-Control', 'no-store']])
  const answer = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  }
  helmet(helmetOptions(config))({} as IncomingMessage, answer as unknown as ServerResponse, () => {})
  return headers
}

/**
 * HSTS for two years, with subdomains, if the issuer is https. Without headers
 * that only outdated browsers read.
 */
const helmetOptions = (config: Config) => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  },
  strictTransportSecurity: config.BASE_URL.startsWith('https:')
    ? { maxAge: 63_072_000, includeSubDomains: true }
    : false,
  frameguard: { action: 'deny' as const },
  referrerPolicy: { policy: 'no-referrer' as const },
  crossOriginOpenerPolicy: { policy: 'same-origin' as const },
  crossOriginResourcePolicy: { policy: 'same-origin' as const },
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})

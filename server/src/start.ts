/** Starts and stops a server process. */
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { type AppParts, buildApp } from './app.ts'
import { type Config, ConfigError } from './config/config.ts'
import { withoutPassword } from './config/postgres-url.ts'
import { warningsOf } from './config/warnings.ts'
import type { Seal } from './crypto/seal.ts'
import { keyFileOf, lockDataDir, openDataDir, secretKeyOf } from './data-dir.ts'
import { openPglite } from './database/connections/pglite.ts'
import { openPostgres } from './database/connections/postgres.ts'
import { hintOf } from './database/connections/tls.ts'
import type { Database, Opening } from './database/database.ts'
import { rootCauseOf } from './database/faults.ts'
import { planMigrations } from './database/migrations/plan.ts'
import { startPresence } from './database/migrations/presence.ts'
import type { Draining } from './http/health/draining.ts'
import { serveMetrics, tokenOf } from './http/metrics/port.ts'
import type { Scrape } from './http/metrics/workers.ts'
import { startAuditChain } from './jobs/audit-chain.ts'
import { startLogoutWorker } from './jobs/backchannel-logout/deliver.ts'
import { startJobWorker } from './jobs/background/worker.ts'
import { startCleanup } from './jobs/cleanup/cleanup.ts'
import { startEmailWorker } from './jobs/email/deliver.ts'
import { startFills } from './jobs/fills.ts'
import type { Worker } from './jobs/queue.ts'
import { startWebhookWorker } from './jobs/webhooks/deliver.ts'
import { startStats } from './journal/stats/worker.ts'
import { endBatch } from './lifecycle/end-sessions.ts'
import { deletionBatch } from './lifecycle/remove-system.ts'
import { openMetrics } from './metrics.ts'
import { loadSigningKeys, rotateWhenDue } from './oidc/keys/signing-keys.ts'
import { hasOutbox } from './outbox/access.ts'
import { ensurePlatform, findSeal, openSeal, type Platform } from './platform.ts'
import { startMetadataWorker } from './resources/connections/metadata-worker.ts'
import { startDomainWorker } from './resources/domains/worker.ts'
import { noteExpired } from './resources/invitations/changes.ts'
import { recordAskedAddresses } from './resources/users/asked-addresses.ts'
import { openTracing } from './tracing.ts'

/** 10 s, in ms: how long requests in flight may take after the signal to stop. */
const GRACE = 10_000
/** 1 s, in ms: delays the restart of a worker process, in case it exits at once. */
const REPLACE_AFTER = 1_000
/** Exit code of a process whose version can no longer use the database, so that it is not replaced. */
const REFUSED = 3

/** Throws ConfigError for faults that the operator can correct. */
export async function start(config: Config): Promise<void> {
  try {
    if (config.WORKERS > 1 && cluster.isPrimary) await supervise(config)
    else await serve(config)
  } catch (error) {
    // Drizzle writes the statement and its values into message and stack.
    const isQuery = error instanceof Error && 'query' in error
    throw isQuery
      ? new ConfigError(`The database did not execute a statement: ${rootCauseOf(error)}.`)
      : error
  }
}

type OpenedParts = AppParts & {
  keys: { secretKey: string; previous: string | undefined }
  close(): Promise<void>
}

/** Opens the database and checks SECRET_KEY against it. The embedded database is locked until `close`. */
export async function openParts(config: Config): Promise<OpenedParts> {
  const { database, folder, close } = await openDatabase(config, { migrations: config.MIGRATIONS })
  const secretKey = config.SECRET_KEY ?? secretKeyOf(folder)
  const keys = { secretKey, previous: config.SECRET_KEY_PREVIOUS }
  const seal = await openSeal(database.db, keys)
  return { config, database, seal, keys, close }
}

type Read = { database: Database; seal: Seal; close(): Promise<void> }

/**
 * Opens the database for commands that verify: nothing is created, migrated or written. Throws ConfigError if
 * the database has another version, or was not used by a server.
 */
export async function openToRead(config: Config): Promise<Read> {
  if (!hasDatabase(config)) throw new ConfigError(`DATA_DIR ${config.DATA_DIR} has no database.`)
  const { database, folder, close } = await openDatabase(config, { migrations: 'off' })
  try {
    const { steps } = await planMigrations(database.db, config.DATABASE_URL === undefined)
    const due = steps.filter(({ when }) => when === 'start').map(({ name }) => name)
    if (due.length > 0)
      throw new ConfigError(`The database lacks ${due.join(', ')}. Run "tenantry migrate" first.`)
    const secretKey = config.SECRET_KEY ?? keyFileOf(folder)
    if (secretKey === undefined) throw new ConfigError('SECRET_KEY is not set, and DATA_DIR has none.')
    const seal = await findSeal(database.db, { secretKey, previous: config.SECRET_KEY_PREVIOUS })
    if (!seal)
      throw new ConfigError('No server has used this database, or its row in "installation" was removed.')
    return { database, seal, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** False: the embedded database was not created yet. */
export const hasDatabase = ({ DATABASE_URL, DATA_DIR }: Config): boolean =>
  DATABASE_URL !== undefined || existsSync(join(DATA_DIR, 'database'))

type OpenedDatabase = { database: Database; folder: string; close(): Promise<void> }

/** The database, and the folder of DATA_DIR. The embedded database is locked until `close`. */
export async function openDatabase(config: Config, how: Opening): Promise<OpenedDatabase> {
  const needsFolder = !config.DATABASE_URL || !config.MAIL_URL
  // A command that only reads creates and changes nothing.
  const opens = needsFolder && how.migrations !== 'off'
  const folder = opens ? openDataDir(config.DATA_DIR) : resolve(config.DATA_DIR)
  const lock = config.DATABASE_URL ? undefined : lockDataDir(folder)
  const database = config.DATABASE_URL
    ? await reachPostgres(config, config.DATABASE_URL, how)
    : await openEmbedded(join(folder, 'database'), how)
  const close = async () => {
    await database.close()
    lock?.release()
  }
  return { database, folder, close }
}

/** The first start takes a few seconds. */
function openEmbedded(folder: string, how: Opening) {
  if (!existsSync(folder)) process.stderr.write(`Creating the database in ${folder} …\n`)
  return openPglite(folder, how)
}

/** The error message contains the address without its password. */
async function reachPostgres({ DATABASE_POOL, reread }: Config, url: string, how: Opening) {
  try {
    return await openPostgres(url, DATABASE_POOL, how, () => reread('DATABASE_URL'))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const place = withoutPassword(url).replace(/^\w+:\/\//, '')
    const hint = hintOf(error)
    throw new ConfigError(
      `DATABASE_URL: cannot use PostgreSQL at ${place}: ${rootCauseOf(error)}.${hint && ` ${hint}`}`,
    )
  }
}

/**
 * Runs a server. With a single process it also creates the platform system; otherwise the primary has done
 * so.
 */
async function serve(config: Config): Promise<void> {
  const stopTracing = await openTracing(config)
  const { close, keys: _, ...parts } = await openParts(config)
  const platform = cluster.isWorker ? undefined : await ensurePlatform(parts.database.db, parts.seal, config)
  const draining: Draining = { isOn: false }
  const scrape = config.METRICS_ENABLED ? await openMetrics(parts) : undefined
  const outboxKey = (cluster.isWorker ? process.env[OUTBOX_KEY] : undefined) ?? newOutboxKey()
  const app = await buildApp({ ...parts, draining, scrape, outboxKey })
  const { db } = parts.database
  let exitCode = 0
  const onRefused = () => {
    exitCode = REFUSED
    process.kill(process.pid)
  }
  const presence = await startPresence({ db, log: app.log, onRefused })
  const stopBy = holdStopSignals()
  try {
    if (scrape && !cluster.isWorker) await listenForMetrics(config, scrape)
    await listen(app, config)
  } catch (error) {
    await presence.stop()
    throw error
  }
  const workers = startWorkers(parts, app.log)
  const stats = startStatsOf(parts, app.log)
  const closeAll = async () => {
    await stats?.stop() // after the others, which count until they have stopped
    await presence.stop()
    await Promise.all([close(), stopTracing?.()])
  }
  const drained = new AbortController()
  const drainAndStop = async (isUrgent: boolean) => {
    if (isUrgent) drained.abort()
    if (draining.isOn) return // by an earlier signal
    draining.isOn = true
    await pause(delayOf(config), undefined, { signal: drained.signal }).catch(() => {})
    await stop(app, workers, closeAll)
    process.exit(exitCode)
  }
  stopBy((isUrgent) => void drainAndStop(isUrgent))
  if (platform) printReady(config, platform, outboxKey)
}

/** The variable with which worker processes get the key that their primary has printed. */
const OUTBOX_KEY = 'TENANTRY_OUTBOX_KEY'
const newOutboxKey = () => randomBytes(16).toString('base64url')

/**
 * 1 s, in ms: signals within it are one. npm forwards those that the terminal or the service manager has
 * sent to every process, and the primary does so to its workers.
 */
const TOGETHER = 1_000

/**
 * SIGTERM, however often, stops the process after its drain. SIGINT is urgent, as a person waits; a second
 * one ends the process at once. From this call on signals wait until the returned function says how to
 * stop: a process that listens never ends without its drain.
 */
function holdStopSignals(): (stop: (isUrgent: boolean) => void) => void {
  const held: boolean[] = []
  const by: { stop?: (isUrgent: boolean) => void } = {}
  const pass = (isUrgent: boolean): void => {
    if (by.stop) by.stop(isUrgent)
    else held.push(isUrgent)
  }
  let urgentSince: number | undefined
  process.on('SIGTERM', () => pass(false))
  process.on('SIGINT', () => {
    const now = performance.now()
    if (urgentSince !== undefined && now - urgentSince > TOGETHER) process.exit(1)
    urgentSince ??= now
    pass(true)
  })
  return (stop) => {
    by.stop = stop
    for (const isUrgent of held) stop(isUrgent)
  }
}

/** In ms. The embedded database has no other process where a load balancer could continue. */
const delayOf = ({ DATABASE_URL, DRAIN_DELAY }: Config) => (DATABASE_URL ? DRAIN_DELAY * 1_000 : 0)

/** The background jobs. */
function startWorkers(
  { database: { db }, seal, config }: AppParts,
  log: FastifyBaseLogger,
): Pick<Worker, 'stop'>[] {
  return [
    startEmailWorker({ db, seal, config, log }),
    startLogoutWorker({ db, config, log, keys: () => loadSigningKeys(db, seal) }),
    startWebhookWorker({ db, seal, config, log }),
    startJobWorker({ db, log, steps: { end_sessions: endBatch, delete_system: deletionBatch } }),
    startDomainWorker({ db, seal, config, log }),
    startMetadataWorker({ db, seal, config, log }),
    startAuditChain({ db, seal, config, log }),
    startFills({ db, log }),
    startCleanup({
      db,
      config,
      log,
      rotateKeys: () => rotateWhenDue(db, seal, config),
      expireInvitations: (signal) => noteExpired(db, signal),
      recordAskedAddresses: () => recordAskedAddresses(db),
    }),
  ]
}

const startStatsOf = ({ database: { db }, config }: AppParts, log: FastifyBaseLogger) =>
  config.STATS_ENABLED ? startStats({ db, config, log }) : undefined

async function listen(app: FastifyInstance, { HOST, PORT, LOG_LEVEL }: Config): Promise<void> {
  // Fastify logs its addresses, which are not those of BASE_URL: printReady says what is reachable where.
  if (LOG_LEVEL === 'info') app.log.level = 'warn'
  try {
    await app.listen({ host: HOST, port: PORT })
    app.log.level = LOG_LEVEL
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new ConfigError(
        `PORT ${PORT} is in use on ${HOST}. Stop the process that listens on it, or set another PORT.`,
      )
    if (code === 'EACCES') throw new ConfigError(`PORT ${PORT} requires privileges. Set one above 1023.`)
    throw new ConfigError(`HOST: cannot listen on ${HOST}: ${message}.`)
  }
}

async function listenForMetrics(config: Config, scrape: Scrape): Promise<void> {
  const { METRICS_PORT: port } = config
  if (port === 0) return
  await serveMetrics(port, { tokenNow: tokenOf(config), scrape }).catch(({ message }: Error) => {
    throw new ConfigError(`METRICS_PORT: cannot listen on port ${port} of 127.0.0.1: ${message}.`)
  })
}

/** Stops accepting requests, waits for those in flight and for running jobs, then closes the database. */
async function stop(
  app: FastifyInstance,
  workers: Pick<Worker, 'stop'>[],
  close: () => Promise<void>,
): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), GRACE)
  // A connection becomes idle after its last response and would be kept alive.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close()
  clearInterval(sweep)
  await Promise.all(workers.map((worker) => worker.stop()))
  clearTimeout(late)
  await close()
}

/**
 * The primary of several processes: creates the platform system, then restarts server processes that exit.
 */
async function supervise(config: Config): Promise<void> {
  const { close, database, seal } = await openParts(config)
  const platform = await ensurePlatform(database.db, seal, config)
  await close()

  if (config.METRICS_ENABLED) {
    const { collectWorkers } = await import('./http/metrics/workers.ts')
    await listenForMetrics(config, collectWorkers())
  }
  // Workers accept connections themselves. With round robin, the primary would keep the connection that it
  // was handing to a worker when that was killed, and its client would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const state = { ready: false, stopping: false }
  const outboxKey = newOutboxKey()
  const fork = () => cluster.fork({ [OUTBOX_KEY]: outboxKey })
  const stopAll = (isUrgent: boolean) => {
    state.stopping = true
    const signal = isUrgent ? 'SIGINT' : 'SIGTERM'
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  cluster.on('exit', (_worker, code) => {
    if (state.stopping) return
    if (code === REFUSED) {
      process.exitCode = REFUSED
      return stopAll(false)
    }
    if (!state.ready) process.exit(code || 1) // it has printed the reason
    setTimeout(() => state.stopping || fork(), REPLACE_AFTER)
  })
  holdStopSignals()(stopAll)
  const workers = Array.from({ length: config.WORKERS }, fork)
  await Promise.all(workers.map((worker) => once(worker, 'listening')))
  state.ready = true
  printReady(config, platform, outboxKey)
}

/** The addresses, and where emails go; the URL of the mail server without its password. */
const placesOf = (config: Config, outboxKey: string): string[] => {
  const { BASE_URL, CONSOLE, MAIL_URL, DATA_DIR } = config
  const outbox = hasOutbox(config)
    ? `${BASE_URL}/outbox?key=${outboxKey}`
    : `files in ${join(DATA_DIR, 'outbox')}`
  return [
    `Tenantry is ready at ${BASE_URL}`,
    '',
    ...(CONSOLE ? [`  Console          ${BASE_URL}/console`] : []),
    `  Account pages    ${BASE_URL}/account`,
    `  API              ${BASE_URL}/docs`,
    `  Emails           ${MAIL_URL ? `sent by ${new URL(MAIL_URL).host}` : outbox}`,
  ]
}

/**
 * Prints the addresses and, at the first start, the credentials. Generated secrets are not stored in plain
 * text.
 */
function printReady(config: Config, { admin, client }: Platform, outboxKey: string): void {
  const lines = placesOf(config, outboxKey)
  if (admin) {
    lines.push('', `  Administrator    ${admin.email}`)
    lines.push(`  Password         ${admin.password ?? 'set by ADMIN_PASSWORD'}`)
  }
  if (admin || client.secret) {
    lines.push(`  Service client   ${client.id}`)
    lines.push(`  Secret           ${client.secret ?? 'set by ADMIN_CLIENT_SECRET'}`)
    if (admin?.password || client.secret)
      lines.push('', '  Store the generated values now. They are not shown again.')
    lines.push('', 'To get a service token for the admin API:', '')
    const secret = client.secret ?? `'"$ADMIN_CLIENT_SECRET"'`
    const credentials = `-u '${client.id}:${secret}'`
    lines.push(`  curl ${config.BASE_URL}/token ${credentials} -d grant_type=client_credentials`)
  }
  const { SERVICE_TOKEN_REACH: reach } = config
  if (reach !== 'system') {
    const whose = reach === 'platform' ? 'every system' : reach.join(', ')
    lines.push('', `SERVICE_TOKEN_REACH: service tokens of ${whose} can call the whole admin API.`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const warning of warningsOf(config)) process.stderr.write(`Warning: ${warning}\n`)
}

/** The life of a server process: opens the database, makes what is missing, listens, and ends in order. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildApp, type Parts } from './app.ts'
import { type Config, ConfigError } from './config.ts'
import { createSeal } from './crypto/seal.ts'
import { lockDataDir, openDataDir, secretKeyOf } from './data-dir.ts'
import { openPglite } from './database/pglite.ts'
import { openPostgres } from './database/postgres.ts'
import { startBackchannel } from './jobs/backchannel-logout/deliver.ts'
import { startRetention } from './jobs/cleanup/cleanup.ts'
import { startMailer } from './jobs/email/deliver.ts'
import type { Worker } from './jobs/queue.ts'
import { startWebhooks } from './jobs/webhooks/deliver.ts'
import { loadSigningKeys } from './oidc/provider/signing-keys.ts'
import { checkSecretKey, ensurePlatform, type Platform } from './platform.ts'

/** 10 s, in ms: requests in flight have this long to end. */
const GRACE = 10_000
/** 1 s, in ms: a worker that dies at once must not be replaced in a tight circle. */
const REPLACE_AFTER = 1_000

/** What an operator can put right is thrown as ConfigError. */
export async function start(config: Config): Promise<void> {
  if (config.WORKERS > 1 && cluster.isPrimary) await supervise(config)
  else await serve(config)
}

/** The database and the key, checked against each other. On the embedded database the folder is ours until `close`. */
export async function openParts(config: Config): Promise<Parts & { close(): Promise<void> }> {
  const needsFolder = !config.DATABASE_URL || !config.MAIL_URL
  const folder = needsFolder ? openDataDir(config.DATA_DIR) : config.DATA_DIR
  const lock = config.DATABASE_URL ? undefined : lockDataDir(folder)
  const seal = createSeal(config.SECRET_KEY ?? secretKeyOf(folder))
  const database = config.DATABASE_URL
    ? await reachPostgres(config.DATABASE_URL, config.DATABASE_POOL)
    : await openPglite(join(folder, 'database'))
  await checkSecretKey(database.db, seal)
  const close = async () => {
    await database.close()
    lock?.release()
  }
  return { config, database, seal, close }
}

/** The address is said without its password. */
async function reachPostgres(url: string, poolSize: number) {
  try {
    return await openPostgres(url, poolSize)
  } catch (error) {
    const { host, pathname } = new URL(url)
    throw new ConfigError(`DATABASE_URL: PostgreSQL at ${host}${pathname} can not be used: ${rootOf(error)}.`)
  }
}

/** What is at the bottom of an error: Drizzle and Node wrap the one that says something. */
function rootOf(error: unknown): string {
  const { cause, errors, message, code } = error as Error & { errors?: unknown[]; code?: string }
  if (cause ?? errors?.[0]) return rootOf(cause ?? errors?.[0])
  return message || (code ?? 'unknown')
}

/** One process: everything, and with a single process also the platform. */
async function serve(config: Config): Promise<void> {
  const { close, ...parts } = await openParts(config)
  const platform = cluster.isWorker ? undefined : await ensurePlatform(parts.database.db, parts.seal, config)
  const app = await buildApp(parts)
  await listen(app, config)
  const workers = startWorkers(parts, app.log)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // Once: a second signal ends the process at once, as it would any other.
    process.once(signal, () => void stop(app, workers, close))
  }
  if (platform) welcome(config, platform)
}

/** What is done after the answers: mail, back-channel logouts and webhooks. */
function startWorkers(
  { database: { db }, seal, config }: Parts,
  log: FastifyBaseLogger,
): Pick<Worker, 'stop'>[] {
  return [
    startMailer({ db, seal, config, log }),
    startBackchannel({ db, config, log, keys: () => loadSigningKeys(db, seal) }),
    startWebhooks({ db, seal, config, log }),
    startRetention({ db, seal, config, log }),
  ]
}

async function listen(app: FastifyInstance, { HOST, PORT }: Config): Promise<void> {
  try {
    await app.listen({ host: HOST, port: PORT })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new ConfigError(`PORT ${PORT} is in use on ${HOST}. Stop what listens there or set another PORT.`)
    if (code === 'EACCES')
      throw new ConfigError(`PORT ${PORT} may not be used by this user. Set one above 1023.`)
    throw new ConfigError(`HOST ${HOST} can not be listened on: ${message}.`)
  }
}

/** Takes no new requests, ends those in flight and what the workers have in hand, then closes the database. */
async function stop(
  app: FastifyInstance,
  workers: Pick<Worker, 'stop'>[],
  close: () => Promise<void>,
): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), GRACE)
  // A connection that has just had its last answer is kept alive for the next request, which will not come.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close()
  clearInterval(sweep)
  await Promise.all(workers.map((worker) => worker.stop()))
  clearTimeout(late)
  await close()
  process.exit(0)
}

/** The primary of several processes: makes the platform once, then keeps the workers running. */
async function supervise(config: Config): Promise<void> {
  const { close, database, seal } = await openParts(config)
  const platform = await ensurePlatform(database.db, seal, config)
  await close()

  const state = { ready: false, stopping: false }
  cluster.on('exit', (_worker, code) => {
    if (state.stopping) return
    if (!state.ready) process.exit(code || 1) // it has said why
    setTimeout(() => state.stopping || cluster.fork(), REPLACE_AFTER)
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      state.stopping = true
      for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM')
    })
  }
  const workers = Array.from({ length: config.WORKERS }, () => cluster.fork())
  await Promise.all(workers.map((worker) => once(worker, 'listening')))
  state.ready = true
  welcome(config, platform)
}

/** What a newcomer needs to go on. Secrets generated at this start are said here and nowhere else. */
function welcome(config: Config, { admin, client }: Platform): void {
  const lines = [`Tenantry is ready at ${config.BASE_URL}`]
  if (admin) {
    lines.push('', `  Administrator    ${admin.email}`)
    lines.push(`  Password         ${admin.password ?? 'the one of ADMIN_PASSWORD'}`)
  }
  if (admin || client.secret) {
    lines.push(`  Service client   ${client.id}`)
    lines.push(`  Secret           ${client.secret ?? 'the one of ADMIN_CLIENT_SECRET'}`)
    if (admin?.password || client.secret)
      lines.push('', '  Keep these: what was generated is shown only this once.')
    lines.push('', 'A service token for the admin API:', '')
    lines.push(
      `  curl ${config.BASE_URL}/token -u '${client.id}:${client.secret ?? `'"$ADMIN_CLIENT_SECRET"'`}' -d grant_type=client_credentials`,
    )
  }
  if (config.SERVICE_TOKEN_REACH === 'platform')
    lines.push('', 'SERVICE_TOKEN_REACH=platform: service tokens of every system reach the whole admin API.')
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** The servers to compare, each in its own process with its own database, on the same PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../server/test/support/postgres.ts'
import type { BaselineSettings } from './baselines/settings.ts'
import type { Kind, Target } from './paths.ts'
import { CLIENT_SECRET, SECRET_KEY } from './world.ts'

export type Contender = {
  /** `ours`, `filled`, `other`, `provider` or `bare`. */
  name: string
  pid(): number
  /** The name of its database, if it uses one. */
  database?: string
  target: Target
  /** Restarts the server and returns the time until it is ready, in ms. */
  restart(): Promise<number>
  stop(): Promise<void>
}

export const ROOT = join(import.meta.dirname, '..')
/** Timeout of a start, in ms. The first start creates the tables, and the machine may be busy. */
const START_MAX = 120_000
const REDIRECT_URI = 'https://app.example/cb'
const PASSWORD = 'correct horse battery staple'
const secret = () => randomBytes(32).toString('base64url')
const emails = (workers: number) =>
  Array.from({ length: workers }, (_, n) => `worker-${n}-${Date.now()}@bench.test`)

async function newDatabase(postgresUrl: string, database: string): Promise<string> {
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  // An earlier run in the same folder may have left it.
  await client.query(`drop database if exists ${database} with (force)`)
  await client.query(`create database ${database}`).finally(() => client.end())
  const url = new URL(postgresUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Starts Node with these arguments and waits until it answers at a URL. Its stderr is passed on. */
async function launch(program: string[], cwd: string, env: Record<string, string>, address: string) {
  let child: ChildProcess
  const start = async () => {
    const begun = performance.now()
    child = spawn(process.execPath, program, {
      cwd,
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await answers(address, child)
    return performance.now() - begun
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  process.once('exit', () => child.kill('SIGKILL'))
  await start()
  return { pid: () => child.pid!, restart: () => stop().then(start), stop }
}

/** Waits for a successful response, polling every 5 ms. */
async function answers(address: string, child: ChildProcess): Promise<void> {
  for (const late = performance.now() + START_MAX; performance.now() < late; ) {
    const answer = await fetch(address).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server of ${address} ended before it was ready`)
    await new Promise((passed) => setTimeout(passed, 5))
  }
  throw new Error(`nothing answers at ${address}`)
}

/** The Node arguments of `npm start`. */
function startOf(tree: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.replace(/^exec node /, '').split(' ')
}

type Given = { postgresUrl: string; workers: number; users: number }

/** Our server with production defaults, from this checkout or another. */
export async function startOurs(
  name: string,
  tree: string,
  { postgresUrl, workers, users, metrics = false }: Given & { metrics?: boolean },
): Promise<Contender> {
  if (!existsSync(join(tree, 'node_modules')))
    throw new Error(`${tree} has no node_modules: run npm ci there, or link node_modules of this checkout`)
  const database = `bench_${name}`
  const databaseUrl = await newDatabase(postgresUrl, database)
  const made = { databaseUrl, secretKey: secret(), admin: { id: 'bench', secret: secret() } }
  return startOn(made, { name, tree, database, workers, metrics, users: () => fillUsers(databaseUrl, users) })
}

/** Our server on the database that `bench:fill` has filled. */
export async function startOnFilled(databaseUrl: string, { workers, users }: Given): Promise<Contender> {
  const filled = {
    databaseUrl,
    secretKey: SECRET_KEY,
    admin: { id: 'bench-platform', secret: CLIENT_SECRET },
  }
  const database = new URL(databaseUrl).pathname.slice(1)
  return startOn(filled, {
    name: 'filled',
    tree: ROOT,
    database,
    workers,
    metrics: false,
    users: () => someUsers(databaseUrl, users),
  })
}

type Made = { databaseUrl: string; secretKey: string; admin: Client }
type Ours = {
  name: string
  tree: string
  database: string
  workers: number
  metrics: boolean
  users(): Promise<string[]>
}

async function startOn(
  { databaseUrl, secretKey, admin }: Made,
  { name, tree, database, workers, metrics, users }: Ours,
): Promise<Contender> {
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'tenantry-bench-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const env = {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEY: secretKey,
    ADMIN_CLIENT_ID: admin.id,
    ADMIN_CLIENT_SECRET: admin.secret,
    ...(metrics && { METRICS_ENABLED: 'true', METRICS_PORT: String(await freePort()) }),
    ...(name === 'filled' && { RETENTION_AUDIT_DAYS: '0' }), // its audit log covers years
  }
  const origin = `http://127.0.0.1:${port}`
  const server = await launch(startOf(tree), tree, env, `${origin}/health`)
  const prepared = await createTestData(origin, admin, workers, users)
  return {
    ...server,
    name,
    database,
    target: {
      kind: 'ours',
      origin,
      issuer: `http://localhost:${port}`,
      scope: 'openid email profile offline_access',
      ...prepared,
    },
  }
}

type Client = { id: string; secret: string }

/** Creates a system, a user per worker, and the data for the admin API paths. */
async function createTestData(
  origin: string,
  admin: Client,
  workers: number,
  users: () => Promise<string[]>,
) {
  const send = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await fetch(origin + path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, string>>
  }
  const form = {
    authorization: `Basic ${btoa(`${admin.id}:${admin.secret}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const { access_token } = await send('/token', form, 'grant_type=client_credentials')
  const json = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const create = (path: string, body: object) => send(`/admin/${path}`, json, JSON.stringify(body))

  const system = await create('systems', {
    name: 'Bench',
    redirectUris: [REDIRECT_URI],
    allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
    skipConsent: true,
    allowClientCredentials: true,
    idTokenAlg: 'ES256',
  })
  const addresses = emails(workers)
  for (const email of addresses) {
    const user = await create('users', { email, password: PASSWORD, emailVerified: true })
    await create('memberships', { userId: user.id, systemId: system.id })
  }
  const systemIds = []
  for (let n = 0; n < 8; n += 1) systemIds.push((await create('systems', { name: `Crowd ${n}` })).id!)
  const userIds = await users()
  return {
    client: { id: system.clientId!, secret: system.clientSecret! },
    redirectUri: REDIRECT_URI,
    emails: addresses,
    password: PASSWORD,
    admin: { client: admin, userIds, systemIds, pages: Math.max(1, Math.floor(userIds.length / 100)) },
  }
}

async function someUsers(databaseUrl: string, users: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client
    .query<{ id: string }>('select id from users order by md5(id::text) limit $1', [users])
    .finally(() => client.end())
  if (rows.length < users)
    throw new Error('The folder of --filled has not been filled: npm run bench:fill -- --keep FOLDER')
  return rows.map(({ id }) => id)
}

async function fillUsers(databaseUrl: string, users: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>(
      `insert into users (id, email, name, created_at, updated_at)
       select gen_random_uuid(), 'person-' || n || '@bench.test', 'Person ' || n, now() - n * interval '1 minute', now()
       from generate_series(1, $1::int) n returning id`,
      [users],
    )
    // Autovacuum would leave it so. Empty tables are excluded: their statistics would cause sequential
    // scans later.
    await client.query('vacuum analyze users')
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
  }
}

/** oidc-provider on PostgreSQL, or the minimal handler. */
export async function startBaseline(
  name: Exclude<Kind, 'ours'>,
  { postgresUrl, workers }: Given,
): Promise<Contender> {
  const database = name === 'provider' ? `bench_${name}` : undefined
  const databaseUrl = database ? await newDatabase(postgresUrl, database) : ''
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const issuer = `http://localhost:${port}`
  const settings: BaselineSettings = {
    issuer,
    port,
    databaseUrl,
    client: { id: 'bench', secret: secret() },
    redirectUri: REDIRECT_URI,
    resource: 'https://api.example',
    emails: emails(workers),
    password: PASSWORD,
  }
  const program = join(import.meta.dirname, 'baselines', `${name}.ts`)
  const server = await launch([program], ROOT, { BASELINE: JSON.stringify(settings) }, `${origin}/jwks`)
  const { client, redirectUri, resource, password } = settings
  const scope = 'openid email profile offline_access api'
  const resourceOf = name === 'provider' ? { resource } : {}
  return {
    ...server,
    name,
    ...(database && { database }),
    target: {
      kind: name,
      origin,
      issuer,
      client,
      redirectUri,
      scope,
      ...resourceOf,
      emails: settings.emails,
      password,
    },
  }
}

/** A tenant with many or expensive requests, and another tenant on the same process. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { Client } from 'pg'
import { startNoise } from '../support/noise.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import {
  adminClient,
  authUrl,
  formOf,
  newBrowser,
  newPkce,
  PASSWORD,
  serviceToken,
  signInTo,
} from '../support/testing.ts'

const CLIENT = { id: 'neighbors', secret: 'a-secret-for-the-neighbors' }
/** The number of windows with the noise and without it, alternately. */
const WINDOWS = 2
/** 2 s, in ms. */
const LENGTH = 2_000
/** The greatest ratio of the p99 of the quiet tenant. */
const SLOWER_MAX = 2
/** The machine has other work too: more windows are added while the p99 is above the limit, up to this. */
const ROUNDS = 5
/** Each attempt has another tenant and new samples: one pause of the machine can remain the p99. */
const ATTEMPTS = 3

let postgres: Postgres | undefined
let database: { url: string; drop(): Promise<void> }
let server: TestServer
let silent: ReturnType<typeof createSocket>

before(async () => {
  silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  database = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  server = await startServer({
    env: {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for the neighbors, long enough',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      LOG_LEVEL: 'silent',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      NODE_OPTIONS: `--import=${nameServer((silent.address() as AddressInfo).port)}`,
    },
  })
})
after(async () => {
  await server.close()
  await database.drop()
  await postgres?.close()
  silent.close()
})

/** A module that makes the resolvers of a process ask this port of the machine. */
function nameServer(port: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'tenantry-dns-')), 'name-server.mjs')
  writeFileSync(
    path,
    `import { Resolver } from 'node:dns/promises'
const { resolve4 } = Resolver.prototype
Resolver.prototype.resolve4 = function (...given) {
  if (!this.isSet) this.setServers(['127.0.0.1:${port}'])
  this.isSet = true
  return resolve4.apply(this, given)
}`,
  )
  return path
}

type Product = Awaited<ReturnType<typeof createProduct>>
type Sample = { signIn: number; me: number }

/** The time of one sign-in with a password, and of one request for the claims of the user; in ms. */
async function sampleOf(product: Product, email: string): Promise<Sample> {
  const begun = performance.now()
  const { access_token: token } = await signInTo(server.url, product.system, { email })
  const signedIn = performance.now()
  const { status } = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(status, 200)
  return { signIn: signedIn - begun, me: performance.now() - signedIn }
}

const p99 = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]!

type Slowdown = Record<keyof Sample, { alone: number; beside: number }>

const isWithinLimit = (times: Slowdown) =>
  [times.signIn, times.me].every(({ alone, beside }) => beside <= SLOWER_MAX * alone)

/** The p99 of the quiet tenant, alone and beside the noise, after each round. */
async function* slowdowns(noise: Awaited<ReturnType<typeof startNoise>>): AsyncGenerator<Slowdown> {
  const product = await createProduct(server.url, CLIENT)
  const { email } = (await product.newMember()).user
  const samples: Record<'alone' | 'beside', Sample[]> = { alone: [], beside: [] }
  const ofAll = (which: keyof Sample) => ({
    alone: p99(samples.alone.map((sample) => sample[which])),
    beside: p99(samples.beside.map((sample) => sample[which])),
  })
  await sampleOf(product, email)
  for (let round = 0; round < ROUNDS; round++) {
    for (let half = 0; half < 2 * WINDOWS; half++) {
      const where = half % 2 === 0 ? 'alone' : 'beside'
      if (where === 'beside') noise.go()
      const until = performance.now() + LENGTH
      while (performance.now() < until) samples[where].push(await sampleOf(product, email))
      if (where === 'beside') await noise.pause()
    }
    yield { signIn: ofAll('signIn'), me: ofAll('me') }
  }
}

async function newTenant() {
  const product = await createProduct(server.url, CLIENT)
  const { system, admin } = product
  await admin.patch(`/admin/systems/${system.id}`, { allowClientCredentials: true })
  const token = await serviceToken(server.url, system.clientId, system.clientSecret)
  return { ...product, own: adminClient(server.url, token), token }
}

type Tenant = Awaited<ReturnType<typeof newTenant>>
type Noise = Parameters<typeof startNoise>[0]

/** Changes that cause an event each for 20 webhooks. */
async function events(
  { system, own, token, newMember }: Tenant,
  address: (at: number) => string,
): Promise<Noise> {
  const { membership } = await newMember()
  for (let at = 0; at < 20; at++) {
    const { status } = await own.post(`/admin/systems/${system.id}/webhooks`, { url: address(at) })
    assert.equal(status, 201)
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const change = (status: string) => ({
    url: `${server.url}/admin/memberships/${membership.id}`,
    method: 'PATCH',
    headers,
    body: JSON.stringify({ status }),
  })
  return { requests: [change('blocked'), change('active')], atOnce: 1, every: 200 }
}

/** The request that ends a sign-in with a password. */
async function openedSignIn(system: Tenant['system'], email: string): Promise<Noise['requests'][number]> {
  const visitor = newBrowser(server.url)
  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
  const { action, hidden } = formOf(page)
  const { href, pathname } = new URL(action, server.url)
  return {
    url: href,
    method: 'POST',
    headers: { cookie: visitor.cookiesFor(pathname), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...hidden, email, password: PASSWORD }).toString(),
  }
}

const NOISES: Record<string, (tenant: Tenant, t: TestContext) => Promise<Noise>> = {
  async 'a member with as many roles and scopes as possible asks for its claims'({ system, newMember, own }) {
    const { user, membership } = await newMember()
    const roles: string[] = []
    for (let role = 0; role < 50; role++) {
      const scopes = Array.from({ length: 9 }, (_, at) => `scope-${role}-${at}`)
      roles.push(
        (await own.post(`/admin/systems/${system.id}/roles`, { name: `Role ${role}`, scopes })).body.id,
      )
    }
    const changed = await own.patch(`/admin/memberships/${membership.id}/roles`, { roles })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const { access_token: token } = await signInTo(server.url, system, { email: user.email })
    const headers = { authorization: `Bearer ${token}` }
    return { requests: [{ url: `${server.url}/me`, method: 'GET', headers }], atOnce: 10, every: 200 }
  },
  async 'users are created with passwords and Idempotency-Key'({ token }) {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': '*',
    }
    const body = JSON.stringify({ email: '*@example.test', password: PASSWORD })
    return {
      requests: [{ url: `${server.url}/admin/users`, method: 'POST', headers, body }],
      atOnce: 20,
      every: 2_000,
    }
  },
  async 'a name server does not answer for its webhooks'(tenant) {
    return events(tenant, (at) => `https://${at}.webhooks.example/hook`)
  },
  async 'its webhooks answer slowly'(tenant, t) {
    const { url } = await startReceiver(t, {
      answer: (_, response) => void setTimeout(() => response.end(), 10_000),
    })
    return events(tenant, (at) => `${url}/${at}`)
  },
  async 'its users sign in with expensive imported password hashes'({ system, own }) {
    // Four at once take less than half a second of a core; the most expensive that is accepted takes more.
    const passwordHash = await hash(PASSWORD, { memoryCost: 65_536, timeCost: 2, parallelism: 1 })
    const requests: Noise['requests'] = []
    for (let count = 0; count < ROUNDS * WINDOWS * 4; count++) {
      const email = `${crypto.randomUUID()}@example.test`
      const user = (await own.post('/admin/users', { email, passwordHash })).body
      await own.post('/admin/memberships', { userId: user.id, systemId: system.id })
      requests.push(await openedSignIn(system, email))
    }
    return { requests, atOnce: 4, every: LENGTH, isOnce: true }
  },
  async 'a user with 1,000 accounts requests /auth from four connections'(tenant) {
    const { system, admin } = tenant
    await admin.patch(`/admin/systems/${system.id}`, { multiAccount: true })
    const user = (
      await admin.post('/admin/users', { email: `${crypto.randomUUID()}@example.test`, password: PASSWORD })
    ).body
    const first = { userId: user.id, systemId: system.id, accountName: 'Acme' }
    const { accountId } = (await admin.post('/admin/memberships', first)).body
    const { visitor } = await signInTo(server.url, system, {
      email: user.email,
      parameters: { account_id: accountId },
    })
    await joinAccounts(tenant, user)
    const headers = { cookie: visitor.cookiesFor('/auth') }
    const url = `${server.url}${authUrl(system, newPkce().challenge, { prompt: 'none' })}`
    return { requests: [{ url, method: 'GET', headers }], atOnce: 4, every: 25 }
  },
  async 'large metadata is written again and again'({ token, newMember }) {
    const { user } = await newMember()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ metadata: { text: `*${'x'.repeat(15_000)}` } })
    const request = { url: `${server.url}/admin/users/${user.id}`, method: 'PATCH', headers, body }
    return { requests: [request], atOnce: 8, every: 100 }
  },
}

/** Inserts what takes a thousand requests. */
async function joinAccounts({ system }: Tenant, { id, email }: { id: string; email: string }): Promise<void> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `with made as (
      insert into accounts (system_id, name, kind)
      select $1, 'Account ' || n, 'organization' from generate_series(1, 999) n returning id)
    insert into memberships (user_id, system_id, account_id, status, exclusive, added_by, email, activated_at)
    select $2, $1, id, 'active', false, 'platform', $3, now() from made`,
    [system.id, id, email],
  )
  await client.query('analyze accounts, memberships')
  await client.end()
}

for (const [what, noiseOf] of Object.entries(NOISES)) {
  test(`P54: another tenant is at most ${SLOWER_MAX} times slower at p99 while ${what}`, async (t) => {
    let isWithin = false
    for (let attempt = 0; attempt < ATTEMPTS && !isWithin; attempt++) {
      const noise = await startNoise(await noiseOf(await newTenant(), t))
      for await (const times of slowdowns(noise)) {
        t.diagnostic(JSON.stringify(times))
        isWithin = isWithinLimit(times)
        if (isWithin) break
      }
      t.diagnostic(`noise: ${JSON.stringify(await noise.stop())}`)
    }
    assert.ok(isWithin)
  })
}

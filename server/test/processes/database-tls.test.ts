/** DATABASE_URL with each sslmode on PostgreSQL servers with and without TLS. Skipped without openssl. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import { sql } from '../../src/database/drizzle.ts'
import { newAuthority, withoutOpenssl } from '../support/certificates.ts'
import { type Postgres, startPostgres, unprivileged } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'

const PASSWORD = 'the-password-of-a-test'
/** Users by what the server accepts from them. */
const RULES = `
hostssl all needs_tls all scram-sha-256
hostnossl all refuses_tls all scram-sha-256
hostssl all needs_certificate all scram-sha-256 clientcert=verify-ca
host all anyone,postgres all scram-sha-256`
const USERS = ['needs_tls', 'refuses_tls', 'needs_certificate', 'anyone']

/** A server whose certificate names localhost only, and another one without TLS. */
async function startServers() {
  const [own, foreign] = [newAuthority(), newAuthority()]
  const { cert, key } = own.issue('localhost', 'DNS:localhost')
  const client = own.issue('needs_certificate')
  const rules = join(own.folder, 'pg_hba.conf')
  writeFileSync(rules, RULES)
  chmodSync(own.folder, 0o755)
  chmodSync(key, 0o600)
  const user = unprivileged()
  if (user) chownSync(key, user.uid, user.gid)
  const files = { ssl_cert_file: cert, ssl_key_file: key, ssl_ca_file: own.root, hba_file: rules }
  const settings = ['ssl=on', ...Object.entries(files).map(([name, file]) => `${name}=${file}`)]
  const withTls = await startPostgres({ settings })
  const without = await startPostgres()
  for (const { url } of [withTls, without]) await createUsers(url)
  const close = async () => {
    await Promise.all([withTls.close(), without.close()])
    own.remove()
    foreign.remove()
  }
  return { withTls, without, root: own.root, foreign: foreign.root, client, close }
}

async function createUsers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const user of USERS) await client.query(`create role ${user} superuser login password '${PASSWORD}'`)
  await client.end()
}

const urlOf = ({ url }: Postgres, { user = 'anyone', host = 'localhost', parameters = '' }) =>
  `postgres://${user}:${PASSWORD}@${host}:${new URL(url).port}/postgres?${parameters}`

/** Whether the connections of the server are encrypted; else the message and the hint of its start. */
async function outcomeOf(url: string): Promise<string> {
  const opened = await openPostgres(url, 3, { migrations: 'off' }).catch((error: Error) => error)
  if (opened instanceof Error) return rootMessage(opened)
  const encrypted = sql<boolean>`(select ssl from pg_stat_ssl where pid = pg_backend_pid())`
  const ask = () => opened.db.select({ encrypted }).from(sql`pg_sleep(0.05)`)
  const asked = await Promise.all([ask(), ask(), ask()])
  await opened.close()
  const found = asked.map(([row]) => (row?.encrypted ? 'encrypted' : 'plain'))
  return [...new Set(found)].join(' and ')
}

const rootMessage = ({ cause, message }: Error): string => (cause ? rootMessage(cause as Error) : message)

describe('DATABASE_URL and TLS', { skip: withoutOpenssl() }, () => {
  let servers: Awaited<ReturnType<typeof startServers>>
  before(async () => {
    servers = await startServers()
    const opened = await openPostgres(urlOf(servers.withTls, {}), 1)
    await opened.close()
  })
  after(() => servers.close())

  test('sslmode has the meaning of libpq, for a server with TLS and for one without', async () => {
    const { withTls, without, root, foreign } = servers
    const own = `sslrootcert=${root}`
    const unknown = /self-signed|unable to (get|verify)/
    const cases: [Postgres, Parameters<typeof urlOf>[1], RegExp][] = [
      [withTls, {}, /^encrypted$/],
      [withTls, { parameters: 'sslmode=disable' }, /^plain$/],
      [withTls, { parameters: 'sslmode=allow' }, /^plain$/],
      [withTls, { parameters: 'sslmode=prefer' }, /^encrypted$/],
      [withTls, { parameters: 'sslmode=require' }, /^encrypted$/],
      [withTls, { parameters: 'ssl=true', host: '127.0.0.1' }, /^encrypted$/],
      [withTls, { parameters: `sslmode=require&${own}`, host: '127.0.0.1' }, /^encrypted$/],
      [withTls, { parameters: `sslmode=require&sslrootcert=${foreign}` }, unknown],
      [withTls, { parameters: `sslmode=verify-ca&${own}`, host: '127.0.0.1' }, /^encrypted$/],
      [withTls, { parameters: `sslmode=verify-ca&sslrootcert=${foreign}` }, unknown],
      [withTls, { parameters: `sslmode=verify-full&${own}` }, /^encrypted$/],
      [withTls, { parameters: `sslmode=verify-full&${own}`, host: '127.0.0.1' }, /IP: 127\.0\.0\.1/],
      [withTls, { parameters: `sslmode=verify-full&sslrootcert=${foreign}` }, unknown],
      [withTls, { parameters: 'sslrootcert=system' }, unknown],
      [withTls, { parameters: `sslmode=verify-full&sslnegotiation=direct&${own}` }, /^encrypted$/],
      [withTls, { parameters: 'sslmode=require&channel_binding=require' }, /^encrypted$/],
      [withTls, { parameters: 'sslmode=require&ssl_min_protocol_version=TLSv1.3' }, /^encrypted$/],
      [
        withTls,
        { parameters: `sslmode=verify-full&sslrootcert=${root}.none` },
        /sslrootcert: cannot read .*ENOENT/,
      ],
      [without, {}, /^plain$/],
      [without, { parameters: 'sslmode=prefer' }, /^plain$/],
      [without, { parameters: 'sslmode=allow' }, /^plain$/],
      [without, { parameters: 'sslmode=disable' }, /^plain$/],
      [without, { parameters: 'sslmode=require' }, /does not support SSL/],
      [without, { parameters: `sslmode=verify-ca&${own}` }, /does not support SSL/],
      [without, { parameters: `sslmode=verify-full&${own}` }, /does not support SSL/],
    ]

    for (const [server, how, expected] of cases)
      assert.match(await outcomeOf(urlOf(server, how)), expected, urlOf(server, how))
  })

  test('allow and prefer use what the server accepts from the user, the other modes only their own way', async () => {
    const { withTls, root, client } = servers
    const certificate = `sslcert=${client.cert}&sslkey=${client.key}`
    const cases: [Parameters<typeof urlOf>[1], RegExp][] = [
      [{ user: 'needs_tls', parameters: 'sslmode=allow' }, /^encrypted$/],
      [{ user: 'needs_tls' }, /^encrypted$/],
      [{ user: 'needs_tls', parameters: 'sslmode=disable' }, /no encryption/],
      [{ user: 'refuses_tls' }, /^plain$/],
      [{ user: 'refuses_tls', parameters: 'sslmode=require' }, /SSL encryption/],
      [{ user: 'needs_certificate', parameters: 'sslmode=require' }, /client certificate/],
      [{ user: 'needs_certificate', parameters: `sslmode=require&${certificate}` }, /^encrypted$/],
      [
        { user: 'needs_certificate', parameters: `sslmode=verify-full&sslrootcert=${root}&${certificate}` },
        /^encrypted$/,
      ],
    ]

    for (const [how, expected] of cases)
      assert.match(await outcomeOf(urlOf(withTls, how)), expected, urlOf(withTls, how))
  })

  test('of several servers each is asked in its own way, and the next one is used if one refuses', async () => {
    const { withTls, without } = servers
    const [first, second] = [without, withTls].map(({ url }) => new URL(url).port)
    const several = (parameters: string) =>
      `postgres://anyone:${PASSWORD}@localhost:${first},localhost:${second}/postgres?target_session_attrs=read-write&${parameters}`

    assert.equal(await outcomeOf(several('')), 'plain')
    assert.equal(await outcomeOf(several('sslmode=require')), 'encrypted')
  })

  test('the error of a start says what to write, and a working URL starts the server', async () => {
    const { withTls, without, root, foreign } = servers
    const SECRET_KEY = 'a key for tests, 32 characters or more'
    const cases: [string, RegExp][] = [
      [
        urlOf(withTls, { parameters: `sslmode=verify-full&sslrootcert=${foreign}` }),
        /sslrootcert must be the file with the authority/,
      ],
      [
        urlOf(withTls, { host: '127.0.0.1', parameters: `sslmode=verify-full&sslrootcert=${root}` }),
        /or sslmode=verify-ca, which does not compare the name\.$/m,
      ],
      [urlOf(withTls, { user: 'needs_tls', parameters: 'sslmode=disable' }), /requires TLS: sslmode=require/],
      [urlOf(without, { parameters: 'sslmode=require' }), /The server has no TLS: sslmode=disable/],
    ]
    for (const [DATABASE_URL, hint] of cases) {
      const { code, stderr } = await startToEnd({ SECRET_KEY, DATABASE_URL })
      assert.equal(code, 1)
      assert.match(stderr, /^DATABASE_URL: cannot use PostgreSQL at /)
      assert.match(stderr, hint)
      assert.ok(!stderr.includes(PASSWORD))
    }

    const DATABASE_URL = urlOf(withTls, { parameters: `sslmode=verify-full&sslrootcert=${root}` })
    const server = await startServer({ env: { SECRET_KEY, DATABASE_URL } })
    assert.equal((await fetch(`${server.url}/health`)).status, 200)
    await server.close()
  })
})

/** Databases whose locales convert letter case differently. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { createProduct } from '../support/small-product.ts'
import { authorizeAt } from '../support/testing.ts'

const LOCALES = {
  C: "locale 'C'",
  'C.UTF-8': "locale 'C.UTF-8'",
  ICU: "locale 'C' locale_provider icu icu_locale 'und'",
  'Turkish ICU': "locale 'C' locale_provider icu icu_locale 'tr'",
}
const CLIENT = { id: 'locales', secret: 'a-secret-for-the-locales' }
let postgres: Postgres | undefined
const servers: TestServer[] = []
const databases: { url: string; drop(): Promise<void> }[] = []

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  for (const locale of Object.values(LOCALES)) {
    const database = await createDatabase(
      process.env.DATABASE_URL ?? postgres!.url,
      `template template0 encoding 'UTF8' ${locale}`,
    )
    databases.push(database)
    const env = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for tests, 32 characters or more',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
    }
    servers.push(await startServer({ env }))
  }
})
after(async () => {
  for (const server of servers) await server.close()
  for (const database of databases) await database.drop()
  await postgres?.close()
})

/** Addresses that some locale converts to alice@x.test or to each other by `lower`. */
const NAMES = [
  'alice',
  'alİce',
  'alıce',
  'ALİCE',
  'ALIÇE',
  'aliçe',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'straße',
  'STRASSE',
]

test('P09: which addresses are equal is the same in databases of locale C, C.UTF-8 and ICU', async () => {
  const results = []
  for (const { url } of servers) {
    const { admin, system } = await createProduct(url, CLIENT)
    const made = []
    for (const name of [...NAMES, ...NAMES]) {
      const { status, body } = await admin.post('/admin/users', {
        email: `${name}@X.test`,
        password: `the password of ${name}`,
      })
      made.push([status, body.email, body.code])
      if (status === 201) await admin.post('/admin/memberships', { userId: body.id, systemId: system.id })
    }
    const found = []
    for (const name of [...NAMES, ...NAMES.map((each) => each.toUpperCase()), 'alice']) {
      const email = `${name}@x.test`
      const { body } = await admin.get(`/admin/users?${new URLSearchParams({ email })}`)
      found.push([email, body.data.map((user: { email: string }) => user.email)])
    }
    const signedIn = []
    for (const password of ['alice', 'alİce', 'alıce']) {
      const how = { email: 'Alice@x.test', password: `the password of ${password}` }
      signedIn.push((await authorizeAt(url, system, how)).back.code !== undefined)
    }
    results.push({ made, found, signedIn })
  }

  const [first, ...others] = results
  for (const [at, other] of others.entries()) assert.deepEqual(other, first, Object.keys(LOCALES)[at + 1])
  assert.deepEqual(first!.signedIn, [true, false, false])
  // The two spellings with ASCII letters of another case are one address.
  assert.equal(first!.made.filter(([status]) => status === 201).length, NAMES.length - 1)
})

/** No request reads, changes, counts or reveals anything outside of the caller's authority. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Chooser,
  type Included,
  KINDS,
  type Operation,
  optionsOf,
  type Request,
  readOperations,
  requestOf,
  send,
} from '../../test/support/admin-requests.ts'
import { consoleClient, signInToConsole } from '../../test/support/console.ts'
import { newParties, type Party } from '../../test/support/reach-parties.ts'
import { type Answer, startTestApp } from '../../test/support/testing.ts'
import type { Db } from '../database/database.ts'
import { getTableConfig, is, PgTable, sql } from '../database/drizzle.ts'
import * as schema from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** Audit entries about the requests of the caller that these tests send. */
const isDenial = ({ action }: { action?: string }) =>
  action === 'access.denied' || action === 'audit.exported'

/** A response of JSON lines as a list. */
function listed({ status, headers, body }: Answer): Pick<Answer, 'status' | 'body'> {
  if (!headers.get('content-type')?.startsWith('application/x-ndjson')) return { status, body }
  const lines = String(body ?? '')
    .split('\n')
    .filter(Boolean)
  return { status, body: { data: lines.map((line) => JSON.parse(line)), total: lines.length } }
}

/** The result of one of several new resources, without its id and times. */
const withoutGenerated = ({ invitation, ...result }: Record<string, object>) => ({
  ...result,
  ...(invitation && {
    invitation: { ...invitation, id: '', lastSentAt: '', expiresAt: '', createdAt: '', updatedAt: '' },
  }),
})

/** A response without the values that differ between requests. */
function plain(answer: Answer): string {
  const { status, body } = listed(answer)
  if (!body || typeof body !== 'object') return JSON.stringify([status, body])
  const others = Array.isArray(body.data) && body.data.filter((each: object) => !isDenial(each))
  const denials = others && others.length < body.data.length
  const text = JSON.stringify([
    status,
    {
      ...body,
      requestId: '',
      ...('at' in body && { at: '' }),
      ...(denials && { data: others, total: others.length }),
      ...(Array.isArray(body.results) && { results: body.results.map(withoutGenerated) }),
    },
  ])
  // In the list of a batch, beside the same addresses: a new text, and the link that is returned once.
  return text.replaceAll(/[\w-]{36}(?=@fresh\.test)|(?<="message )[\w-]{36}|(?<=\?token=)[\w-]{43}/g, 'fresh')
}

/** The next transaction's id: rows that were written before cannot refer to parties that are created now. */
async function nextTransaction(db: Db): Promise<string> {
  const { rows } = (await db.execute(sql`select pg_current_xact_id()::text as id`)) as {
    rows: { id: string }[]
  }
  return rows[0]!.id
}

/**
 * Every row written since the transaction `since` that refers to anything outside of the party's authority,
 * and the rows it may only read.
 */
async function digest(db: Db, { foreign, fixed }: Party, since: string): Promise<Set<string>> {
  const names = Object.values(foreign).flat()
  const rows = new Set<string>()
  for (const table of Object.values(schema)) {
    if (!is(table, PgTable)) continue
    const { name } = getTableConfig(table)
    // Reading the event log assigns positions to new events of all systems.
    const whole = sql<string>`(to_jsonb(${sql.raw(name)}) - 'position')::text`
    const parts = sql.param(names.map((each) => `%${each}%`))
    const also = fixed[name] ? sql`or id = any (${sql.param(fixed[name])})` : sql``
    const found = await db
      .select({ whole })
      .from(table)
      .where(sql`(xmin::text::bigint >= ${since}::bigint and ${whole} like any (${parts})) ${also}`)
    for (const row of found)
      if (!row.whole.includes('"action": "access.denied"')) rows.add(`${name} ${row.whole}`)
  }
  return rows
}

async function assertUnchanged(db: Db, party: Party, since: string, before: Set<string>): Promise<void> {
  const after = await digest(db, party, since)
  assert.deepEqual(
    [[...before.difference(after)], [...after.difference(before)]],
    [[], []],
    `${party.name} changed a foreign row`,
  )
}

/** Asserts that a response has nothing foreign, and that a total counts only listed rows. */
function assertNothingForeign({ name, foreign }: Party, { operation, path }: Request, answer: Answer): void {
  const { body } = listed(answer)
  const text =
    JSON.stringify(Array.isArray(body?.data) ? body.data.filter((each: object) => !isDenial(each)) : body) ??
    ''
  const revealed = Object.values(foreign)
    .flat()
    .filter((each) => text.includes(each))
  assert.deepEqual(revealed, [], `${name}: ${operation.method} ${path}`)
  if (Array.isArray(body?.data) && body.page === 1)
    assert.equal(Math.min(body.total, body.pageSize), body.data.length)
}

/**
 * The owners of the ids that a parameter accepts. A user may be added to an account of the system by id and
 * found by the whole address: users/reach.test.ts and memberships/reach.test.ts test what these responses
 * reveal.
 */
const exceptions: (choose: Chooser) => Chooser = (choose) => (operation, name) => {
  const chosen = choose(operation, name)
  const adds = operation.method === 'POST' && operation.path === '/admin/memberships' && name === 'userId'
  const finds = operation.path === '/admin/users' && name === 'search'
  return chosen === 'foreign' && (adds || finds) ? 'unknown' : chosen
}

/** Whether a request contains a foreign id, which can be replaced by an unknown one. */
const hasForeignId = (request: Request) => JSON.stringify(request).includes('{{foreign:')

test("random requests read, change and reveal nothing outside of the caller's authority", async (t) => {
  const app = await startTestApp(t)
  const operations = await readOperations(app.url)
  await fc.assert(
    fc.asyncProperty(fc.gen(), fc.nat({ max: 4 }), async (g, who) => {
      const since = await nextTransaction(app.db)
      const party = (await newParties(app))[who]!
      const before = await digest(app.db, party, since)
      const choose = exceptions(() => g(fc.constantFrom, 'own', 'own', 'foreign', 'unknown'))

      for (let n = g(fc.integer, { min: 20, max: 60 }); n > 0; n -= 1) {
        const request = requestOf(g, g(fc.constantFrom, ...operations), choose)
        const withUnknownId = hasForeignId(request) ? await send(party, request, 'unknown') : undefined
        const answer = await send(party, request)

        assert.ok(answer.status < 500, `${request.operation.id} ${JSON.stringify(answer.body)}`)
        assertNothingForeign(party, request, answer)
        if (party.name === 'member') assert.equal(answer.status, 403, request.operation.id)
        if (withUnknownId)
          assert.equal(plain(answer), plain(withUnknownId), `${party.name}: ${JSON.stringify(request)}`)
      }

      await assertUnchanged(app.db, party, since, before)
    }),
    { numRuns: 6, endOnFailure: true },
  )
})

const WITHOUT_OPTIONS: Included = () => false
const WITH_ALL_OPTIONS: Included = () => true
const withEachOption = (operation: Operation): Included[] => [
  WITHOUT_OPTIONS,
  ...optionsOf(operation).map((one) => (name: string) => name === one),
  WITH_ALL_OPTIONS,
]

/** Every operation for a party, with ids by `choose`. The values are the same on every run. */
async function everyOperation(
  operations: Operation[],
  choose: Chooser,
  visit: (request: Request) => Promise<void>,
  waysOf = withEachOption,
) {
  assert.ok(operations.length >= 36)
  for (const operation of operations) {
    for (const included of waysOf(operation)) {
      const made = fc.gen().map((g) => requestOf(g, operation, exceptions(choose), included))
      await visit(fc.sample(made, { numRuns: 1, seed: 36 })[0]!)
    }
  }
}

/** The admin of an account, in the console instead of with a token. */
async function inConsole(app: App, party: Party): Promise<Party> {
  const [id, email] = [party.own.user![0]!, party.own.search![0]!]
  const browser = app.newBrowser()
  await signInToConsole(browser, { email })
  const client = consoleClient(app.url, browser, { id }, `account:${party.own.account![0]}`)
  assert.equal((await client.get('/admin/memberships')).status, 200)
  return { ...party, name: `${party.name} in the console`, client }
}

/** Asserts that every operation with the ids of others gives the admin of an account nothing. */
async function assertNothingByForeignIds(
  app: App,
  clientOf: (app: App, admin: Party) => Promise<Party> = async (_, admin) => admin,
  waysOf = withEachOption,
): Promise<void> {
  const operations = await readOperations(app.url)
  const since = await nextTransaction(app.db)
  const [, , admin] = (await newParties(app)) as [Party, Party, Party]
  const party = await clientOf(app, admin)
  const before = await digest(app.db, party, since)

  const everywhere: Chooser = () => 'foreign'
  const nearby: Chooser = (_, name) => (name === 'systemId' ? 'own' : 'foreign')
  for (const [asked, choose] of [
    [party, everywhere],
    [{ ...party, foreign: party.near }, nearby],
  ] as const)
    await everyOperation(
      operations,
      choose,
      async (request) => {
        const { operation } = request
        const withUnknownId = await send(asked, request, 'unknown')
        const answer = await send(asked, request)

        const never = !operation.authority.includes('account')
        if (never)
          assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_authority'], operation.id)
        else if (request.path.includes('{{foreign:'))
          assert.ok([404, 400].includes(answer.status), operation.id) // 400: not a body
        assert.equal(plain(answer), plain(withUnknownId), operation.id)
        assertNothingForeign(party, request, answer)
      },
      waysOf,
    )

  await assertUnchanged(app.db, party, since, before)
}

test('P36: an account administrator gets nothing by foreign ids on any admin route', async (t) =>
  assertNothingByForeignIds(await startTestApp(t)))

test('P36, P58: an account administrator gets nothing by foreign ids in the console', async (t) =>
  assertNothingByForeignIds(await startTestApp(t), inConsole, () => [WITHOUT_OPTIONS, WITH_ALL_OPTIONS]))

test('P37: a service token gets nothing by foreign ids on any admin route', async (t) => {
  const app = await startTestApp(t)
  const operations = await readOperations(app.url)
  const since = await nextTransaction(app.db)
  const [party] = (await newParties(app)) as [Party]
  const before = await digest(app.db, party, since)

  for (const [index, foreign] of Object.keys(KINDS).entries())
    await everyOperation(
      operations,
      (_, name) => (name === foreign ? 'foreign' : 'unknown'),
      async (request) => {
        const named = hasForeignId(request)
        // A list without a foreign id is the same for every kind.
        if (!named && (request.operation.method !== 'GET' || index > 0)) return
        const withUnknownId = named && (await send(party, request, 'unknown'))
        const answer = await send(party, request)

        if (withUnknownId)
          assert.equal(plain(answer), plain(withUnknownId), `${foreign}: ${request.operation.id}`)
        assertNothingForeign(party, request, answer)
      },
    )
  await everyOperation(
    operations,
    (_, name) => (name === 'systemId' ? 'own' : 'foreign'),
    async (request) => {
      const [, child = ''] = /\{systemId\}.+\{(\w+)\}/.exec(request.operation.path) ?? []
      if (!KINDS[child]) return // no id of a resource in the system
      assert.equal((await send(party, request)).status, 404, request.operation.id)
    },
  )

  await assertUnchanged(app.db, party, since, before)
})

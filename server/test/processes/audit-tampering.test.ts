/**
 * An owner of the database without SECRET_KEY changes the audit log of a stopped server: `audit verify`
 * reports it, and the server that is started on it signs nothing. On PostgreSQL with one and with two server
 * processes.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import pg from 'pg'
import { openPglite } from '../../src/database/connections/pglite.ts'
import { sql } from '../../src/database/drizzle.ts'
import { createDatabase } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'
import { adminClient, serviceToken } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const { DATABASE_URL } = process.env
const CLIENT = { id: 'the-platform', secret: 'a-secret-of-the-platform' }
const SETTINGS = {
  SECRET_KEY: 'a key for the test, 32 characters or more',
  ADMIN_CLIENT_ID: CLIENT.id,
  ADMIN_CLIENT_SECRET: CLIENT.secret,
  MAIL_URL: 'smtp://127.0.0.1:1',
}
type Settings = Record<string, string>

/** The user.created entry of a user who exists, in a block that others follow. */
const ENTRY = `(select id from audit where action = 'user.created' order by time desc limit 1)`
const LAST = '(select max(number) from audit_blocks)'
const FULL = '(select max(number) from audit_blocks where entries > 1)'
const WITHOUT_LAST = `delete from audit_links where block = ${LAST};
  delete from audit_blocks where number = ${LAST}`
const WITHOUT_CHAIN = 'delete from audit_blocks; delete from audit_links; delete from audit_head'

const TAMPERINGS: [what: string, statements: string, fault: RegExp][] = [
  ['an entry is edited', `update audit set action = 'user.login' where id = ${ENTRY}`, /was changed/],
  ['an entry is deleted', `delete from audit where id = ${ENTRY}`, /was removed/],
  [
    'the newest entries are deleted',
    `delete from audit where id in (select id from audit order by time desc limit 3)`,
    /was removed/,
  ],
  ['the blocks are deleted', 'delete from audit_blocks', /has no block/],
  ['the links are deleted', 'delete from audit_links', /does not have the entries/],
  [
    'an entry is edited, and the chain deleted',
    `update audit set action = 'x' where id = ${ENTRY}; ${WITHOUT_CHAIN}`,
    /has no block/,
  ],
  ['the tables of the chain are dropped', 'drop table audit_blocks, audit_links, audit_head', /audit_blocks/],
  [
    'an entry is added',
    `insert into audit (action, outcome, actor_type) values ('user.login', 'success', 'user')`,
    /was not written by a server/,
  ],
  [
    'an entry of the past is added',
    `insert into audit (time, action, outcome, actor_type)
      values (now() - interval '1 hour', 'user.login', 'success', 'user')`,
    /in no block/,
  ],
  [
    'the deletion of a living user is added, and entries are erased',
    `insert into audit (action, outcome, actor_type, target_type, target_id, changes)
      select 'user.deleted', 'success', 'server', 'user', target_id, '{"personalAccounts": [[], null]}'
      from audit where id = ${ENTRY};
    update audit_links l set changes_hash = sha256(l.changes_salt || convert_to(a.changes::text, 'UTF8')),
      changes_salt = null, erased_for = a.target_id::uuid from audit a where a.id = l.entry_id and a.id = ${ENTRY};
    update audit set changes = (select jsonb_object_agg(k, '[null, null]'::jsonb) from jsonb_object_keys(changes) k)
      where id = ${ENTRY}`,
    /was erased, but the user/,
  ],
  ['the chain is shortened', WITHOUT_LAST, /The log ends before block/],
  [
    'the chain is shortened with its entries',
    `delete from audit where id in (select entry_id from audit_links where block = ${LAST}); ${WITHOUT_LAST};
    delete from audit_head`,
    /no signed statement/,
  ],
  [
    'two entries are swapped',
    `update audit_links set position = -1 where block = ${FULL} and position = 0;
    update audit_links set position = 0 where block = ${FULL} and position = 1;
    update audit_links set position = 1 where block = ${FULL} and position = -1`,
    /does not have the entries/,
  ],
  ['times are moved', `update audit set time = time - interval '1 second'`, /was changed/],
]

/** A stopped installation with entries in several blocks, and how to copy it. */
type Original = { copy(t: TestContext): Promise<Copy> }
type Copy = { settings: Settings; execute(statements: string): Promise<void> }
const cleanUps: (() => unknown)[] = []
after(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})
let original: Original

before(async () => {
  const database = DATABASE_URL ? await createDatabase(DATABASE_URL) : undefined
  if (database) cleanUps.push(database.drop)
  const server = await startServer({ env: { ...SETTINGS, ...(database && { DATABASE_URL: database.url }) } })
  cleanUps.push(() => server.close())
  for (const name of ['Ana', 'Ben']) {
    await act(server.url, name)
    await server.kill('SIGTERM') // closes a block
    await server.restart()
  }
  await act(server.url, 'Cai')
  await server.kill('SIGTERM')
  original = database ? ofPostgres(database.url) : ofFolder(server.dataDir)
})

const ofPostgres = (url: string): Original => ({
  async copy(t) {
    const { url: copied, drop } = await createDatabase(
      DATABASE_URL!,
      `template "${new URL(url).pathname.slice(1)}"`,
    )
    t.after(drop)
    return {
      settings: { DATABASE_URL: copied },
      async execute(statements) {
        const client = new pg.Client({ connectionString: copied })
        await client.connect()
        await client.query(statements).finally(() => client.end())
      },
    }
  },
})

const ofFolder = (folder: string): Original => ({
  async copy(t) {
    const copied = mkdtempSync(join(tmpdir(), 'tenantry-tampering-'))
    t.after(() => rmSync(copied, { recursive: true, force: true }))
    cpSync(folder, copied, { recursive: true })
    return {
      settings: { DATA_DIR: copied },
      async execute(statements) {
        const { db, close } = await openPglite(join(copied, 'database'), { migrations: 'off' })
        for (const statement of statements.split(';').filter((each) => each.trim()))
          await db.execute(sql.raw(statement))
        await close()
      },
    }
  },
})

/** Changes something, with entries in the audit log. */
async function act(url: string, name: string): Promise<void> {
  const platform = adminClient(url, await serviceToken(url, CLIENT.id, CLIENT.secret))
  const { status } = await platform.post('/admin/users', { email: `${name}@example.test`, name })
  assert.equal(status, 201)
}

async function verify(settings: Settings) {
  const args = ['audit', 'verify', '--json']
  const { code, stdout, stderr } = await startToEnd({ ...SETTINGS, ...settings }, { args })
  const { faults = [], newest } = stdout ? JSON.parse(stdout) : {}
  return { code, faults: [...faults, stderr].join(' '), newest: newest?.number as number | undefined }
}

test('an unchanged log verifies, is continued by the next start, and verifying twice is the same', async (t) => {
  const { settings } = await original.copy(t)
  const before = [await verify(settings), await verify(settings)]
  const server = await startServer({ env: { ...SETTINGS, ...settings } })
  t.after(() => server.close())
  await act(server.url, 'Dea')
  await server.kill('SIGTERM')

  const after = await verify(settings)

  assert.deepEqual(before[0], before[1])
  assert.deepEqual([before[0]?.code, after.code], [0, 0], after.faults)
  assert.ok(after.newest! > before[0]!.newest!)
})

test('audit restart begins a new chain after a fault: the log verifies, and a start signs again', async (t) => {
  const { settings, execute } = await original.copy(t)
  await execute(`delete from audit where id = ${ENTRY}`)
  const before = await verify(settings)

  const restarted = await startToEnd({ ...SETTINGS, ...settings }, { args: ['audit', 'restart'] })
  const begun = await verify(settings)
  const server = await startServer({ env: { ...SETTINGS, ...settings } })
  t.after(() => server.close())
  await act(server.url, 'Dea')
  await server.kill('SIGTERM')
  const after = await verify(settings)

  assert.deepEqual([before.code, restarted.code, begun.code, after.code], [1, 0, 0, 0], restarted.stderr)
  assert.match(restarted.stdout, /^A new chain was begun. Checkpoint of block \d+: /)
  assert.ok(after.newest! > begun.newest!, `${after.newest}`)
})

for (const WORKERS of DATABASE_URL ? ['1', '2'] : ['1'])
  for (const [what, statements, fault] of TAMPERINGS)
    test(`${what}: it is reported, and nothing is signed by ${WORKERS} of a start`, async (t) => {
      const { settings, execute } = await original.copy(t)
      await execute(statements)
      const before = await verify(settings)

      const server = await startServer({ env: { ...SETTINGS, ...settings, WORKERS } })
      t.after(() => server.close())
      await act(server.url, 'Dea')
      const refused = /cannot extend the audit chain/g
      await t.waitFor(
        () => assert.equal(server.output().match(refused)?.length, Number(WORKERS), server.output()),
        SOON,
      )
      await server.kill('SIGTERM')

      const after = await verify(settings)
      assert.match(before.faults, fault)
      assert.match(after.faults, fault)
      assert.deepEqual([before.code, after.code, after.newest], [1, 1, before.newest])
    })

/** The chain of hashes over the audit log: every change in the database is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../../test/support/testing.ts'
import { eq, type SQL, sql } from '../../../database/drizzle.ts'
import { audit, auditBlocks, auditLinks } from '../../../database/schema.ts'
import { openCheckpointKey } from './checkpoint.ts'
import { ChainBroken, extendChain, extendToEnd, restartChain } from './extend.ts'
import { verifyAudit } from './verify.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

async function chainOf({ db, seal }: App, retentionDays = 0) {
  const key = await openCheckpointKey(seal)
  const parts = { db, key, retentionDays }
  // Tests share a database: each of this file begins with an empty log and a chain of its own.
  await db.delete(audit)
  await restartChain(parts)
  return {
    parts,
    extend: () => extendToEnd(parts),
    faults: async (checkpoint?: string) => (await verifyAudit(db, key, checkpoint)).faults,
  }
}

const rows = async <Row>(db: App['db'], statement: SQL) =>
  ((await db.execute(statement)) as unknown as { rows: Row[] }).rows

test('entries are added in blocks, each once, and an unchanged log has no fault', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults, parts } = await chainOf(app)
  await app.newUser()
  const first = await extend()
  await app.newUser()
  await Promise.all([extend(), extend(), extendChain(parts, undefined)])
  const last = await extend()

  assert.ok(last!.number > first!.number)
  assert.equal(await app.db.$count(auditLinks), await app.db.$count(audit))
  assert.deepEqual(await faults(), [])
  assert.deepEqual(await faults(first!.checkpoint), [])
})

test('a block has at most 500 entries', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults } = await chainOf(app)
  await app.db.execute(sql`insert into audit (action, outcome, actor_type)
    select 'test', 'success', 'server' from generate_series(1, 1200)`)
  await extend()

  const sizes = (await app.db.select().from(auditBlocks)).map(({ entries }) => entries)

  assert.ok(Math.max(...sizes) === 500 && sizes.length >= 4, String(sizes))
  assert.deepEqual(await faults(), [])
})

/** What whoever can write to the database may do, and what the verification says. */
const TAMPERINGS: [string, (target: string) => SQL[], RegExp][] = [
  ['changes a value', (id) => [sql`update audit set action = 'user.login' where id = ${id}`], /was changed/],
  [
    'changes the time',
    (id) => [sql`update audit set time = time + interval '1 microsecond' where id = ${id}`],
    /was changed/,
  ],
  [
    'changes what was changed',
    (id) => [sql`update audit set changes = '{"name": ["A", "B"]}' where id = ${id}`],
    /was changed/,
  ],
  [
    'changes the sender',
    (id) => [sql`update audit set actor_ip = '192.0.2.1' where id = ${id}`],
    /was changed/,
  ],
  ['removes an entry', (id) => [sql`delete from audit where id = ${id}`], /was removed/],
  [
    'removes an entry with its link',
    (id) => [sql`delete from audit where id = ${id}`, sql`delete from audit_links where entry_id = ${id}`],
    /does not have the entries/,
  ],
  [
    'moves an entry out of the chain',
    (id) => [sql`update audit_links set entry_id = gen_random_uuid() where entry_id = ${id}`],
    /was removed|in no block/,
  ],
  [
    'adds an entry to the past',
    () => [
      sql`insert into audit (action, outcome, actor_type, time) values ('user.login', 'success', 'user', now() - interval '1 hour')`,
    ],
    /in no block/,
  ],
  [
    'changes an entry and the hash in its link',
    (id) => [
      sql`update audit set action = 'user.login' where id = ${id}`,
      sql`update audit_links set hash = sha256('x'::bytea) where entry_id = ${id}`,
    ],
    /does not have the entries|was changed/,
  ],
  [
    'erases an entry',
    (id) => [
      sql`update audit_links l set changes_hash = sha256(l.changes_salt || convert_to(a.changes::text, 'UTF8')),
        changes_salt = null, erased_for = gen_random_uuid() from audit a where a.id = l.entry_id and l.entry_id = ${id}`,
      sql`update audit set changes = (select jsonb_object_agg(k, '[null, null]'::jsonb) from jsonb_object_keys(changes) k) where id = ${id}`,
    ],
    /was erased/,
  ],
  [
    'swaps two entries',
    (id) => [
      sql`update audit_links set position = -1 where entry_id = ${id}`,
      sql`update audit_links set position = 0 where block = (select block from audit_links where entry_id = ${id}) and position = 1`,
      sql`update audit_links set position = 1 where position = -1`,
    ],
    /does not have the entries/,
  ],
  [
    'changes the header of a block',
    (id) => [
      sql`update audit_blocks set closed_at = closed_at - interval '1 day' where number = (select block from audit_links where entry_id = ${id})`,
    ],
    /was changed/,
  ],
  [
    'removes the oldest blocks',
    (id) => [
      sql`delete from audit where id in (select entry_id from audit_links where block <= (select block from audit_links where entry_id = ${id}))`,
      sql`delete from audit_blocks where number <= (select block from audit_links where entry_id = ${id})`,
      sql`delete from audit_links l where not exists (select from audit_blocks b where b.number = l.block)`,
    ],
    /The oldest block is/,
  ],
]

for (const [what, statements, fault] of TAMPERINGS)
  test(`the verification finds whoever ${what}`, async (t) => {
    const app = await startTestApp(t)
    const { extend, faults } = await chainOf(app)
    // The first entry of its block, and at least one more in it and one block after it.
    const user = await app.newUser({ name: 'Ana' })
    await app.newUser()
    await extend()
    await app.newUser()
    await extend()
    const [entry] = await app.db.select().from(audit).where(eq(audit.targetId, user.id))
    assert.deepEqual(await faults(), [])

    for (const statement of statements(entry!.id)) await app.db.execute(statement)

    assert.match((await faults()).join(' '), fault)
  })

test('a chain with hashes computed again is found by its signature, and is not extended', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults, parts } = await chainOf(app)
  await app.newUser()
  const newest = await extend()

  await app.db
    .update(auditBlocks)
    .set({ hash: Buffer.alloc(32, 1) })
    .where(eq(auditBlocks.number, newest!.number))
  await app.newUser()

  await assert.rejects(extendToEnd(parts), ChainBroken)
  assert.match((await faults()).join(' '), /not signed by this installation/)
})

test('removing the newest blocks is found with a checkpoint, and by the process that has seen them', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults, parts } = await chainOf(app)
  await app.newUser()
  const kept = await extend()

  await app.db.execute(
    sql`delete from audit where id in (select entry_id from audit_links where block = ${kept!.number})`,
  )
  await app.db.delete(auditLinks).where(eq(auditLinks.block, kept!.number))
  await app.db.delete(auditBlocks).where(eq(auditBlocks.number, kept!.number))

  assert.deepEqual(await faults(), [])
  assert.match((await faults(kept!.checkpoint)).join(' '), /ends before block/)
  await assert.rejects(extendToEnd(parts, kept), ChainBroken)
  await app.newUser()
  await extend()
  assert.match((await faults(kept!.checkpoint)).join(' '), /not the one of the checkpoint/)
})

test('a checkpoint of another installation is rejected', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults } = await chainOf(app)
  const { checkpoint } = (await extend())!
  const [header, payload, signature = ''] = checkpoint.split('.')

  const other = [header, payload, `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].join('.')

  assert.match((await faults(other)).join(' '), /not signed by this installation/)
})

test('the personal data of a deleted user is erased, and the log remains verifiable', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults } = await chainOf(app)
  const user = await app.newUser({ name: 'Ana Lima' })
  const system = await app.newSystem({ skipConsent: true })
  await app.newMembership({ userId: user.id, systemId: system.id })
  await app.signIn(system, { email: user.email })
  await app.platform.patch(`/admin/users/${user.id}`, { name: 'Ana Souza' })
  await extend()

  await app.platform.delete(`/admin/users/${user.id}`)
  const atOnce = await faults()
  await extend()

  assert.deepEqual([atOnce.filter((fault) => !fault.includes('but the user')), await faults()], [[], []])
  const left = await rows<{ text: string }>(
    app.db,
    sql`select a::text || l::text as text from audit a left join audit_links l on l.entry_id = a.id`,
  )
  assert.doesNotMatch(left.map(({ text }) => text).join(), new RegExp(`Ana|${user.email}`))
})

test('expired blocks are deleted with their entries, and the log remains verifiable', async (t) => {
  const app = await startTestApp(t)
  await app.db.execute(sql`insert into audit (action, outcome, actor_type, time)
    select 'old', 'success', 'server', now() - interval '40 days' from generate_series(1, 1100)`)
  const { parts, faults } = await chainOf(app)
  await app.newUser()

  await extendToEnd({ ...parts, retentionDays: 30 })

  // The block in which the old ones end has younger entries.
  const left = await app.db.$count(audit, eq(audit.action, 'old'))
  assert.ok(left < 500, String(left))
  assert.deepEqual(await faults(), [])
})

test('the platform reads the checkpoint, which verifies with the published key', async (t) => {
  const app = await startTestApp(t)
  const { extend } = await chainOf(app)
  await app.newUser()
  const newest = await extend()
  const { compactVerify, importJWK } = await import('jose')

  const answer = await app.platform.get('/admin/audit/checkpoint')
  const keys = (await (await fetch(`${app.url}/audit/jwks`)).json()) as { keys: never[] }

  assert.deepEqual([answer.status, answer.body.number], [200, newest!.number])
  const { payload } = await compactVerify(answer.body.checkpoint, await importJWK(keys.keys[0]!, 'EdDSA'))
  const { number, hash, closedAt } = answer.body
  assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), { number, hash, closedAt })
  assert.equal((keys.keys[0] as unknown as { d?: string }).d, undefined)
})

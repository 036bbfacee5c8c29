/** The chain of hashes over the audit log: every change in the database is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainOf, WITHOUT_NEWEST } from '../../../../test/support/audit-chain.ts'
import { startTestApp } from '../../../../test/support/testing.ts'
import { eq, type SQL, sql } from '../../../database/drizzle.ts'
import { audit, auditBlocks, auditHead, auditLinks } from '../../../database/schema.ts'
import { inTransaction } from '../../../database/transaction.ts'
import { SERVER } from '../../../http/authority.ts'
import { record } from '../record.ts'
import { beginChain, ChainBroken, extendChain, extendToEnd, restartChain } from './extend.ts'
import { resumeChain } from './resume.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const rows = async <Row>(db: App['db'], statement: SQL) =>
  ((await db.execute(statement)) as unknown as { rows: Row[] }).rows

test('entries are added in blocks, each once, and an unchanged log has no fault', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults, parts } = await chainOf(app)
  await app.newUser()
  const first = await extend()
  await app.newUser()
  await Promise.all([extend(), extend(), extendChain(parts)])
  const last = await extend()

  assert.ok(last!.number > first!.number)
  assert.equal(await app.db.$count(auditLinks), await app.db.$count(audit))
  assert.deepEqual(await faults(), [])
  assert.deepEqual(await faults(first!.checkpoint), [])
})

test('a block has at most 500 entries', async (t) => {
  const app = await startTestApp(t)
  const { faults } = await chainOf(
    app,
    sql`insert into audit (action, outcome, actor_type)
      select 'test', 'success', 'server' from generate_series(1, 1200)`,
  )

  const sizes = (await app.db.select().from(auditBlocks)).map(({ entries }) => entries)

  assert.ok(Math.max(...sizes) === 500 && sizes.length >= 4, String(sizes))
  assert.deepEqual(await faults(), [])
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

test('a log that was put back to an earlier state is found by a checkpoint, and by the process that knows more', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults, parts } = await chainOf(app)
  await app.newUser()
  await extend()
  const [earlier] = await app.db.select().from(auditHead)
  await app.newUser()
  const kept = await extend()

  for (const statement of WITHOUT_NEWEST) await app.db.execute(statement)
  await app.db.update(auditHead).set({ statement: earlier!.statement })

  assert.deepEqual(await faults(), [])
  assert.match((await faults(kept!.checkpoint)).join(' '), /ends before block/)
  await assert.rejects(resumeChain(parts, kept), ChainBroken)
  await app.newUser()
  await extend()
  assert.match((await faults(kept!.checkpoint)).join(' '), /not the one of the checkpoint/)
})

test('entries of more than ten minutes without a block are a fault; those of a killed server are not', async (t) => {
  const app = await startTestApp(t)
  const { parts, faults } = await chainOf(app)
  const first = await app.newUser()
  await app.newUser()
  // In the chain that has just begun, entries of any time may follow.
  const age = (minutes: number, id = '%') =>
    app.db.execute(sql`update audit set time = now() - make_interval(mins => ${minutes})
      where action = 'user.created' and target_id like ${id}`)
  await age(60)
  const ofKilled = await faults()

  await age(80, first.id)

  assert.deepEqual(ofKilled, [])
  assert.match((await faults()).join(' '), /more than ten minutes follow block/)
  await assert.rejects(resumeChain(parts, undefined), ChainBroken)
  await age(60, first.id)
  await resumeChain(parts, undefined)
  assert.deepEqual(await faults(), [])
})

test('the chain begins with the installation, and not in a log that has entries', async (t) => {
  const app = await startTestApp(t)
  const { parts, faults } = await chainOf(app)
  const remove = () => Promise.all([auditBlocks, auditLinks, auditHead].map((table) => app.db.delete(table)))
  await remove()
  await inTransaction(app.db, (tx) => beginChain(tx, parts.key))
  const ofEntries = await faults()
  await app.db.delete(audit)

  await inTransaction(app.db, (tx) => beginChain(tx, parts.key))
  await app.newUser()
  await resumeChain(parts, undefined)

  assert.match(ofEntries.join(' '), /has no block/)
  assert.deepEqual(await faults(), [])
})

test('a new chain says so in its first block', async (t) => {
  const app = await startTestApp(t)
  const { parts, extend, faults } = await chainOf(app)
  await app.newUser()
  const before = await extend()
  await app.db.delete(auditBlocks)

  await restartChain(parts)

  const first = await rows<{ action: string; block: number; changes: unknown }>(
    app.db,
    sql`select action, block::int, changes from audit join audit_links on entry_id = id
      where block = (select min(number) from audit_blocks)`,
  )
  const number = before!.number + 1
  assert.deepEqual(first, [
    { action: 'audit.chain_restarted', block: number, changes: { block: [before!.number, number] } },
  ])
  assert.deepEqual(await faults(), [])
})

test('an entry that is younger than the deletion of its user is not one that was erased', async (t) => {
  const app = await startTestApp(t)
  const { extend, faults } = await chainOf(app)
  const user = await app.newUser({ name: 'Ana Lima' })
  await app.platform.delete(`/admin/users/${user.id}`)
  await record(app.db, SERVER, {
    action: 'test.later',
    target: { type: 'user', id: user.id },
    changes: { name: ['A', 'B'] },
  })
  await extend()
  assert.deepEqual(await faults(), [])

  await app.db.execute(sql`update audit_links l
    set changes_hash = sha256(l.changes_salt || convert_to(a.changes::text, 'UTF8')), changes_salt = null, erased_for = ${user.id}
    from audit a where a.id = l.entry_id and a.action = 'test.later'`)
  await app.db.execute(sql`update audit set changes = '{"name": [null, null]}' where action = 'test.later'`)

  assert.match(
    (await faults()).join(' '),
    /was erased, but the user to whom it belongs was not deleted afterwards/,
  )
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

  assert.deepEqual([atOnce, await faults()], [[], []])
  const left = await rows<{ text: string }>(
    app.db,
    sql`select a::text || l::text as text from audit a left join audit_links l on l.entry_id = a.id`,
  )
  assert.doesNotMatch(left.map(({ text }) => text).join(), new RegExp(`Ana|${user.email}`))
})

test('expired blocks are deleted with their entries, and the log remains verifiable', async (t) => {
  const app = await startTestApp(t)
  const { parts, faults } = await chainOf(
    app,
    sql`insert into audit (action, outcome, actor_type, time)
      select 'old', 'success', 'server', now() - interval '40 days' from generate_series(1, 1100)`,
  )
  await app.newUser()

  await extendToEnd({ ...parts, retentionDays: 30 })

  const left = await app.db.$count(audit, eq(audit.action, 'old'))
  assert.equal(left, 0)
  assert.equal(await app.db.$count(audit, eq(audit.action, 'audit.chain_restarted')), 1)
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

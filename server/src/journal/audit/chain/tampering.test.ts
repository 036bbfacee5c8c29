/** Whoever can write to the database, but does not have SECRET_KEY, changes the audit log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainOf, WITHOUT_NEWEST } from '../../../../test/support/audit-chain.ts'
import { startTestApp } from '../../../../test/support/testing.ts'
import { eq, type SQL, sql } from '../../../database/drizzle.ts'
import { audit, auditBlocks } from '../../../database/schema.ts'
import { ChainBroken } from './extend.ts'
import { resumeChain } from './resume.ts'

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
    'adds an entry as new',
    () => [sql`insert into audit (action, outcome, actor_type) values ('user.login', 'success', 'user')`],
    /was not written by a server/,
  ],
  [
    'adds a copy of an entry',
    (id) => [
      sql`insert into audit select (jsonb_populate_record(a,
        jsonb_build_object('id', gen_random_uuid(), 'time', now()))).* from audit a where id = ${id}`,
    ],
    /was not written by a server/,
  ],
  [
    'gives a new entry another action',
    () => [
      sql`update audit set action = 'user.login' where not exists (select from audit_links where entry_id = id)`,
    ],
    /was not written by a server/,
  ],
  [
    'gives a new entry a time of the past',
    () => [
      sql`update audit set time = time - interval '1 hour'
        where not exists (select from audit_links where entry_id = id)`,
    ],
    /in no block/,
  ],
  [
    'swaps the content of two entries',
    (id) => [
      sql`update audit a set action = b.action, changes = b.changes from audit b
        where a.id = ${id} and b.id = (select id from audit where action <> a.action limit 1)`,
      sql`update audit set action = 'user.created' where action = 'test'`,
    ],
    /was changed/,
  ],
  [
    'swaps the times of entries',
    () => [sql`update audit set time = now() - (now() - time) * 2`],
    /was changed/,
  ],
  ['removes all links', () => [sql`delete from audit_links`], /does not have the entries/],
  ['removes all blocks', () => [sql`delete from audit_blocks`], /has no block/],
  [
    'removes the whole chain',
    () => [sql`delete from audit_blocks`, sql`delete from audit_links`, sql`delete from audit_head`],
    /has no block/,
  ],
  [
    'removes the whole chain and changes an entry',
    (id) => [
      sql`update audit set action = 'user.login' where id = ${id}`,
      sql`delete from audit_blocks`,
      sql`delete from audit_links`,
      sql`delete from audit_head`,
    ],
    /has no block/,
  ],
  [
    'removes the chain and the log',
    () => [
      sql`delete from audit`,
      sql`delete from audit_blocks`,
      sql`delete from audit_links`,
      sql`delete from audit_head`,
    ],
    /has no block/,
  ],
  [
    'removes the newest block with its entries',
    () => [...WITHOUT_NEWEST],
    /The log ends before block \d+, which was the newest/,
  ],
  [
    'removes the newest block with its entries, and the statement that it is the newest',
    () => [...WITHOUT_NEWEST, sql`delete from audit_head`],
    /no signed statement/,
  ],
  [
    'removes the newest block with its entries, and states another one by its checkpoint',
    () => [
      ...WITHOUT_NEWEST,
      sql`update audit_head set statement =
        (select checkpoint from audit_blocks order by number desc limit 1)`,
    ],
    /no signed statement/,
  ],
  [
    'adds the deletion of a user who exists, and erases the entries',
    (id) => [
      sql`insert into audit (action, outcome, actor_type, target_type, target_id, changes)
        select 'user.deleted', 'success', 'server', 'user', target_id, '{"personalAccounts": [[], null]}'
        from audit where id = ${id}`,
      sql`update audit_links l set changes_hash = sha256(l.changes_salt || convert_to(a.changes::text, 'UTF8')),
        changes_salt = null, erased_for = a.target_id::uuid from audit a where a.id = l.entry_id and l.entry_id = ${id}`,
      sql`update audit set changes = (select jsonb_object_agg(k, '[null, null]'::jsonb) from jsonb_object_keys(changes) k) where id = ${id}`,
    ],
    /was erased, but.*was not written by a server/,
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
  test(`whoever ${what} is found, and a process that starts signs nothing`, async (t) => {
    const app = await startTestApp(t)
    const { parts, extend, faults } = await chainOf(app)
    // The first entry of its block, and at least one more in it and one block after it.
    const user = await app.newUser({ name: 'Ana' })
    await app.newUser()
    await extend()
    await app.newUser()
    await extend()
    const [entry] = await app.db.select().from(audit).where(eq(audit.targetId, user.id))
    await app.newUser()
    assert.deepEqual(await faults(), [])

    for (const statement of statements(entry!.id)) await app.db.execute(statement)

    const blocks = () => app.db.select().from(auditBlocks).orderBy(auditBlocks.number)
    const before = await blocks()
    assert.match((await faults()).join(' '), fault)
    await assert.rejects(resumeChain(parts, undefined), ChainBroken)
    assert.deepEqual(await blocks(), before)
    assert.match((await faults()).join(' '), fault)
  })

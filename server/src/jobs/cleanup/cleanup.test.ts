/** Retention of tokens, links, emails, sessions and audit entries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { ago, ahead, bytes, insertRows, unique } from '../../../test/support/expiring-rows.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { readConfig } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { eq, type SQL, sql } from '../../database/drizzle.ts'
import {
  artifacts,
  audit,
  consents,
  idempotencyKeys,
  limits,
  logoutDeliveries,
  mail,
  oneTimeTokens,
  revokedTokens,
  sessions,
} from '../../database/schema.ts'
import { rotateWhenDue } from '../../oidc/keys/signing-keys.ts'
import { noteExpired } from '../../resources/invitations/changes.ts'
import { deleteAll, startCleanup } from './cleanup.ts'

const config = readConfig({})
const never = new AbortController().signal

test('expired codes and tokens are deleted, unless a request may still use them', async (t) => {
  const { db } = await startTestApp(t)
  const artifact = (expiresAt: SQL, more = {}) => ({
    model: 'RefreshToken',
    idHash: bytes(),
    payload: {},
    expiresAt,
    ...more,
  })
  const codes = await insertRows(
    {
      living: artifact(ahead('1 minute')),
      used: artifact(ahead('1 minute'), { consumedAt: ago('80 days') }),
      'expired just now': artifact(ago('1 minute')),
      expired: artifact(ago('6 minutes')),
      'used and expired': artifact(ago('6 minutes'), { consumedAt: ago('1 day') }),
    },
    (row) => db.insert(artifacts).values(row),
    (row) => db.select().from(artifacts).where(eq(artifacts.idHash, row.idHash)),
  )
  const token = (expiresAt: SQL) => ({ jti: unique(), expiresAt })
  const revoked = await insertRows(
    {
      living: token(ahead('1 minute')),
      'expired just now': token(ago('1 minute')),
      expired: token(ago('6 minutes')),
    },
    (row) => db.insert(revokedTokens).values(row),
    (row) => db.select().from(revokedTokens).where(eq(revokedTokens.jti, row.jti)),
  )
  const request = (expiresAt: SQL) => ({ owner: 'me', key: unique(), requestHash: bytes(), expiresAt })
  const keys = await insertRows(
    { living: request(ahead('1 minute')), expired: request(ago('6 minutes')) },
    (row) => db.insert(idempotencyKeys).values(row),
    (row) => db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, row.key)),
  )
  const limit = (seconds: number) => ({ key: unique(), points: 3, expire: Date.now() + seconds * 1_000 })
  const counted = await insertRows(
    { living: limit(60), forgotten: limit(-60) },
    (row) => db.insert(limits).values(row),
    (row) => db.select().from(limits).where(eq(limits.key, row.key)),
  )

  await deleteAll({ db, config }, never)

  assert.deepEqual(await codes.kept(), ['living', 'used', 'expired just now'])
  assert.deepEqual(await revoked.kept(), ['living', 'expired just now'])
  assert.deepEqual(await keys.kept(), ['living'])
  assert.deepEqual(await counted.kept(), ['living'])
})

test('links, sent emails and undelivered logouts are deleted after their retention', async (t) => {
  const { db, newUser } = await startTestApp(t)
  const user = await newUser()
  const link = (expiresAt: SQL, more = {}) => ({
    purpose: 'password_reset' as const,
    userId: user.id,
    email: user.email,
    hash: bytes(),
    expiresAt,
    ...more,
  })
  const links = await insertRows(
    {
      living: link(ahead('1 minute')),
      used: link(ahead('1 minute'), { consumedAt: ago('1 hour') }),
      'expired today': link(ago('23 hours')),
      expired: link(ago('25 hours')),
    },
    (row) => db.insert(oneTimeTokens).values(row),
    (row) => db.select().from(oneTimeTokens).where(eq(oneTimeTokens.hash, row.hash)),
  )
  const email = (status: 'pending' | 'sent' | 'failed', createdAt: SQL) => ({
    id: unique(),
    kind: 'test',
    recipient: 'nobody@example.test',
    tenant: '',
    isAwaited: false,
    status,
    createdAt,
    expiresAt: ahead('1 day'),
    nextAttemptAt: ahead('1 day'),
  })
  const emails = await insertRows(
    {
      'waits for long': email('pending', ago('31 days')),
      'sent lately': email('sent', ago('29 days')),
      sent: email('sent', ago('31 days')),
      failed: email('failed', ago('31 days')),
    },
    (row) => db.insert(mail).values(row),
    (row) => db.select().from(mail).where(eq(mail.id, row.id)),
  )
  const notice = (nextAttemptAt: SQL, expiresAt: SQL) => ({
    id: unique(),
    sid: unique(),
    userId: user.id,
    clientId: 'gone',
    alg: 'ES256' as const,
    uri: 'https://nobody.example/',
    nextAttemptAt,
    expiresAt,
  })
  const notices = await insertRows(
    {
      waiting: notice(ahead('1 minute'), ahead('1 hour')),
      forgotten: notice(ago('25 hours'), ago('25 hours')),
    },
    (row) => db.insert(logoutDeliveries).values(row),
    (row) => db.select().from(logoutDeliveries).where(eq(logoutDeliveries.id, row.id)),
  )

  await deleteAll({ db, config }, never)

  assert.deepEqual(await links.kept(), ['living', 'used', 'expired today'])
  assert.deepEqual(await emails.kept(), ['waits for long', 'sent lately'])
  assert.deepEqual(await notices.kept(), ['waiting'])
  await db.delete(mail).where(eq(mail.recipient, 'nobody@example.test'))
  await db.delete(logoutDeliveries).where(eq(logoutDeliveries.clientId, 'gone'))
})

test('a session is deleted 90 days after its end; its tokens stay invalid, its consent remains', async (t) => {
  const { db, newMember, signIn, refresh, me } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const tokens = await signIn(system, user)
  const [opened] = await db.select().from(sessions).where(eq(sessions.membershipId, membership.id))
  const session = (more: object) => ({
    ...opened!,
    sid: unique(),
    browserUid: unique(),
    expiresAt: ahead('1 day'),
    ...more,
  })
  const admin = { endReason: 'admin', endedAt: ago('91 days') }
  const rows = {
    living: session({}),
    'ended lately': session({ endedAt: ago('89 days') }),
    'expired lately': session({ expiresAt: ago('89 days') }),
    ended: session({ endedAt: ago('91 days') }),
    expired: session({ expiresAt: ago('91 days') }),
    'ended by an administrator, in a browser that lives': session({
      ...admin,
      browserUid: opened!.browserUid,
    }),
    'ended by an administrator': session(admin),
  }
  const made = await insertRows(
    rows,
    (row) => db.insert(sessions).values(row as never),
    (row) => db.select().from(sessions).where(eq(sessions.sid, row.sid)),
  )
  await db
    .insert(consents)
    .values({ userId: user.id, accountId: opened!.accountId, scopes: ['email'], grantedAt: ago('9 years') })
    .onConflictDoNothing()

  await deleteAll({ db, config }, never)
  const alive = await me(tokens.access_token)
  await db
    .update(sessions)
    .set({ endedAt: sql`now() - interval '91 days'` })
    .where(eq(sessions.sid, opened!.sid))
  const kept = await made.kept()
  await deleteAll({ db, config }, never)

  assert.deepEqual(kept, [
    'living',
    'ended lately',
    'expired lately',
    'ended by an administrator, in a browser that lives',
  ])
  assert.deepEqual(await made.kept(), ['living', 'ended lately', 'expired lately'])
  assert.equal((await db.select().from(sessions).where(eq(sessions.sid, opened!.sid))).length, 0)
  assert.deepEqual([alive.status, (await me(tokens.access_token)).status], [200, 401])
  assert.equal((await refresh(system, tokens.refresh_token ?? '')).body.error, 'invalid_grant')
  assert.equal((await db.select().from(consents).where(eq(consents.userId, user.id))).length, 1)
})

test('reuse of a refresh token ends the session even after cleanup', async (t) => {
  const { db, newMember, signIn, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember()
  const first = (await signIn(system, user)).refresh_token ?? ''
  const second = (await refresh(system, first)).body
  const third = (await refresh(system, second.refresh_token)).body

  await deleteAll({ db, config }, never)
  const repeated = await refresh(system, first)

  assert.deepEqual([repeated.status, repeated.body.error], [400, 'invalid_grant'])
  assert.equal((await refresh(system, third.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await me(third.access_token)).status, 401)
})

test('an audit entry is deleted after a year, or never', async (t) => {
  const { db } = await startTestApp(t)
  const entry = (time: SQL) => ({
    id: unique(),
    action: 'test',
    outcome: 'success' as const,
    actorType: 'server' as const,
    time,
  })
  const made = await insertRows(
    { recent: entry(ago('364 days')), old: entry(ago('366 days')) },
    (row) => db.insert(audit).values(row),
    (row) => db.select().from(audit).where(eq(audit.id, row.id)),
  )

  await deleteAll({ db, config: { ...config, RETENTION_AUDIT_DAYS: 0 } }, never)
  const unlimited = await made.kept()
  await deleteAll({ db, config }, never)

  assert.deepEqual([unlimited, await made.kept()], [['recent', 'old'], ['recent']])
})

test('an entry of a distributed log is deleted without a lock of its row', async (t) => {
  const { db } = await startTestApp(t)
  const id = crypto.randomUUID()
  await db
    .insert(audit)
    .values({ id, action: 'test', outcome: 'success', actorType: 'server', time: ago('366 days') })
  await db.execute(sql`create table pg_dist_partition as select 'audit'::regclass as logicalrelid`)

  await deleteAll({ db, config }, never).finally(() => db.execute(sql`drop table pg_dist_partition`))

  assert.equal(await db.$count(audit, eq(audit.id, id)), 0)
})

const logged = (lines: string[]) =>
  ({
    info: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  }) as unknown as FastifyBaseLogger

/** Inserts expired rows. */
const fill = (db: Db, count: number, prefix: string) =>
  db.execute(
    sql`insert into revoked_tokens select ${prefix} || n, now() - interval '1 day' from generate_series(1, ${count}::int) n`,
  )

test('a statement deletes at most 500 rows, and a stop leaves the rest for later', async (t) => {
  const { db, seal } = await startTestApp(t)
  const prefix = unique()
  const count = () => db.$count(revokedTokens, sql`jti like ${`${prefix}%`}`)
  await fill(db, 5_200, prefix)
  await db.execute(sql`create table deleted (n int, at timestamptz)`)
  await db.execute(
    sql`create function note_deleted() returns trigger language plpgsql as $$ begin insert into deleted select count(*), clock_timestamp() from gone; return null; end $$`,
  )
  await db.execute(
    sql`create trigger note after delete on revoked_tokens referencing old table as gone for each statement execute function note_deleted()`,
  )
  t.after(() =>
    db.execute(sql`drop function note_deleted cascade`).then(() => db.execute(sql`drop table deleted`)),
  )
  const sizes = async () => {
    const found = await db.execute(sql`select n from deleted where n > 0 order by at`)
    return (found as unknown as { rows: { n: number }[] }).rows.map(({ n }) => n)
  }
  const lines: string[] = []

  const retention = startCleanup({
    db,
    config,
    log: logged(lines),
    rotateKeys: () => rotateWhenDue(db, seal, config),
    expireInvitations: (signal) => noteExpired(db, signal),
    recordAskedAddresses: async () => {},
  })
  while ((await sizes()).length < 2) await wait(5)
  await retention.stop()
  const stopped = await count()
  await wait(200)

  assert.ok(stopped > 0 && stopped < 5_200, String(stopped))
  assert.equal(await count(), stopped)
  await deleteAll({ db, config }, never)
  const all = await sizes()
  assert.equal(await count(), 0)
  assert.ok(all.every((size) => size <= 500) && all.length > 10, String(all))
  assert.deepEqual(lines, ['deleted expired rows'])
})

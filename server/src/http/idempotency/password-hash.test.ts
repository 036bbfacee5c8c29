import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { PASSWORD, startTestApp } from '../../../test/support/testing.ts'
import { hashPassword } from '../../crypto/password-hash.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { idempotencyKeys } from '../../database/schema.ts'

/** Enough that a request arrives while they are computed, and fewer than may wait for a slot. */
const HASHES = Math.min(150, 8 * availableParallelism())

test('a request with an Idempotency-Key computes its password hash before it opens a transaction', async (t) => {
  const { platform, newUser, db } = await startTestApp(t)
  const { id } = await newUser()
  const email = `${crypto.randomUUID()}@example.test`
  const requests: [path: string, body: object][] = [
    [`/admin/users/${id}/set-password`, { password: `${PASSWORD}!` }],
    ['/admin/users', { email, password: PASSWORD }],
  ]

  for (const [path, body] of requests) {
    const key = crypto.randomUUID()
    const hashes = Array.from({ length: HASHES }, (_, at) => hashPassword(PASSWORD, `tenant ${at}`))
    // Its hash waits in the same queue, behind all of these.
    const answer = platform.post(path, body, { 'idempotency-key': key })
    await hashes[HASHES / 2]
    const [waiting] = await db
      .select({ at: sql<number>`extract(epoch from clock_timestamp())::float8` })
      .from(sql`(values (1)) t`)
    await Promise.all(hashes)

    assert.ok((await answer).status < 300, path)
    // created_at is now(): the begin of the transaction.
    const [row] = await db
      .select({ begun: sql<number>`extract(epoch from ${idempotencyKeys.createdAt})::float8` })
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.key, key))
    assert.ok(row!.begun > waiting!.at, `${path}: its transaction began while its hash waited for a slot`)
  }
})

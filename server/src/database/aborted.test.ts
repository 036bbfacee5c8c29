/** A transaction in which a statement failed is never reported as committed, even if the error was caught. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { sql } from './drizzle.ts'
import { roles } from './schema.ts'
import { inTransaction } from './transaction.ts'

const FAILED = sql`select 1 / 0`

test('a transaction that the database rolls back at its commit fails, and its connection is used again', async (t) => {
  const app = await startTestApp(t)
  const { id: systemId } = await app.newSystem()
  const names = async () =>
    (await app.db.select({ name: roles.name }).from(roles).where(sql`${roles.systemId} = ${systemId}`)).map(
      ({ name }) => name,
    )

  const aborted = inTransaction(app.db, async (tx) => {
    await tx.insert(roles).values({ systemId, name: 'lost' })
    await tx.execute(FAILED).catch(() => {})
  })
  await assert.rejects(aborted, /rolled back instead of committed/)
  const after = await names()
  await inTransaction(app.db, async (tx) => {
    await tx.insert(roles).values({ systemId, name: 'kept' })
    await inTransaction(app.db, async (nested) => {
      await nested.insert(roles).values({ systemId, name: 'undone' })
      await nested.execute(FAILED)
    }).catch(() => {})
  })

  assert.deepEqual(after, [])
  assert.deepEqual(await names(), ['kept'])
})

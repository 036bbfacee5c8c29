/** Concurrent calls of `inTransaction` within one transaction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import type { Db } from './database.ts'
import { sql } from './drizzle.ts'
import { roles } from './schema.ts'
import { inTransaction, inTransactionContext } from './transaction.ts'

/** A system, whose roles are the rows that the tests write. */
async function start(t: Parameters<typeof startTestApp>[0]) {
  const { db, newSystem } = await startTestApp(t)
  const { id: systemId } = await newSystem()
  const write = async (name: string, tx: Db) => void (await tx.insert(roles).values({ systemId, name }))
  /** Writes two rows, with a statement between them. */
  const writeTwo = (name: string) =>
    inTransaction(db, async (tx) => {
      await write(`${name} 1`, tx)
      await tx.execute(sql`select 1`)
      await write(`${name} 2`, tx)
    })
  /** Writes two rows and fails. */
  const fail = (name: string) =>
    inTransaction(db, async (tx) => {
      await write(`${name} 1`, tx)
      await tx.execute(sql`select 1`)
      await write(`${name} 2`, tx)
      throw new Error(name)
    })
  const names = async () => {
    const found = await db.select().from(roles).where(sql`${roles.systemId} = ${systemId}`)
    return found.map(({ name }) => name).sort()
  }
  return { db, write, writeTwo, fail, names }
}

const outcomes = (results: PromiseSettledResult<unknown>[]) => results.map(({ status }) => status)

test('of concurrent calls in one transaction, a failed one undoes its own writes only', async (t) => {
  const { db, write, writeTwo, fail, names } = await start(t)

  const results = await inTransaction(db, async (tx) => {
    await write('own', tx)
    return Promise.allSettled([writeTwo('a'), fail('b'), writeTwo('c'), fail('d'), writeTwo('e')])
  })

  assert.deepEqual(outcomes(results), ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(await names(), ['a 1', 'a 2', 'c 1', 'c 2', 'e 1', 'e 2', 'own'])
})

test('concurrent calls in a context without a transaction share the one that the first opens', async (t) => {
  const { db, writeTwo, fail, names } = await start(t)

  const results = await inTransactionContext(db, () =>
    Promise.allSettled([fail('a'), writeTwo('b'), fail('c'), writeTwo('d')]),
  )
  const undone = inTransactionContext(db, async () => {
    await Promise.all([writeTwo('e'), writeTwo('f')])
    throw new Error('after both')
  })
  await assert.rejects(undone, /after both/)

  assert.deepEqual(outcomes(results), ['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  assert.deepEqual(await names(), ['b 1', 'b 2', 'd 1', 'd 2'])
})

test('a call waits for concurrent ones, and not for the call that it is part of', async (t) => {
  const { db, writeTwo, fail, names } = await start(t)
  const nested = (name: string) =>
    inTransaction(db, () =>
      inTransaction(db, () => Promise.allSettled([writeTwo(`${name} a`), fail(`${name} b`)])),
    )

  await inTransaction(db, () => Promise.all([nested('1'), nested('2')]))

  assert.deepEqual(await names(), ['1 a 1', '1 a 2', '2 a 1', '2 a 2'])
})

test('a failed call undoes the calls within it, also those that are still waiting', async (t) => {
  const { db, write, writeTwo, fail, names } = await start(t)
  const calls: Promise<void>[] = []
  const failAfter = (name: string) =>
    inTransaction(db, async () => {
      await writeTwo(`${name} before`)
      const concurrent = [fail(name), ...['a', 'b', 'c'].map((each) => writeTwo(`${name} ${each}`))]
      calls.push(...concurrent)
      await Promise.all(concurrent)
    })

  await inTransaction(db, async (tx) => {
    await failAfter('1').catch(() => {})
    await write('own', tx)
  })
  await inTransactionContext(db, () => failAfter('2')).catch(() => {})
  const results = await Promise.allSettled(calls)

  assert.deepEqual(await names(), ['own'])
  assert.equal(outcomes(results).at(-1), 'rejected', 'it waited until its caller had failed')
})

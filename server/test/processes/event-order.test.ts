/**
 * Order of the event log under concurrent commits: no reader misses an event, and later changes come later.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres } from '../../src/database/connections/postgres.ts'
import type { Database, Db } from '../../src/database/database.ts'
import { sql } from '../../src/database/drizzle.ts'
import { enqueue } from '../../src/journal/events/enqueue.ts'
import { numberEvents, readEvents, selectEvents } from '../../src/journal/events/queries.ts'
import { createDatabase, type Postgres, startPostgres } from '../support/postgres.ts'

let postgres: Postgres | undefined
let made: { url: string; drop(): Promise<void> }
let database: Database
let db: Db

before(async () => {
  if (!process.env.DATABASE_URL) postgres = await startPostgres()
  made = await createDatabase(process.env.DATABASE_URL ?? postgres!.url)
  database = await openPostgres(made.url, 30)
  db = database.db
  await db.execute(sql`create table things (id int primary key, changed int not null default 0)`)
  await db.execute(sql`insert into things select generate_series(1, 10)`)
})
after(async () => {
  await database.close()
  await made.drop()
  await postgres?.close()
})

const enqueueEvent = (tx: Db, data: Record<string, unknown>, systemId?: string) =>
  enqueue(tx, { type: 'user.access_updated', systemId: systemId ?? null, data })
/** Assigns the transaction its id before it writes. */
const getXid = (tx: Db) => tx.execute(sql`select pg_current_xact_id()`)

/** A transaction that runs one step at a time on request. */
function stepwise(...steps: ((tx: Db) => Promise<unknown>)[]) {
  const gates = steps.map(() => Promise.withResolvers<void>())
  const completions = steps.map(() => Promise.withResolvers<void>())
  const ending = Promise.withResolvers<void>()
  const ended = db.transaction(async (tx) => {
    for (const [at, step] of steps.entries()) {
      await gates[at]!.promise
      await step(tx)
      completions[at]!.resolve()
    }
    await ending.promise
  })
  return {
    step: (at: number) => {
      gates[at]!.resolve()
      return completions[at]!.promise
    },
    commit: () => {
      ending.resolve()
      return ended
    },
  }
}

/** Reads to the current end of the log in pages of `limit`. */
async function follow(
  reader: { position: number; read: Record<string, unknown>[] },
  limit = 100,
  systemId?: string,
) {
  for (let more = true; more; ) {
    const page = await readEvents(db, { systemId }, reader.position, await numberEvents(db), limit)
    reader.read.push(...page.rows.map(({ data }) => data))
    reader.position = page.next
    more = page.more
  }
}

const newReader = async () => ({ position: await numberEvents(db), read: [] as Record<string, unknown>[] })

test('an event committed after later ones is read by a reader that has read those', async () => {
  const reader = await newReader()
  const old = stepwise(getXid, (tx) => enqueueEvent(tx, { name: 'second written' }))
  await old.step(0)
  const writtenFirst = stepwise((tx) => enqueueEvent(tx, { name: 'first written' }))
  await writtenFirst.step(0)
  await old.step(1)
  await old.commit()

  await follow(reader)
  const early = reader.read.map(({ name }) => name)
  await writtenFirst.commit()
  await follow(reader)

  assert.deepEqual(early, ['second written'])
  assert.deepEqual(
    reader.read.map(({ name }) => name),
    ['second written', 'first written'],
  )
})

test('of two changes of a row the later one has the later position, even after a wait', async () => {
  const reader = await newReader()
  const lock = (tx: Db) => tx.execute(sql`select from things where id = 1 for update`)
  const first = stepwise(getXid, async (tx) => {
    await lock(tx)
    await enqueueEvent(tx, { name: 'waited' })
  })
  await first.step(0)
  const second = stepwise(lock, (tx) => enqueueEvent(tx, { name: 'locked the row' }))
  await second.step(0)
  const waiting = first.step(1)
  await second.step(1)
  await follow(reader)
  await second.commit()
  await waiting
  await first.commit()

  await follow(reader)

  assert.deepEqual(
    reader.read.map(({ name }) => name),
    ['locked the row', 'waited'],
  )
})

const random = (below: number) => Math.floor(Math.random() * below)
const SYSTEMS = [crypto.randomUUID(), crypto.randomUUID()]

/** Changes one or several rows with random delays, in old or new transactions, and sometimes rolls back. */
async function change(committed: string[]): Promise<void> {
  const written: string[] = []
  const things = [1 + random(10), 1 + random(10)].slice(random(2)).sort((a, b) => a - b)
  const kept = await db
    .transaction(async (tx) => {
      if (random(2)) await getXid(tx)
      for (const thing of new Set(things)) {
        await wait(random(8))
        const found = await tx.execute(
          sql`update things set changed = changed + 1 where id = ${thing} returning changed`,
        )
        const [{ changed }] = (found as unknown as { rows: [{ changed: number }] }).rows
        if (random(2)) await wait(random(8))
        await enqueueEvent(tx, { thing, changed }, SYSTEMS[thing % 2])
        written.push(`${thing}:${changed}`)
      }
      await wait(random(8))
      if (random(10) === 0) throw new Error('taken back')
      return true
    })
    .catch((error) => {
      if (error.message !== 'taken back') throw error
      return false
    })
  if (kept) committed.push(...written)
}

test('in random schedules every reader reads each committed event once and in order', async (t) => {
  const readers = await Promise.all(
    [
      { limit: 1, systemId: undefined },
      { limit: 7, systemId: undefined },
      { limit: 3, systemId: SYSTEMS[0] },
      { limit: 100, systemId: SYSTEMS[1] },
    ].map(async (how) => ({ ...how, ...(await newReader()) })),
  )
  const start = readers[0]!.position
  const committed: string[] = []
  let writing = true

  const following = readers.map(async (reader) => {
    while (writing) {
      await follow(reader, reader.limit, reader.systemId)
      await wait(random(5))
    }
    await follow(reader, reader.limit, reader.systemId)
  })
  const writers = Array.from({ length: 12 }, async () => {
    for (let turn = 0; turn < 60; turn++) await change(committed)
  })
  await Promise.all(writers).finally(() => {
    writing = false
  })
  await Promise.all(following)

  t.diagnostic(`${committed.length} events committed`)
  for (const { read, systemId } of readers) {
    const due = committed.filter(
      (written) => !systemId || SYSTEMS[Number.parseInt(written, 10) % 2] === systemId,
    )
    assert.deepEqual(read.map(({ thing, changed }) => `${thing}:${changed}`).sort(), due.sort())
    for (let thing = 1; thing <= 10; thing++) {
      const seen = read.filter((data) => data.thing === thing).map(({ changed }) => changed as number)
      assert.deepEqual(
        seen,
        seen.toSorted((a, b) => a - b),
      )
    }
  }
  const rows = await selectEvents(db, start, await numberEvents(db), 10_000)
  assert.deepEqual(
    rows.map(({ position }) => position),
    rows.map((_, at) => start + at + 1),
  )
})

test('a transaction with more events than one numbering batch is read complete, in order', async () => {
  const reader = await newReader()
  const another = { ...reader, read: [] as Record<string, unknown>[] }
  await db.transaction((tx) =>
    enqueue(
      tx,
      ...Array.from({ length: 2_500 }, (_, nth) => ({
        type: 'user.access_revoked' as const,
        systemId: null,
        data: { nth },
      })),
    ),
  )

  const until = async (each: typeof reader) => {
    while (each.read.length < 2_500) await follow(each, 400)
  }
  await Promise.all([until(reader), until(another)])

  const expected = Array.from({ length: 2_500 }, (_, nth) => nth)
  assert.deepEqual(
    reader.read.map(({ nth }) => nth),
    expected,
  )
  assert.deepEqual(
    another.read.map(({ nth }) => nth),
    expected,
  )
})

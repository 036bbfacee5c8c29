/**
 * `npm run test:upgrade`: one version replaces another without a failed request. Two servers on one
 * PostgreSQL behind a load balancer, under sign-ins, refresh tokens, service tokens, changes, a webhook and a
 * reader of the events. The next version is a copy of this one with a column renamed (next.ts). Exits with 1
 * on any fault.
 *
 * `--seconds 60`   time for which both versions run side by side
 * `--users 20000`  rows that the fill passes
 * `--from COMMIT`  the version before; otherwise this checkout
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { check } from '../processes/chaos/check.ts'
import type { Receipt } from '../processes/chaos/receiver.ts'
import type { Line } from '../processes/chaos/writer.ts'
import { drain, readDatabase } from '../processes/chaos-events.ts'
import { startToEnd, type TestServer } from '../support/servers.ts'
import { createVersion } from '../support/versions.ts'
import { startLoad } from './load.ts'
import { BROKEN, FILL, NEXT } from './next.ts'
import { schemaOf, watchReads } from './observe.ts'
import { CLIENT, openWorld, startChanges, type Upgrade, type World } from './world.ts'

/** The callers of each kind of request. */
const CALLERS = 2

type UpgradeReport = {
  faults: string[]
  requests: Record<string, number>
  /** In ms. */
  times: Record<string, number>
}

type Step = (name: string, work: () => Promise<unknown>) => Promise<void>

/** The errors that a server has logged since its start. */
const errorsOf = (server: TestServer) =>
  server
    .output()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))

/** Replaces the program of one server, as a rolling update does. */
async function replace(world: World, server: TestServer, main: string): Promise<void> {
  const { balancer, env, logged } = world
  await server.kill('SIGTERM')
  logged.push(...errorsOf(server))
  await server.restart(env, main)
  await balancer.allHealthy()
}

async function upgrade(world: World, { seconds, from }: Upgrade, faults: string[], timed: Step) {
  const versions = [
    createVersion({ version: '0.1.0', commit: from }),
    createVersion(NEXT),
    createVersion(BROKEN),
  ]
  const [old, next, broken] = versions.map(({ main }) => main) as [string, string, string]
  const { env, servers, query } = world
  const [first, second] = servers as [TestServer, TestServer]
  const command = (main: string, words: string, killed?: AbortSignal) =>
    startToEnd(env, { main, args: words.split(' '), killAfter: 600_000, ...(killed && { killed }) })
  const expect = async (what: string, main: string, words: string, code: number) => {
    const exit = await command(main, words)
    if (exit.code !== code) faults.push(`${what}: exit ${exit.code}, ${exit.stdout} ${exit.stderr}`)
  }
  /** Kills `migrate --finish` during the fill. A server or the next command continues it. */
  const killDuringFill = async () => {
    const kill = new AbortController()
    const running = command(next, 'migrate --finish', kill.signal)
    const isOver = running.then(() => true)
    const isFilling = async () =>
      (await query(`select 1 from migrations where name = '${FILL}' and filled > 0`)).length > 0
    while (!(await isFilling())) if (await Promise.race([isOver, pause(5, false)])) break
    kill.abort()
    await running
  }
  try {
    await pause(1_000)
    await timed('migration that fails', () => expect('a migration that fails', broken, 'migrate', 1))
    await timed('expand', () => expect('expand', next, 'migrate', 0))
    await timed('first process replaced', () => replace(world, first, next))
    await pause(seconds * 1_000)
    await expect('finish while the version before runs', next, 'migrate --finish', 1)
    await timed('first process back', () => replace(world, first, old))
    await pause(1_000)
    await timed('first process replaced again', () => replace(world, first, next))
    await timed('second process replaced', () => replace(world, second, next))
    await timed('fill, killed', killDuringFill)
    await timed('rest of the fill, contract', () => expect('finish', next, 'migrate --finish', 0))
    await pause(1_000)
    await expect('the version before after the contract', old, 'audit verify', 1)
  } finally {
    for (const version of versions) version.remove()
  }
}

/** Compares the upgraded schema with that of a new database of the next version. */
async function compareSchemas({ query, newDatabase, env }: World, faults: string[]): Promise<void> {
  const { main, remove } = createVersion(NEXT)
  const fresh = await newDatabase()
  await startToEnd({ ...env, DATABASE_URL: fresh.url }, { main, args: ['migrate'] })
  const [upgraded, created] = [await schemaOf(query), await schemaOf(fresh.query)]
  remove()
  for (const line of upgraded) if (!created.includes(line)) faults.push(`only after the upgrade: ${line}`)
  for (const line of created) if (!upgraded.includes(line)) faults.push(`only in a new database: ${line}`)
}

const linesOf = <T>(folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)

/** Changes have one audit entry, one event that the reader has read once, and one delivery, in order. */
async function checkChanges(world: World, changes: Awaited<ReturnType<typeof startChanges>>) {
  const { secret, systemId, follower } = changes
  await changes.stop()
  const late = await drain(world.client, systemId)
  const lines = linesOf<Line>(world.folder, 'asked')
  const failed = lines.filter(
    ({ status = 200, kind }) => status <= 0 || (status >= 400 && kind !== 'refused'),
  )
  const receipts = linesOf<Receipt>(world.folder, 'received')
  const found = await readDatabase(world.client, systemId)
  const { faults, counts } = check({ ...found, lines, receipts, followed: await follower.end(), secret })
  const all = [...failed.map((line) => `change: ${JSON.stringify(line)}`), ...late, ...faults]
  return { faults: all, counts: { changes: counts.acknowledged ?? 0, events: counts.events ?? 0 } }
}

/** Sign-ins of both versions are in the new column, and so are those of before. */
async function checkSignIns({ query }: World, signedIn: Set<string>, users: number): Promise<string[]> {
  const rows = await query('select email from users where signed_in_at is not null')
  const found = new Set(rows.map(({ email }) => email))
  const lost = [...signedIn].filter((email) => !found.has(email))
  const filled = rows.filter(({ email }) => String(email).endsWith('@filled.test')).length
  return [
    ...lost.map((email) => `the sign-in of ${email} is not stored`),
    ...(filled === users ? [] : [`${filled} of ${users} rows are filled`]),
  ]
}

async function runUpgrade(given: Upgrade): Promise<UpgradeReport> {
  const closing: (() => unknown)[] = []
  const [faults, times]: [string[], Record<string, number>] = [[], {}]
  try {
    const world = await openWorld(given, closing)
    const changes = await startChanges(world, closing)
    const reads = await watchReads(world.url)
    const { load, end } = await startLoad(world.balancer.url, CLIENT, CALLERS)
    const timed: Step = async (name, work) => {
      const began = performance.now()
      reads.reset()
      load.step = name
      await work()
      load.step = `after: ${name}`
      times[name] = Math.round(performance.now() - began)
      times[`${name}: longest wait of a read of users`] = reads.slowest()
    }
    await upgrade(world, given, faults, timed)
    await end()
    await reads.end()
    const { faults: ofChanges, counts } = await checkChanges(world, changes)
    const logged = [...world.logged, ...world.servers.flatMap(errorsOf)]
    faults.push(
      ...logged,
      ...load.failed,
      ...ofChanges,
      ...(await checkSignIns(world, load.signedIn, given.users)),
    )
    await compareSchemas(world, faults)
    times['slowest request'] = Math.round(load.slowest)
    return { faults, requests: { ...load.requests, ...counts }, times }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      users: { type: 'string', default: '20000' },
      from: { type: 'string' },
    },
  })
  const [seconds, users] = [Number(values.seconds), Number(values.users)]
  const databaseUrl = process.env.DATABASE_URL
  const report = await runUpgrade({ seconds, users, from: values.from, databaseUrl })
  for (const [name, count] of Object.entries(report.requests))
    process.stdout.write(`${String(count).padStart(8)}  ${name}\n`)
  for (const [name, time] of Object.entries(report.times))
    process.stdout.write(`${String(time).padStart(8)}  ms: ${name}\n`)
  process.stdout.write(
    report.faults.length > 0
      ? `\n${report.faults.length} FAULTS\n${report.faults.slice(0, 50).join('\n')}\n`
      : '\nNo request failed, no refresh chain was broken, and each change has one event.\n',
  )
  process.exitCode = report.faults.length > 0 ? 1 : 0
}

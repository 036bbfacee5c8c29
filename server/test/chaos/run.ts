/**
 * `npm run chaos`: kills and freezes servers and PostgreSQL, fills the disk, delays, cuts and silences the
 * network, moves the clock and locks tables, under a workload of every kind of operation, and checks that no
 * acknowledged change is lost, none happens twice, and none is contradicted by a later answer.
 *
 * `--minutes 1`     of the workload, for each database
 * `--engine NAME`   `postgres` or `embedded`; default: one after the other
 * `--save FILE`     appends the report to a file
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { adminClient, type Body, expectStatus } from '../support/http.ts'
import { PASSWORD, serviceToken, signInTo } from '../support/testing.ts'
import { type Believed, check } from './check.ts'
import { FAULTS, type Fault } from './faults.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { liveMembership, type Parties, raceForAddress, raceOfAdmins } from './records.ts'
import { type Client, liveSession, serviceTokens } from './tokens.ts'
import { CLIENT, ENGINES, type Engine, openWorld, type World } from './world.ts'

/** In ms: between two faults. */
const CALM = { min: 1_000, max: 3_000 }
/** In ms: after the end of a fault, a change is acknowledged again. */
const RECOVERY_MAX = 10_000

export type Happened = { name: string; times: number; recovery: number[] }
export type ChaosReport = {
  engine: Engine
  seconds: number
  ledger: Ledger
  happened: Happened[]
  notPossible: string[]
}

async function createParties({ urls }: World): Promise<Parties & Client> {
  const [url] = urls as [string]
  const token = await serviceToken(url, CLIENT.id, CLIENT.secret)
  const platform = adminClient(url, token)
  const created = async (path: string, body: object): Promise<Body> =>
    expectStatus(await platform.post(`/admin/${path}`, body), 201).body
  const system = await created('systems', {
    name: 'Chaos',
    redirectUris: ['https://app.example/cb'],
    allowedScopes: ['openid', 'email', 'offline_access'],
    multiAccount: true,
    skipConsent: true,
  })
  const role = await created(`systems/${system.id}/roles`, { name: 'member' })
  const adminRole = await created(`systems/${system.id}/roles`, { name: 'admin', isAdmin: true })
  const account = await created(`systems/${system.id}/accounts`, { name: 'Two admins' })
  const signUp = async (roles: string[], accountId?: string) => {
    const email = `${crypto.randomUUID()}@chaos.test`
    const user = await created('users', { email, password: PASSWORD, emailVerified: true })
    const place = accountId ? { accountId } : { systemId: system.id, accountName: 'Chaos' }
    const { id: membershipId } = await created('memberships', { userId: user.id, ...place, roles })
    return { email, membershipId }
  }
  const admins: Parties['admins'] = []
  for (let number = 0; number < 2; number += 1) {
    const { email, membershipId } = await signUp([adminRole.id], account.id)
    const { access_token } = await signInTo(url, system as never, { email })
    admins.push({ membershipId, token: access_token })
  }
  const { email } = await signUp([role.id])
  return { urls, token, system, role, adminRole, admins, email, service: CLIENT }
}

/** Runs all operations until the ledger stops. */
function startWorkload(ledger: Ledger, parties: Parties & Client, believed: Believed): Promise<unknown> {
  const repeat = async (operation: () => Promise<void>, every: number) => {
    while (!ledger.stopping) {
      await operation()
      await pause(every)
    }
  }
  const membership = () => liveMembership(ledger, parties, believed)
  return Promise.all([
    repeat(membership, 20),
    repeat(membership, 20),
    repeat(() => raceForAddress(ledger, parties, believed), 200),
    repeat(() => raceOfAdmins(ledger, parties), 200),
    repeat(() => liveSession(ledger, parties), 1_000),
    repeat(() => liveSession(ledger, parties), 1_000),
    repeat(() => serviceTokens(ledger, parties), 100),
  ])
}

/** Causes a fault and measures the time from its end to the next acknowledged change, in ms. */
async function happen(world: World, ledger: Ledger, fault: Fault): Promise<number> {
  ledger.isSlow = fault.stopsAnswers ?? false
  await fault.happen(world)
  const end = performance.now()
  while (ledger.acknowledgedAt < end && performance.now() - end < RECOVERY_MAX) await pause(20)
  ledger.isSlow = false
  if (ledger.acknowledgedAt < end)
    ledger.violations.push(`${fault.name}: no change is acknowledged ${RECOVERY_MAX} ms after its end`)
  return Math.max(0, ledger.acknowledgedAt - end)
}

/** Every fault in turn, in random order, until the time is over and each has happened once. */
async function causeFaults(
  world: World,
  ledger: Ledger,
  faults: Fault[],
  until: number,
): Promise<Happened[]> {
  const happened = new Map<string, Happened>()
  let shown = 0
  for (let round = 0; round === 0 || performance.now() < until; round += 1) {
    const order = faults.map((fault) => ({ fault, at: Math.random() })).sort((a, b) => a.at - b.at)
    for (const { fault } of order) {
      if (round > 0 && performance.now() > until) break
      await pause(CALM.min + Math.random() * (CALM.max - CALM.min))
      const known = happened.get(fault.name) ?? { name: fault.name, times: 0, recovery: [] }
      happened.set(fault.name, known)
      known.recovery.push(await happen(world, ledger, fault))
      known.times += 1
      for (const violation of ledger.violations.slice(shown)) process.stderr.write(`${violation}\n`)
      shown = ledger.violations.length
    }
  }
  return [...happened.values()]
}

type Options = { engine: Engine; minutes: number; only?: readonly string[] }

/** `only`: the faults of these names. */
export async function runChaos({ engine, minutes, only }: Options): Promise<ChaosReport> {
  const world = await openWorld(engine)
  const ledger = createLedger(engine === 'postgres')
  try {
    const parties = await createParties(world)
    const believed: Believed = { users: new Map(), memberships: new Map() }
    const ofEngine = FAULTS.filter(
      ({ engines, name }) => engines.includes(engine) && (only?.includes(name) ?? true),
    )
    const faults = ofEngine.filter((fault) => fault.isPossible?.(world) ?? true)
    const began = performance.now()
    const working = startWorkload(ledger, parties, believed)
    const happened = await causeFaults(world, ledger, faults, began + minutes * 60_000)
    ledger.stopping = true
    await working
    const seconds = Math.round((performance.now() - began) / 1_000)
    await check(world, ledger, parties, believed)
    const notPossible = ofEngine.filter((fault) => !faults.includes(fault)).map(({ name }) => name)
    return { engine, seconds, ledger, happened, notPossible }
  } finally {
    ledger.stopping = true
    await world.close()
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function describe({ engine, seconds, ledger, happened, notPossible }: ChaosReport): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const name = { postgres: 'PostgreSQL', embedded: 'Embedded database' }[engine]
  const machine = `${cpus().length} cores`
  return [
    `### ${name}, ${seconds} s, ${new Date().toISOString().slice(0, 10)}, ${commit}, ${machine}`,
    '',
    '| Fault | Times | Until the next acknowledged change: median | longest |',
    '| --- | --- | --- | --- |',
    ...happened.map(
      ({ name, times, recovery }) =>
        `| ${name} | ${times} | ${Math.round(median(recovery))} ms | ${Math.round(Math.max(...recovery))} ms |`,
    ),
    ...(notPossible.length > 0 ? ['', `Not possible on this machine: ${notPossible.join(', ')}.`] : []),
    '',
    '| Operation | Done | Refused | 503 | No answer |',
    '| --- | --- | --- | --- | --- |',
    ...[...ledger.counts].map(
      ([name, { done, refused, unavailable, unanswered }]) =>
        `| ${name} | ${done} | ${refused} | ${unavailable} | ${unanswered} |`,
    ),
    '',
    ledger.violations.length === 0
      ? `No violation: ${ledger.audited.length} acknowledged creations, each once and with its audit entry.`
      : `**${ledger.violations.length} violations**\n\n${ledger.violations.slice(0, 50).join('\n')}`,
    '',
  ].join('\n')
}

if (import.meta.main) {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '1' }, engine: text, save: text },
  })
  const engines = ENGINES.filter((engine) => (values.engine ?? engine) === engine)
  if (engines.length === 0) throw new Error(`--engine is one of ${ENGINES.join(', ')}.`)
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0.')
  for (const engine of engines) {
    const report = await runChaos({ engine, minutes })
    const described = describe(report)
    process.stdout.write(`${described}\n`)
    if (values.save) appendFileSync(values.save, `${described}\n`)
    if (report.ledger.violations.length > 0) process.exitCode = 1
  }
}

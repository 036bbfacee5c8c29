/**
 * `npm run test:conformance`: runs plans of the OpenID Foundation's conformance suite against a server of
 * this checkout, with Chromium as the user. Prints the result of each module; the folder has the pictures
 * that the suite has received and `results.json`. Exits with 1 if a module has failed. docs/protocol.md
 * describes the requirements.
 *
 * `--suite FILE`     the jar of the suite; the `java` of JAVA_HOME, or of the path, starts it
 * `--mongo URL`      a MongoDB for the suite, default mongodb://127.0.0.1:27017/conformance
 * `--out FOLDER`     default data/conformance
 * `--plan PART`      plans whose name has this part, default all
 * `--module PART`    modules whose name has this part, default all
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { launchBrowser } from '../support/chromium.ts'
import { adminClient, answerOf, expectStatus } from '../support/http.ts'
import { freePort } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { createUsers, ISSUER, PLANS, SUITE } from './plans.ts'
import { createCertificate, startProxy, startSuite } from './processes.ts'
import { type Module, type Suite, suiteAt, type Verdict } from './suite.ts'
import { newUser } from './user.ts'

const CLIENT = { id: 'conformance-platform', secret: 'a-secret-of-this-run' }
/** Timeout of a module, in ms. The longest one waits until a code has expired. */
const MODULE_MAX = 300_000

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string' },
    mongo: { type: 'string', default: 'mongodb://127.0.0.1:27017/conformance' },
    out: { type: 'string', default: 'data/conformance' },
    plan: { type: 'string', default: '' },
    module: { type: 'string', default: '' },
  },
})
if (!options.suite) throw new Error('--suite FILE is required: the jar of the conformance suite.')

type Result = Verdict & { plan: string; module: string; seconds: number; pictures: string[]; error?: string }

/** The pages have no access to the network: those of the suite load scripts from other origins. */
async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  await context.route(
    ({ hostname }) => hostname !== 'localhost',
    (route) => route.abort(),
  )
  return context
}

/** Runs a module in a browser without cookies. */
async function runModule(suite: Suite, browser: Browser, planId: string, module: Module): Promise<Result> {
  const started = Date.now()
  const id = await suite.createModule(planId, module)
  const context = await newContext(browser)
  const name = module.testModule
  const user = newUser(suite, await context.newPage(), { id, name })
  let error: string | undefined
  try {
    for (;;) {
      const status = await suite.status(id)
      if (status === 'FINISHED' || status === 'INTERRUPTED') break
      const next = status === 'WAITING' ? await suite.nextVisit(id) : undefined
      if (next) await user.visit(next)
      else await wait(250)
      if (Date.now() > started + MODULE_MAX) throw new Error('the module did not end in time')
    }
  } catch (fault) {
    error = String(fault).split('\n')[0]
    await suite.stop(id).catch(() => {})
    await wait(1_000)
  }
  await context.close()
  const pictures = user.pictures.map(({ png, demand }, index) => {
    const file = `${name}-${index + 1}.png`
    writeFileSync(join(options.out, file), png)
    return `${file}: ${demand}`
  })
  const seconds = Math.round((Date.now() - started) / 1_000)
  const verdict = await suite.verdict(id)
  return { plan: '', module: name, seconds, ...verdict, pictures, ...(error && { error }) }
}

async function serviceToken(url: string): Promise<string> {
  const authorization = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`
  const body = new URLSearchParams({ grant_type: 'client_credentials' })
  const answer = await fetch(`${url}/token`, { method: 'POST', headers: { authorization }, body })
  return expectStatus(await answerOf(answer), 200).body.access_token
}

const print = (text: string) => process.stdout.write(`${text}\n`)

function printResult({ module, result, status, seconds, notes, pictures, error }: Result): void {
  print(`  ${status === 'FINISHED' ? result : status} ${module} (${seconds} s)`)
  for (const line of [...notes, ...pictures, ...(error ? [error] : [])]) print(`      ${line}`)
}

function printTotals(results: Result[]): void {
  for (const { title, name } of PLANS) {
    const own = results.filter(({ plan }) => plan === name)
    const counts = Map.groupBy(own, ({ status, result }) => (status === 'FINISHED' ? result : status))
    if (own.length > 0)
      print(`${title}: ${own.length} modules: ${[...counts].map(([key, all]) => `${key} ${all.length}`)}`)
  }
}

/** Starts all processes. `ends` receives what ends them, also if a later one does not start. */
async function start(jar: string, ends: (() => unknown)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-conformance-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const certificate = createCertificate(folder)
  const port = await freePort()
  const log = join(options.out, 'suite.log')
  const suite = await startSuite({ jar, mongo: options.mongo, port, address: SUITE, log })
  ends.push(() => suite.kill())
  const server = await startServer({
    env: {
      BASE_URL: ISSUER,
      TRUST_PROXY: '127.0.0.1',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      // Back-channel logout requests to the suite
      WEBHOOK_ALLOW_PRIVATE: 'true',
      NODE_EXTRA_CA_CERTS: certificate.file,
    },
  })
  ends.push(server.close)
  const proxies = [await startProxy(SUITE, port, certificate)]
  ends.push(() => proxies.forEach((proxy) => void proxy.close().closeAllConnections()))
  proxies.push(await startProxy(ISSUER, Number(new URL(server.url).port), certificate))
  const browser = await launchBrowser()
  ends.push(() => browser.close())
  const admin = adminClient(server.url, await serviceToken(server.url))
  return { suite: suiteAt(`http://127.0.0.1:${port}`), browser, admin }
}

async function run(jar: string): Promise<Result[]> {
  const ends: (() => unknown)[] = []
  const results: Result[] = []
  mkdirSync(options.out, { recursive: true })
  try {
    const { suite, browser, admin } = await start(jar, ends)
    const users = await createUsers(admin)
    for (const plan of PLANS.filter(({ name }) => name.includes(options.plan))) {
      const configuration = await plan.prepare(admin, users)
      const { id, modules } = await suite.createPlan(plan.name, plan.variant, configuration)
      print(`${plan.title}: ${modules.length} modules`)
      for (const module of modules.filter(({ testModule }) => testModule.includes(options.module))) {
        const result = { ...(await runModule(suite, browser, id, module)), plan: plan.name }
        results.push(result)
        printResult(result)
      }
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
  return results
}

const results = await run(options.suite)
writeFileSync(join(options.out, 'results.json'), JSON.stringify(results, null, 2))
printTotals(results)
const isGood = ({ status, result, error }: Result) =>
  status === 'FINISHED' && error === undefined && !['FAILED', 'UNKNOWN'].includes(result)
if (results.length === 0 || !results.every(isGood)) process.exitCode = 1

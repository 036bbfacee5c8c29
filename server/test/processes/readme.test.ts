/** Runs the commands of the README and checks its links and its list of missing features. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase, freePort } from '../support/postgres.ts'
import { startServer, type TestServer } from '../support/servers.ts'
import { endShell, startShell } from '../support/shell.ts'
import { newBrowser } from '../support/testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

let started: Promise<TestServer> | undefined
let dropDatabase: (() => Promise<unknown>) | undefined
const server = () => {
  started ??= start()
  return started
}
async function start(): Promise<TestServer> {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) return startServer()
  const database = await createDatabase(DATABASE_URL)
  dropDatabase = database.drop
  return startServer({
    env: { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, 32 characters or more' },
  })
}
after(async () => {
  await (await started)?.close()
  await dropDatabase?.()
})

/** A section of the README. */
const section = (heading: string) => README.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''

/** The commands of a section; each step's output is saved by its number. */
function commandsOf(heading: string): string[] {
  const steps = [...section(heading).matchAll(/^### (\d)|^```sh\n([\s\S]*?)^```/gm)]
  return steps.map(([, number, commands = '']) => (number ? `echo '== ${number}'` : commands))
}

/** Commands with the URLs of this server. */
async function at({ url, output }: TestServer, commands: string[]): Promise<string> {
  const [, id = '', secret = ''] = /token -u '([^':]+):([^']+)'/.exec(output()) ?? []
  const port = String(await freePort())
  return commands
    .join('\n')
    .replaceAll('http://localhost:3000', url)
    .replaceAll('8976', port)
    .replace("'the service client'", `'${id}'`)
    .replace("'its secret'", `'${secret}'`)
}

/** Signs in from the printed URL to the redirect to the application. */
async function signIn(address: string): Promise<void> {
  const { origin } = new URL(address)
  const { get, follow, submit } = newBrowser(origin)
  const login = await follow(await get(address))
  const consent = await follow(
    await submit(login, { email: 'alice@example.com', password: 'correct horse battery staple' }),
  )
  const back = await follow(await submit(consent))
  const location = back.headers.get('location')
  assert.ok(location, `no redirect to the application: ${back.status}`)
  for (let tries = 0; tries < 100; tries++) {
    // the application starts to listen after it printed the URL
    const arrived = await fetch(location).catch(() => undefined)
    if (arrived) return void (await arrived.text())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('no application receives the code')
}

/** Runs commands in a shell, and signs in when they print a URL to open. */
async function run(script: string): Promise<Record<string, string>> {
  const child = startShell(script, ROOT)
  const text = { out: '', err: '', signedIn: false }
  const giveUp = (error: Error) => {
    text.err += error.stack
    endShell(child)
  }
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text.err += part
  })
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text.out += part
    const address = /^(http\S+\/auth\?\S+)\n/m.exec(text.out)?.[1]
    if (!address || text.signedIn) return
    text.signedIn = true
    signIn(address).catch(giveUp)
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, text.err)
  return Object.fromEntries(text.out.split(/^== /m).map((part) => [part.slice(0, 1), part.slice(2)]))
}

test('the tour of the README works, from a service token to a blocked membership', async () => {
  const steps = await run(await at(await server(), commandsOf('Five minutes')))

  const account = JSON.parse(steps[3]!).account
  assert.equal(account.name, 'Acme')
  assert.match(steps[5]!, /roles: \[ 'owner' \]/)
  assert.match(steps[5]!, /permissions: \[ 'orders:write' \]/)
  assert.match(steps[5]!, new RegExp(`valid, for the account ${account.id}`))
  const me = JSON.parse(steps[5]!.trimEnd().split('\n').at(-1)!)
  assert.deepEqual([me.account_id, me.is_admin, me.email], [account.id, true, 'alice@example.com'])
  assert.ok(JSON.parse(steps[6]!).refresh_token)
  assert.match(steps[7]!, /"status":"blocked"[\s\S]*"error":"invalid_grant"[\s\S]*401\n$/)
})

test('both ways of admitting users in the README work', async () => {
  const [, serviceToken = ''] = commandsOf('Five minutes')
  const steps = await run(await at(await server(), [serviceToken, ...commandsOf('Two ways')]))
  const [office, projects] = [1, 2].map((step) =>
    steps[step]!.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  )

  const [bob, { temporaryPassword }] = office!
  assert.deepEqual([bob.status, bob.account.name], ['active', 'bob@example.com'])
  assert.ok(temporaryPassword.length >= 16)
  const [pending, granted, active, left] = projects!
  const emails = ({ data }: { data: { user: { email: string } }[] }) => data.map(({ user }) => user.email)
  assert.equal(granted.status, 'active')
  assert.deepEqual([pending, active, left].map(emails), [
    ['dave@example.com'],
    ['dave@example.com', 'carol@example.com'],
    ['carol@example.com'],
  ])
  assert.deepEqual(active.data[0].account, { id: active.data[1].accountId, name: 'Carol & Co' })
})

test('no path that the README lists as missing is served', async () => {
  const { url } = await server()
  const missing = [...section('Not built yet').matchAll(/`(\/[^`]+)`/g)].map(([, path]) =>
    path!.replace(/:(\w+)/g, '{$1}'),
  )
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> }

  const served = missing.filter((path) => path in paths)

  assert.ok(missing.length > 0)
  assert.deepEqual(served, [])
})

test('every link in our Markdown files leads to a file', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT })

  const broken = pages.flatMap((page) => {
    const targets = [
      ...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)#]+)/g),
    ].map(([, target]) => target!)
    return targets
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`)
  })

  assert.ok(pages.length > 5)
  assert.deepEqual(broken, [])
})

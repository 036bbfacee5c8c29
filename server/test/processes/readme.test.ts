/** Runs the commands of the README and of the tour. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { freePort, type User, unprivileged } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { endShell, startShell } from '../support/shell.ts'
import { newBrowser } from '../support/testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const TOUR_PAGE = readFileSync(join(ROOT, 'docs/tour.md'), 'utf8')

/** A section of a page. */
const section = (page: string, heading: string) =>
  page.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''

/** The commands of a section; each step's output is saved by its number. */
function commandsOf(page: string, heading: string): string[] {
  const steps = [...section(page, heading).matchAll(/^### (\d)|^```sh\n([\s\S]*?)^```/gm)]
  return steps.map(([, number, commands = '']) => (number ? `echo '== ${number}'` : commands))
}

const TOUR = commandsOf(TOUR_PAGE, 'Five minutes')
/** The service token, and the functions of the tour. */
const BEGINNING = [TOUR[1]!, TOUR.find((commands) => commands.includes('\nsign_in() {'))!]

const A_NEW_ONE = 'a password of their own'

type Place = { url: string; dataDir: string; folder: string; user: User | undefined; output(): string }

/** The user to run as when we are root, if that user can run npm. */
function otherUser(): User | undefined {
  const user = unprivileged()
  return spawnSync('npm', ['--version'], { ...user, cwd: '/', env: { ...process.env, HOME: tmpdir() } })
    .status === 0
    ? user
    : undefined
}

/** Copies files, as hard links where both folders are on the same file system. */
function copy(names: string[], from: string, to: string): void {
  const paths = names.map((name) => join(from, name))
  const copied = (options: string) => spawnSync('cp', [options, ...paths, to], { stdio: 'ignore' }).status
  if (copied('-al') !== 0) assert.equal(copied('-a'), 0)
}

/** `npm start` in a copy of this checkout, by a user who is not root. */
async function startInCopy(t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-copy-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const user = otherUser()
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  copy(['package.json', 'bin', 'server', 'sdk'], ROOT, folder)
  // Not the cache of compiled code: other parts of the suite write and delete files in it.
  const packages = readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '.cache')
  copy(packages, join(ROOT, 'node_modules'), modules)
  if (user) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const shell = startShell(`PORT=${port} exec npm start`, folder, user)
  t.after(() => endShell(shell))
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
  await t.waitFor(() => assert.match(output, /To get a service token/), { timeout: 60_000, interval: 50 })
  const dataDir = join(folder, 'data')
  assert.equal(statSync(dataDir).uid, user?.uid ?? process.getuid?.())
  return { url: `http://localhost:${port}`, dataDir, folder, user, output: () => output }
}

/** Commands with the URLs of this server. */
async function at({ url, output }: Place, commands: string[]): Promise<string> {
  const [, id = '', secret = ''] = /token -u '([^':]+):([^']+)'/.exec(output()) ?? []
  const port = String(await freePort())
  return commands
    .join('\n')
    .replaceAll('http://localhost:3000', url)
    .replaceAll('8976', port)
    .replace('the service client', id)
    .replace('its secret', secret)
}

/** Opens the link of the newest email to an address, and chooses a password. */
async function choosePassword({ url, dataDir }: Place, email: string, password: string): Promise<void> {
  const folder = join(dataDir, 'outbox')
  const find = () =>
    globSync('*.eml', { cwd: folder })
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .find((content) => content.includes(`To: ${email}\r\n`))
  const started = Date.now()
  let content = find()
  for (; !content && Date.now() - started < 60_000; content = find()) await setTimeout(50)
  const [link] = /http\S+\/(?:reset-password|invitation)\?\S+/.exec(content ?? '') ?? []
  assert.ok(link, `no link to ${email}`)
  const { get, submit } = newBrowser(url)
  const done = await submit(await get(link), { password, passwordAgain: password, decision: 'register' })
  assert.ok(done.status < 400, String(done.body))
}

/** Signs in from the printed URL to the redirect to the application, as the line above the URL says. */
async function signIn(place: Place, address: string, instruction: string): Promise<void> {
  const [, email = '', given] =
    /(\w+\.\d+@example\.com)(?: with the password: (.*))?/.exec(instruction) ?? assert.fail(instruction)
  const password = given ?? A_NEW_ONE
  if (!given) await choosePassword(place, email, password)
  const { get, follow, submit } = newBrowser(place.url)
  let page = await follow(await get(address))
  for (let steps = 0; steps < 6 && page.status === 200; steps++) {
    const isNew = String(page.body).includes('name="passwordAgain"')
    const fields = isNew ? { password: A_NEW_ONE, passwordAgain: A_NEW_ONE } : { email, password }
    page = await follow(await submit(page, fields))
  }
  const location = page.headers.get('location')
  assert.ok(location, `no redirect to the application: ${page.status} ${page.body}`)
  for (let tries = 0; tries < 1_000; tries++) {
    // the application starts to listen after it printed the URL
    const arrived = await fetch(location).catch(() => undefined)
    if (arrived) return void (await arrived.text())
    await setTimeout(50)
  }
  throw new Error('no application receives the code')
}

type Ended = { code: number | null; err: string; steps: Record<string, string> }

/** Runs commands in a shell, and signs in when they print a URL to open. */
async function run(place: Place, commands: string[]): Promise<Ended> {
  const child = startShell(await at(place, commands), place.folder, place.user)
  const text = { out: '', err: '' }
  let opened = 0
  const openNew = () => {
    const addresses = [...text.err.matchAll(/^(http\S+\/auth\?\S+)\n/gm)].map(([, address]) => address!)
    for (const address of addresses.slice(opened))
      signIn(place, address, text.out.trimEnd().split('\n').at(-1)!).catch((error: Error) => {
        text.err += error.stack
        endShell(child)
      })
    opened = addresses.length
  }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text.out += part
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text.err += part
    setImmediate(openNew) // after the line on stdout that was printed before
  })
  const [code] = await once(child, 'close')
  const steps = text.out.split(/^== /m).map((part) => [part.slice(0, 1), part.slice(2)])
  return { code, err: text.err, steps: Object.fromEntries(steps) }
}

async function takeTour(place: Place): Promise<void> {
  const { code, err, steps } = await run(place, TOUR)

  assert.equal(code, 0, err)
  const { account, user } = JSON.parse(steps[3]!)
  assert.equal(account.name, 'Acme')
  assert.match(steps[5]!, /roles: \[ 'owner' \]/)
  assert.match(steps[5]!, /permissions: \[ 'orders:write' \]/)
  assert.match(steps[5]!, new RegExp(`valid, for the account ${account.id}`))
  const me = JSON.parse(steps[5]!.trimEnd().split('\n').at(-1)!)
  assert.deepEqual([me.account_id, me.is_admin, me.email], [account.id, true, user.email])
  assert.ok(JSON.parse(steps[6]!).refresh_token)
  assert.match(steps[7]!, /"status":"blocked"[\s\S]*"error":"invalid_grant"[\s\S]*401\n$/)
}

async function addUsers(place: Place): Promise<void> {
  const { code, err, steps } = await run(place, [...BEGINNING, ...commandsOf(TOUR_PAGE, 'Two ways')])

  assert.equal(code, 0, err)
  const tokens = (step: number) => steps[step]!.match(/^eyJ\S+/gm)?.map((token) => decodeJwt(token)) ?? []
  const answers = (step: number) =>
    steps[step]!.split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  const [bob] = answers(1)
  assert.deepEqual([bob.status, bob.account.name], ['active', bob.user.email])
  const [active, left] = answers(2).filter(({ data }) => data)
  const names = ({ data }: { data: { user: { email: string } }[] }) =>
    data.map(({ user }) => user.email.split('.')[0])
  assert.deepEqual([active, left].map(names), [['dave', 'carol'], ['carol']])
  assert.deepEqual(active.data[0].account, { id: active.data[1].accountId, name: 'Carol & Co' })
  const [dave, carol] = active.data
  assert.deepEqual([carol.roles.length, dave.roles], [1, []])
  assert.deepEqual(
    [...tokens(1), ...tokens(2)].map(({ sub, account_id, is_admin }) => [sub, account_id, is_admin]),
    [
      [bob.userId, bob.accountId, false],
      [dave.userId, dave.accountId, false],
    ],
  )
}

/** The commands of the README, which print the first administrator as the answer of the admin API. */
async function getFirstToken(place: Place): Promise<void> {
  const { code, err, steps } = await run(place, ["echo '== 1'", ...commandsOf(README, 'A first token')])

  assert.equal(code, 0, err)
  const { data } = JSON.parse(steps[1]!) as { data: { email: string }[] }
  assert.ok(data.some(({ email }) => email === 'admin@localhost'))
}

test('the README, the tour and both ways to add users work, twice on one server, without root', async (t) => {
  const server = await startInCopy(t)
  await getFirstToken(server)

  for (const again of [1, 2]) {
    await takeTour(server)
    await addUsers(server)
    if (again === 1) await setTimeout(1_000 - (Date.now() % 1_000)) // addresses differ by the second
  }
})

test('a failed request of the tour stops it with the answer of the server', async (t) => {
  const server = await startServer()
  t.after(() => server.close())
  const wrong = TOUR.map((commands) =>
    commands.replace('"redirectUris": ["http://', '"redirectUris": ["http:'),
  )

  const { code, err } = await run({ ...server, folder: ROOT, user: undefined }, wrong)

  assert.equal(code, 1)
  assert.match(err, /No id in: .*"path":"\/redirectUris\/0"/)
})

test('the README is short, shows pictures before it explains, and names the commands to start and to test', () => {
  const lines = README.split('\n')

  assert.ok(lines.length <= 131, `${lines.length - 1} lines`)
  const [start, picture] = ['npm ci --omit=dev && npm start', 'docs/images/'].map((text) =>
    README.indexOf(text),
  )
  assert.ok(picture! > 0 && picture! < start!)
  assert.match(README, /^```\nnpm ci && npm test\n```$/m)
})

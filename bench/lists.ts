/**
 * `npm run bench:lists -- --keep FOLDER`: every list with its filters and searches, over HTTP, on the data
 * that `bench:fill` has written to FOLDER or to the PostgreSQL of DATABASE_URL. Median and 95th percentile of
 * 20 in ms, pages of 100; `*` marks a percentile over 100 ms. Of each list with a next page also that page,
 * by its cursor, newest and oldest first. `--console` reads through the API of the console, as an operator;
 * `--only TEXT` selects the URLs that contain the text. `--plans` reads each page once instead and prints the
 * tables of which a statement has read 50,000 rows or more without an index.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPostgres } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { type Answer, type Browser, openBrowser } from './browser.ts'
import { SETTINGS } from './fill.ts'
import { PLAN_SETTINGS, wholeTablesIn } from './plans.ts'
import { CLIENT_SECRET, PASSWORD, SECRET_KEY, SYSTEMS } from './world.ts'

const TIMES = 20
/** Lists whose 95th percentile is above this time are marked, in ms. */
const BOUND = 100
const PLATFORM = 'bench-platform'
/** 50 ms: a plan is written to the log when its statement ends. */
const LOGGED = 50

/**
 * Search texts that match one user, 1,000, the 12,000 oldest, a tenth, a quarter, nearly all; then texts too
 * short for a trigram index.
 */
const SEARCHES =
  'zebedee.tanaka10000@,zebedee,firstcustomer,outlook,gmail,example,%,_,+,q,qu,an,z9,e_,w4,@'.split(',')
const DAY = '2026-11-20T00:00:00Z'

const searched = (path: string) => [
  ...SEARCHES.map((text) => `${path}?search=${encodeURIComponent(text)}`),
  `${path}?search=%40&page=150`,
]
const filtered = (path: string, filters: string[]) => filters.map((filter) => `${path}?${filter}`)

type Ids = Record<'account' | 'user' | 'target' | 'request' | 'loner' | 'role' | 'profile', string>

const ofPlatform = (ids: Ids) => [
  ...userLists(ids),
  ...membershipLists(ids),
  ...accountLists(),
  ...SEARCHES.map((text) => `/admin/search?q=${encodeURIComponent(text)}`),
  ...otherLists(ids),
  ...auditLists(ids),
]

const userLists = ({ user }: Ids) => [
  ...filtered('/admin/users', [
    '',
    'page=50',
    'page=5000',
    'page=10000',
    'email=zebedee.tanaka10000@firstcustomer.test',
    'emailVerified=true',
    'emailVerified=false',
    'disabled=true',
    'mfa=true',
    'mfa=false',
    'hasPassword=false',
    `createdAfter=${DAY}`,
    `createdBefore=${DAY}`,
    `lastLoginAfter=${DAY}`,
    `lastLoginBefore=${DAY}`,
    'sort=lastLoginAt',
    'disabled=true&search=gmail',
    `ids=${user}`,
    ...Object.values(SYSTEMS).flatMap((id) => [`systemId=${id}`, `systemId=${id}&disabled=true`]),
  ]),
  ...searched('/admin/users'),
]

const membershipLists = ({ account, user, role, profile }: Ids) => [
  ...filtered('/admin/memberships', [
    '',
    'page=5000',
    'status=pending',
    'status=blocked',
    'status=active',
    `accountId=${account}`,
    `userId=${user}`,
    'sort=updatedAt',
    `roleId=${role}`,
    `profileId=${profile}`,
    `roleId=${role}&status=pending`,
  ]),
  ...Object.values(SYSTEMS).flatMap((id) =>
    filtered('/admin/memberships', [`systemId=${id}`, `systemId=${id}&status=blocked`]),
  ),
  ...searched('/admin/memberships'),
]

const accountLists = () => [
  ...filtered(`/admin/systems/${SYSTEMS.suite}/accounts`, [
    '',
    'search=logistics',
    'search=9',
    'search=z',
    'search=nothing',
  ]),
  ...filtered(`/admin/systems/${SYSTEMS.shop}/accounts`, [
    '',
    'page=5000',
    'search=maria',
    'search=q',
    'search=%25',
  ]),
  ...filtered('/admin/accounts', [
    '',
    'page=5000',
    'kind=organization',
    'kind=personal',
    'withoutAdmin=true',
    `systemId=${SYSTEMS.suite}&withoutAdmin=true`,
    'search=logistics',
    'search=q',
  ]),
]

const otherLists = ({ user }: Ids) => [
  ...filtered('/admin/sessions', [
    '',
    `systemId=${SYSTEMS.shop}`,
    `systemId=${SYSTEMS.tiny}`,
    `userId=${user}`,
  ]),
  ...filtered('/admin/systems', ['', 'search=product', 'search=q']),
  ...filtered('/admin/webhooks', ['', 'state=failing', `systemId=${SYSTEMS.suite}`]),
]

const auditLists = ({ account, user, target, request, loner }: Ids) => [
  ...filtered('/admin/audit', [
    '',
    'page=5000',
    'outcome=failure',
    'outcome=success',
    'action=user.login',
    'action=access.denied',
    'action=none.such',
    'actorType=user',
    'actorType=server',
    `actorId=${user}`,
    'actorId=suite',
    'targetType=account',
    'targetType=none',
    `targetId=${target}`,
    `accountId=${account}`,
    `requestId=${request}`,
    `from=${DAY}`,
    `to=${DAY}`,
    ...Object.values(SYSTEMS).flatMap((id) => [`systemId=${id}`, `systemId=${id}&outcome=failure`]),
    'action=user.login&outcome=failure',
    'action=access.denied&outcome=failure',
    `outcome=failure&to=${DAY}`,
    `actorId=${user}&outcome=failure`,
    `actorId=${loner}`,
    `systemId=${SYSTEMS.suite}&action=access.denied`,
    `systemId=${SYSTEMS.club}&action=access.denied`,
    `systemId=${SYSTEMS.suite}&actorType=service`,
    `outcome=failure&targetType=route`,
    'ip=203.0.113.7',
    'actor=zebedee.tanaka10000',
    'actor=outlook',
  ]),
]

const ofSystem = () => [
  ...filtered('/admin/users', [
    '',
    'page=50',
    'page=1000',
    'emailVerified=false',
    'disabled=true',
    `createdAfter=${DAY}`,
  ]),
  ...searched('/admin/users'),
  ...filtered('/admin/memberships', ['', 'status=blocked']),
  ...searched('/admin/memberships'),
  ...filtered('/admin/audit', ['', 'outcome=failure', 'action=user.login', 'action=access.denied']),
]

async function tokenOf(url: string, client: string, secret: string): Promise<string> {
  const answer = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  if (!answer.ok) throw new Error(`${client} gets no token: ${await answer.text()}`)
  return ((await answer.json()) as { access_token: string }).access_token
}

type Row = Record<string, string> & Record<'actor' | 'target', { id: string }>
type Page = { data: Row[]; total?: number; nextCursor?: string | null }
/** Reads a path of the admin API. */
type Read = (path: string) => Promise<Page>

const readerOf =
  (url: string, headers: Record<string, string>): Read =>
  async (path) => {
    const answer = await fetch(url + path, { headers })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Page
  }

const serviceReader = async (url: string, client: string): Promise<Read> =>
  readerOf(url, { authorization: `Bearer ${await tokenOf(url, client, CLIENT_SECRET)}` })

/** Reads through the API of the console, as a new operator of the installation. */
async function consoleReader(url: string): Promise<Read> {
  const token = await tokenOf(url, PLATFORM, CLIENT_SECRET)
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const email = `${crypto.randomUUID()}@operators.example`
  const user = await post('/admin/users', { email, password: PASSWORD, emailVerified: true })
  await post('/admin/operators', { userId: user.id, level: 'viewer' })
  const browser = openBrowser({ origin: url, issuer: url }, 0)
  const { action, fields } = formOf(await followed(browser, await browser.open('/console/sign-in')))
  fields.set('email', email)
  fields.set('password', PASSWORD)
  await followed(browser, await browser.submit(action, fields))
  const cookie = browser.cookies('/console/api')
  await browser.close()
  const read = readerOf(url, { ...cookie, 'tenantry-context': 'platform', 'sec-fetch-site': 'same-origin' })
  return (path) => read(`/console/api${path}`)
}

/** The page at the end of redirects. */
async function followed(browser: Browser, answer: Answer): Promise<Answer> {
  const { location } = answer.headers
  return typeof location === 'string' && !location.endsWith('/console')
    ? followed(browser, await browser.open(location.replace(/^https?:\/\/[^/]+/, '')))
    : answer
}

function formOf({ body }: Answer): { action: string; fields: URLSearchParams } {
  const [, action = '', form = ''] = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(body) ?? []
  const hidden = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return { action, fields: new URLSearchParams([...hidden].map(([, name, value]) => [name!, value!])) }
}

/** The page, and the next ones by their cursors, newest and oldest first. `sort` has no other order. */
async function* pagesFrom(read: Read, path: string): AsyncGenerator<string> {
  const first = `${path}${path.endsWith('?') ? '' : '&'}pageSize=100`
  yield first
  const orders = path.includes('/search?') ? [] : path.includes('sort=') ? [''] : ['', '&order=createdAt']
  for (const order of orders) {
    const { nextCursor } = await read(first + order)
    if (nextCursor) yield `${first.replace(/(?<=[?&])page=\d+&/, '')}${order}&cursor=${nextCursor}`
  }
}

async function measured(read: Read, path: string): Promise<{ median: number; p95: number; page: Page }> {
  const page = await read(path)
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now()
    await read(path)
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return { median: times[TIMES / 2]!, p95: times[Math.ceil(TIMES * 0.95) - 1]!, page }
}

/** The id of the first item of a list; an unknown id if it is empty. Roles are a list without pages. */
async function firstOf(read: Read, path: string): Promise<string> {
  const page: Page | Row[] = await read(path)
  const [first] = Array.isArray(page) ? (page as Row[]) : page.data
  return first?.id ?? crypto.randomUUID()
}

/** Ids of existing rows: an account with many members, a user, audited targets. */
async function someIds(read: Read): Promise<Ids> {
  const [member] = (await read(`/admin/memberships?systemId=${SYSTEMS.club}`)).data
  const [entry] = (await read('/admin/audit?action=user.login&page=100')).data
  const [old] = (await read('/admin/audit?action=user.created&page=90')).data
  const [role, profile] = await Promise.all(
    ['roles', 'profiles'].map((list) => firstOf(read, `/admin/systems/${SYSTEMS.club}/${list}`)),
  )
  return {
    role: role!,
    profile: profile!,
    account: member!.accountId!,
    user: entry!.actor.id,
    target: entry!.target.id,
    request: entry!.requestId!,
    loner: old!.target.id,
  }
}

type Printed = (name: string, read: Read, path: string) => Promise<boolean>

const shownPath = (path: string) => decodeURIComponent(path).replace(/cursor=.*/, 'cursor=…')

/** Whether the page is slow. */
const printTime: Printed = async (name, read, path) => {
  const { median, p95, page } = await measured(read, path)
  const [time, last] = [median, p95].map((ms) => ms.toFixed(0).padStart(6))
  const count = `${page.data.length} of ${page.total ?? page.data.length}`
  process.stdout.write(`${time} ${last} ${p95 > BOUND ? '*' : ' '} ${name} ${shownPath(path)}: ${count}\n`)
  return p95 > BOUND
}

/** Whether a statement has read a whole table. The last request may be logged after its response. */
const printPlans =
  (wholeTables: () => string[]): Printed =>
  async (name, read, path) => {
    await read(path)
    await pause(LOGGED)
    const tables = wholeTables()
    if (tables.length > 0) process.stdout.write(`${name} ${shownPath(path)}: ${tables.join(', ')}\n`)
    return tables.length > 0
  }

async function measure(
  url: string,
  { only, viaConsole, print }: { only: string; viaConsole: boolean; print: Printed },
): Promise<{ pages: number; found: number }> {
  const platform = await serviceReader(url, PLATFORM)
  const callers = viaConsole
    ? [{ name: 'console', read: await consoleReader(url), paths: ofPlatform }]
    : [
        { name: 'platform', read: platform, paths: ofPlatform },
        ...(await Promise.all(
          Object.keys(SYSTEMS).map(async (name) => ({
            name,
            read: await serviceReader(url, name),
            paths: ofSystem,
          })),
        )),
      ]
  const ids = await someIds(platform)
  const done = { pages: 0, found: 0 }
  for (const { name, read, paths } of callers)
    for (const path of paths(ids).filter((path) => `${name} ${path}`.includes(only)))
      for await (const page of pagesFrom(read, path)) {
        done.pages += 1
        if (await print(name, read, page)) done.found += 1
      }
  return done
}

const { values } = parseArgs({
  options: {
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
    console: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
  },
})
if (values.plans && !values.keep) throw new Error('--plans needs --keep FOLDER.')
const postgres = values.keep
  ? await startPostgres({
      durable: true,
      keep: values.keep,
      settings: [...SETTINGS, ...(values.plans ? PLAN_SETTINGS : [])],
    })
  : undefined
try {
  const url = postgres?.url ?? process.env.DATABASE_URL
  if (!url) throw new Error('Set --keep FOLDER or DATABASE_URL.')
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    SECRET_KEY,
    ADMIN_CLIENT_ID: PLATFORM,
    ADMIN_CLIENT_SECRET: CLIENT_SECRET,
    RETENTION_AUDIT_DAYS: '0',
  } // prettier-ignore
  const server = await startServer({ env: settings })
  try {
    const print = values.plans ? printPlans(wholeTablesIn(values.keep!)) : printTime
    const { pages, found } = await measure(server.url, {
      only: values.only,
      viaConsole: values.console,
      print,
    })
    const what = values.plans ? 'read a whole table' : `are over ${BOUND} ms`
    process.stdout.write(`${found} of ${pages} pages ${what}.\n`)
  } finally {
    await server.close()
  }
} finally {
  await postgres?.close()
}

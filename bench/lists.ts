/**
 * `npm run bench:lists -- --keep FOLDER`: every list with its filters and searches, over HTTP, on the data
 * that `bench:fill` has written to FOLDER or to the PostgreSQL of DATABASE_URL. Medians of nine in ms, pages
 * of 100; `*` marks over 50 ms. `--only TEXT` selects the URLs that contain the text.
 */
import { parseArgs } from 'node:util'
import { startPostgres } from '../server/test/support/postgres.ts'
import { startServer } from '../server/test/support/servers.ts'
import { SETTINGS } from './fill.ts'
import { CLIENT_SECRET, SECRET_KEY, SYSTEMS } from './world.ts'

const TIMES = 9
/** Lists above this time are marked, in ms. */
const BOUND = 50
const PLATFORM = 'bench-platform'

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

type Ids = { account: string; user: string; target: string; request: string; loner: string }

const ofPlatform = ({ account, user, target, request, loner }: Ids) => [
  ...filtered('/admin/users', [
    '',
    'page=50',
    'page=5000',
    'page=10000',
    'email=zebedee.tanaka10000@firstcustomer.test',
  ]),
  ...searched('/admin/users'),
  ...filtered('/admin/memberships', [
    '',
    'page=5000',
    'status=pending',
    'status=blocked',
    'status=active',
    `accountId=${account}`,
    `userId=${user}`,
  ]),
  ...Object.values(SYSTEMS).flatMap((id) =>
    filtered('/admin/memberships', [`systemId=${id}`, `systemId=${id}&status=blocked`]),
  ),
  ...searched('/admin/memberships'),
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
  ...filtered('/admin/sessions', [
    '',
    `systemId=${SYSTEMS.shop}`,
    `systemId=${SYSTEMS.tiny}`,
    `userId=${user}`,
  ]),
  ...filtered('/admin/systems', ['', 'search=product', 'search=q']),
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
  ]),
] // prettier-ignore

const ofSystem = () => [
  ...filtered('/admin/users', ['', 'page=50', 'page=1000']),
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
type Page = { data: Row[]; total: number }

async function read(url: string, token: string): Promise<Page> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Page
}

async function median(url: string, token: string): Promise<{ ms: number; page: Page }> {
  const page = await read(url, token)
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const began = performance.now()
    await read(url, token)
    times.push(performance.now() - began)
  }
  return { ms: times.sort((a, b) => a - b)[(TIMES - 1) / 2]!, page }
}

/** Ids of existing rows: an account with many members, a user, audited targets. */
async function someIds(url: string, token: string): Promise<Ids> {
  const [member] = (await read(`${url}/admin/memberships?systemId=${SYSTEMS.club}`, token)).data
  const [entry] = (await read(`${url}/admin/audit?action=user.login&page=100`, token)).data
  const [old] = (await read(`${url}/admin/audit?action=user.created&page=90`, token)).data
  return {
    account: member!.accountId!,
    user: entry!.actor.id,
    target: entry!.target.id,
    request: entry!.requestId!,
    loner: old!.target.id,
  }
}

async function measure(url: string, only: string): Promise<void> {
  const callers = [
    { name: 'platform', token: await tokenOf(url, PLATFORM, CLIENT_SECRET), paths: ofPlatform },
    ...(await Promise.all(
      Object.keys(SYSTEMS).map(async (name) => ({
        name,
        token: await tokenOf(url, name, CLIENT_SECRET),
        paths: ofSystem,
      })),
    )),
  ]
  const ids = await someIds(url, callers[0]!.token)
  let slow = 0
  for (const { name, token, paths } of callers)
    for (const path of paths(ids).filter((path) => `${name} ${path}`.includes(only))) {
      const { ms, page } = await median(`${url}${path}${path.endsWith('?') ? '' : '&'}pageSize=100`, token)
      if (ms > BOUND) slow += 1
      process.stdout.write(
        `${ms.toFixed(0).padStart(6)} ${ms > BOUND ? '*' : ' '} ${name} ${decodeURIComponent(path)}: ${page.data.length} of ${page.total}\n`,
      )
    }
  process.stdout.write(`${slow} are over ${BOUND} ms.\n`)
}

const { values } = parseArgs({ options: { keep: { type: 'string' }, only: { type: 'string', default: '' } } })
const postgres = values.keep
  ? await startPostgres({ durable: true, keep: values.keep, settings: SETTINGS })
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
    await measure(server.url, values.only)
  } finally {
    await server.close()
  }
} finally {
  await postgres?.close()
}

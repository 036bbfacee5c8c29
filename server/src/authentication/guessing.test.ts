/** Rate limits of passwords: per user, known browser and network. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { mostChecked, moveGuesses } from '../../test/support/limit-clock.ts'
import {
  type Answer,
  authUrl,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { concurrently } from '../../test/support/waiting.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import { sql } from '../database/drizzle.ts'
import { limits } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type System = Parameters<App['signIn']>[0]

/** Trusts a proxy, so that a test can choose its client address. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }
const newIp = () => `10.${[...randomBytes(3)].join('.')}`
const newEmail = (name = 'bob') => `${name}-${randomBytes(6).toString('hex')}@x.test`

async function given(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t, PROXIED)
  const { system, user, membership } = await app.newMember({ skipConsent: true })
  return { app, system: system as System, user, membership }
}

type Try = {
  email: string
  password?: string
  ip?: string
  browser?: TestBrowser
  json?: boolean
  times?: number
}

/** Opens the login page and submits it `times` times in one browser. Returns the last response. */
async function tryLogin(
  app: App,
  system: System,
  { email, password = 'wrong', ip, browser, json, times = 1 }: Try,
): Promise<Answer> {
  const own = browser ?? app.newBrowser()
  const headers = ip === undefined ? {} : { 'x-forwarded-for': ip }
  const started = await own.get(authUrl(system, newPkce().challenge, { prompt: 'login' }), headers)
  const page = await own.get(started.headers.get('location')!, headers)
  const action = /<form method="post" action="([^"]+)"/.exec(String(page.body))![1]!
  const csrf = /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!
  const post = () =>
    json
      ? own.request(action, {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ email, password }),
        })
      : own.post(action, { csrf, email, password }, headers)
  let answer = await post()
  for (let more = 1; more < times; more++) answer = await post()
  return answer
}

const times = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
const waitOf = ({ headers }: Answer) => Number(headers.get('retry-after'))
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
/** Seconds, longer than a busy machine takes for a few attempts: a wait is moved ahead by it to be seen. */
const AHEAD = 600
/** Moves the limits back in time by a number of seconds. */
const passed = (app: App, seconds: number) =>
  app.db.update(limits).set({ expire: sql`${limits.expire} - ${seconds * 1_000}::bigint` })
/** Every checked attempt writes one audit entry. */
const checked = async (app: App, user: { id: string }) =>
  (await app.audited({ targetId: user.id, action: 'user.login' })).filter(
    ({ outcome }) => outcome === 'failure',
  ).length

test('P29: after five wrong passwords attempts are refused for a growing delay', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()
  const wrong = () => tryLogin(app, system, { email: user.email, ip })
  let begun = performance.now()
  const first = await tryLogin(app, system, { email: user.email, ip, times: 5 })

  for (const most of [1, 4, 16, 64, 256, 900, 900]) {
    await moveGuesses(app, AHEAD)
    const refused = await tryLogin(app, system, { email: user.email, password: PASSWORD, ip })
    assert.equal(refused.status, 429)
    const [wait, elapsed] = [waitOf(refused) - AHEAD, (performance.now() - begun) / 1_000]
    assert.ok(wait <= most && wait >= most - elapsed - 1, `${wait} s of ${most} s after ${elapsed} s`)
    await moveGuesses(app, -waitOf(refused))
    begun = performance.now()
    assert.equal((await wrong()).status, 401)
  }
  await passed(app, 900)
  const right = await tryLogin(app, system, { email: user.email, password: PASSWORD, ip })
  const afterwards = statuses([
    await tryLogin(app, system, { email: user.email, ip, times: 5 }),
    await moveGuesses(app, AHEAD).then(wrong),
  ])

  assert.equal(first.status, 401)
  assert.equal(right.status, 303)
  assert.deepEqual(afterwards, [401, 429], 'after a right password it begins anew')
})

test('P29: attempts during the delay are not counted and do not extend it', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()
  await tryLogin(app, system, { email: user.email, ip, times: 5 })
  await moveGuesses(app, AHEAD)
  await tryLogin(app, system, { email: user.email, ip, times: 4 })
  await moveGuesses(app, -AHEAD - 1) // the sixth attempt is due
  await tryLogin(app, system, { email: user.email, ip })
  await moveGuesses(app, AHEAD)

  const [before, after] = [
    await tryLogin(app, system, { email: user.email, ip }),
    await tryLogin(app, system, { email: user.email, ip, times: 30 }),
  ]

  assert.deepEqual(statuses([before, after]), [429, 429])
  assert.ok(waitOf(after) <= waitOf(before) && waitOf(before) <= AHEAD + 4)
  assert.equal(await checked(app, user), 6)
})

for (const whose of ['a user', 'an unknown user'] as const) {
  test(`P29: all spellings of the address of ${whose}, in pages and JSON, share one limit`, async (t) => {
    const { app, system } = await given(t)
    const address = newEmail('josé')
    if (whose === 'a user') await app.newUser({ email: address })
    const ip = newIp()
    const variants = [
      { email: address },
      { email: `  ${address} ` },
      { email: address.replace('jos', 'JOS').replace('x.test', 'X.Test') },
      { email: address.normalize('NFD') },
      { email: address, json: true },
    ]

    const answers: Answer[] = []
    for (const variant of variants) answers.push(await tryLogin(app, system, { ...variant, ip }))
    await moveGuesses(app, AHEAD)
    const refused: Answer[] = []
    for (const variant of variants) refused.push(await tryLogin(app, system, { ...variant, ip }))

    assert.deepEqual(statuses(answers), [401, 401, 401, 401, 401])
    assert.deepEqual(statuses(refused), [429, 429, 429, 429, 429])
    assert.equal(refused[4]!.body.code, 'too_many_requests')
  })
}

test('P29: of 20 concurrent wrong passwords five are checked', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()

  const begun = performance.now()
  const answers = await concurrently(20, () => tryLogin(app, system, { email: user.email, ip }))
  const most = mostChecked((performance.now() - begun) / 1_000)

  const verdicts = statuses(answers).filter((status) => status === 401).length
  assert.ok(verdicts >= 5 && verdicts <= most, `${verdicts} of at most ${most} were checked`)
  assert.ok(statuses(answers).every((status) => status === 401 || status === 429))
  assert.equal(await checked(app, user), verdicts)
})

test('correct passwords are not limited, concurrent or in sequence, after four failures', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()
  await tryLogin(app, system, { email: user.email, ip, times: 4 })
  const right = () => tryLogin(app, system, { email: user.email, password: PASSWORD, ip })

  const together = await concurrently(30, right)
  const alone = []
  for (let round = 0; round < 10; round++) alone.push(...(await concurrently(1, right)))

  assert.deepEqual([...new Set(statuses([...together, ...alone]))], [303])
})

test('an attempt answered 503 because the hash queue is full is not counted', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()
  const flood = setInterval(() => {
    for (let more = 0; more < 230; more++) hashPassword('a flood', system.id).catch(() => {})
  }, 20)

  const begun = performance.now()
  const answers = await times(10, () => tryLogin(app, system, { email: user.email, ip })).finally(() =>
    clearInterval(flood),
  )
  const later: Answer[] = []
  while (later.at(-1)?.status !== 429 && later.length < 30)
    later.push(await tryLogin(app, system, { email: user.email, ip }))

  const counts = Object.groupBy(statuses([...answers, ...later]), (status) => status)
  assert.ok(counts[503]!.length > 0)
  const most = mostChecked((performance.now() - begun) / 1_000)
  assert.ok(counts[401]!.length >= 5 && counts[401]!.length <= most, `${counts[401]!.length} of ${most}`)
})

test('P05: the rate-limit response is the same for existing and unknown addresses', async (t) => {
  const { app, system, user } = await given(t)
  const [disabled, passwordless] = [await app.newUser(), await app.newUser({ password: undefined })]
  await app.platform.patch(`/admin/users/${disabled.id}`, { disabled: true })
  const addresses = [user.email, newEmail(), disabled.email, passwordless.email]

  const answers = []
  for (const email of addresses) {
    const ip = newIp()
    await tryLogin(app, system, { email, password: PASSWORD.slice(1), ip, times: 4 })
    await tryLogin(app, system, { email, password: email === disabled.email ? PASSWORD : 'wrong', ip })
    await moveGuesses(app, AHEAD)
    const [page, json] = [
      await tryLogin(app, system, { email, ip }),
      await tryLogin(app, system, { email, ip, json: true }),
    ]
    answers.push([masked(page, email), masked(json, email)])
  }

  const [page, json] = answers[0]!
  assert.deepEqual([page!.status, json!.status], [429, 429])
  assert.match(String(page!.body), /Too many attempts\. Try again in WAIT\./)
  assert.equal(page!.headers['retry-after'], 'SECONDS')
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('failures from one network do not lock the user out from another network', async (t) => {
  const { app, system, user } = await given(t)
  const ip = newIp()
  await tryLogin(app, system, { email: user.email, ip, times: 5 })
  await moveGuesses(app, AHEAD)
  const refused = await tryLogin(app, system, { email: user.email, ip, times: 5 })

  const owner = await tryLogin(app, system, { email: user.email, password: PASSWORD, ip: newIp() })

  assert.deepEqual(statuses([refused, owner]), [429, 303])
})

test('P29: distributed guessing leaves known browsers, sessions and password reset usable', async (t) => {
  const { app, system, user } = await given(t)
  const home = app.newBrowser()
  const tokens = await app.signIn(system, { email: user.email, visitor: home })
  for (let network = 0; network < 10; network++)
    await tryLogin(app, system, { email: user.email, ip: newIp(), times: 5 })
  const anywhere = () => tryLogin(app, system, { email: user.email, password: PASSWORD, ip: newIp() })

  const unknown = await anywhere()
  const known = await tryLogin(app, system, {
    email: user.email,
    password: PASSWORD,
    ip: newIp(),
    browser: home,
  })
  const [me, refreshed] = [
    await app.me(tokens.access_token),
    await app.refresh(system, tokens.refresh_token!),
  ]

  assert.equal(await checked(app, user), 50)
  assert.deepEqual([unknown.status, waitOf(unknown) > 800 && waitOf(unknown) <= 900], [429, true])
  assert.deepEqual(statuses([known, me, refreshed]), [303, 200, 200])

  await app.platform.post(`/admin/users/${user.id}/set-password`, {
    password: PASSWORD,
    mustChangePassword: false,
  })
  assert.equal((await anywhere()).status, 303, 'a new password, even of the same text, is guessed at anew')
})

test("after 15 minutes unknown browsers have one more attempt, the user's included", async (t) => {
  const { app, system, user } = await given(t)
  for (let network = 0; network < 10; network++)
    await tryLogin(app, system, { email: user.email, ip: newIp(), times: 5 })

  await passed(app, 900)
  const [one, two] = [
    await tryLogin(app, system, { email: user.email, ip: newIp() }),
    await tryLogin(app, system, { email: user.email, ip: newIp() }),
  ]
  await passed(app, 900)
  const right = await tryLogin(app, system, { email: user.email, password: PASSWORD, ip: newIp() })

  assert.deepEqual(statuses([one, two, right]), [401, 429, 303])
})

test('a known browser has its own limit, for its user and its password only', async (t) => {
  const { app, system, user } = await given(t)
  const other = await app.newUser()
  await app.newMembership({ userId: other.id, systemId: system.id })
  const home = app.newBrowser()
  await app.signIn(system, { email: user.email, visitor: home })
  const cookie = [...home.jar].find(([name]) => name.startsWith('_known'))![1].value

  await tryLogin(app, system, { email: user.email, ip: newIp(), browser: home, times: 5 })
  await moveGuesses(app, AHEAD)
  const known = await tryLogin(app, system, { email: user.email, ip: newIp(), browser: home })
  const elsewhere = await tryLogin(app, system, { email: user.email, password: PASSWORD, ip: newIp() })
  assert.deepEqual(statuses([known, elsewhere]), [429, 303])

  // Six networks each: only a known browser is counted by its cookie.
  const withCookie = async (email: string, value: string) => {
    const answers: Answer[] = []
    for (let index = 0; index < 6; index++) {
      if (index === 5) await moveGuesses(app, AHEAD)
      const browser = app.newBrowser()
      browser.jar.set('_known /', { value, path: '/' })
      answers.push(await tryLogin(app, system, { email, ip: newIp(), browser }))
    }
    return statuses(answers)
  }
  await passed(app, AHEAD + 900)
  const forged = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`
  assert.deepEqual((await withCookie(user.email, cookie)).at(-1), 429)
  assert.deepEqual(await withCookie(user.email, forged), [401, 401, 401, 401, 401, 401])
  assert.deepEqual(await withCookie(other.email, cookie), [401, 401, 401, 401, 401, 401])
  await app.platform.post(`/admin/users/${user.id}/set-password`, {
    password: PASSWORD,
    mustChangePassword: false,
  })
  assert.deepEqual(await withCookie(user.email, cookie), [401, 401, 401, 401, 401, 401])
})

test('one network may fail 30 times in ten minutes over all users, then once in 20 s', async (t) => {
  const { app, system, user } = await given(t)
  const subscriber = `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`
  const from = () => `${subscriber}:${randomBytes(2).toString('hex')}::1`
  const spray = () => tryLogin(app, system, { email: newEmail(), ip: from() })
  const right = (ip: string) => tryLogin(app, system, { email: user.email, password: PASSWORD, ip })

  const failed: Answer[] = []
  for (let index = 0; index < 30; index++) {
    failed.push(await spray())
    if (index % 10 === 0) assert.equal((await right(from())).status, 303)
  }
  await passed(app, -3 * 20) // as three more attempts, so that a busy machine is not too late to be refused
  const [more, own, neighbour] = [await spray(), await right(from()), await right('2001:db8:ffff:ffff::1')]
  await passed(app, waitOf(own))
  const later = [await right(from()), await spray(), await spray()]

  assert.deepEqual([...new Set(statuses(failed))], [401])
  assert.deepEqual(statuses([more, own, neighbour]), [429, 429, 303])
  assert.ok(waitOf(more) <= 4 * 20)
  assert.deepEqual(statuses(later), [303, 401, 429])
})

test('loopback addresses are a proxy and are not limited as one network', async (t) => {
  const { app, system, user } = await given(t)
  for (let index = 0; index < 35; index++)
    assert.equal((await tryLogin(app, system, { email: newEmail() })).status, 401)

  assert.equal((await tryLogin(app, system, { email: user.email, password: PASSWORD })).status, 303)
})

test('a delay is audited once, when it starts, without the submitted values', async (t) => {
  const { app, system, user } = await given(t)
  const attempt = { email: user.email, password: 'the wrong secret', ip: newIp() }
  await tryLogin(app, system, { ...attempt, times: 5 })
  await moveGuesses(app, AHEAD)
  await tryLogin(app, system, { ...attempt, times: 7 })

  const entries = await app.audited({ targetId: user.id, action: 'login.throttled' })

  assert.deepEqual(
    entries.map(({ outcome, systemId, changes }) => [outcome, systemId, changes]),
    [['failure', system.id, { seconds: [null, 1] }]],
  )
  assert.equal(await checked(app, user), 5)
  assert.doesNotMatch(JSON.stringify(entries), /the wrong secret/)
})

test('the limits table stores neither e-mail addresses nor networks in clear', async (t) => {
  const { app, system } = await given(t)
  const [email, ip] = [newEmail(), newIp()]

  await tryLogin(app, system, { email, ip })

  const rows = await app.db.select().from(limits)
  assert.ok(rows.length > 0)
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(`${email}|${ip}|@`))
})

/** A response with the values that differ between sign-ins masked. */
function masked({ status, headers, body }: Answer, email: string) {
  const kept: Record<string, string> = {}
  headers.forEach((value, name) => {
    if (name === 'retry-after') kept[name] = value.replace(/^\d+$/, 'SECONDS')
    else if (name !== 'date' && name !== 'content-length') kept[name] = value
  })
  const text = (typeof body === 'string' ? body : JSON.stringify(body))
    .replaceAll(email, 'EMAIL')
    .replace(/(?<=again in )\d+ (seconds|minutes)/, 'WAIT')
    .replace(/\/interaction\/[\w-]+/g, '/interaction/UID')
    .replace(/[\w-]{43}(?="|&quot;)/g, 'RANDOM')
    .replace(/"requestId":"[^"]+"/, '"requestId":"ID"')
  return { status, headers: kept, body: text }
}

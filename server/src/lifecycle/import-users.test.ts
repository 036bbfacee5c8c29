import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp } from '../../test/support/testing.ts'
import { concurrently } from '../../test/support/waiting.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Result = {
  line: number
  status: string
  id?: string
  code?: string
  detail?: string
  errors?: { path: string }[]
  ignoredFields?: string[]
}

const HASH = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' // of U*U
const mail = () => `${crypto.randomUUID()}@x.test`
const BATCH = 100

/** Sends raw lines and parses the response. */
async function send({ url }: App, token: string, body: BodyInit, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/admin/users/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson', ...headers },
    body,
  })
  const text = await answer.text()
  const isLines = answer.headers.get('content-type')?.startsWith('application/x-ndjson')
  const lines: Result[] = isLines
    ? text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
  return { status: answer.status, lines, problem: isLines ? undefined : JSON.parse(text) }
}

const importTo = (app: App, users: unknown[], headers?: Record<string, string>) =>
  send(
    app,
    app.platform.token,
    users.map((user) => (typeof user === 'string' ? user : JSON.stringify(user))).join('\n'),
    headers,
  )

const brief = ({ line, status, code, errors }: Result) => [line, status, code, errors?.[0]?.path]

test('each line of an import creates a user with audit entry and event, who can sign in', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ skipConsent: true })
  const fields = {
    emailVerified: true,
    name: 'Ana',
    givenName: null,
    locale: 'pt-BR',
    metadata: { old: { id: 'auth0|1' } },
  }
  const emails = [mail(), mail()]

  const { status, lines } = await importTo(app, [
    { email: emails[0], ...fields, passwordHash: HASH },
    { email: emails[1] },
  ])

  assert.deepEqual(
    [status, lines.map(brief)],
    [
      200,
      [
        [1, 'created', undefined, undefined],
        [2, 'created', undefined, undefined],
      ],
    ],
  )
  const [full, bare] = await Promise.all(
    lines.map(async ({ id }) => (await app.platform.get(`/admin/users/${id}`)).body),
  )
  assert.deepEqual(full, { ...full, ...fields, email: emails[0], hasPassword: true })
  assert.deepEqual([bare.email, bare.hasPassword, bare.metadata], [emails[1], false, {}])
  for (const { id } of lines) {
    const entries = await app.audited({ targetId: id! })
    assert.deepEqual(
      [entries.map(({ action }) => action), (await app.findEvents({ userId: id! })).map(({ type }) => type)],
      [['user.created'], ['user.created']],
    )
    assert.doesNotMatch(JSON.stringify(entries), /passwordHash|\$2a\$/)
  }
  await app.newMembership({ userId: full.id, systemId: system.id })
  assert.ok((await app.authorize(system, { email: full.email, password: 'U*U' })).back.code)
})

test('a temporary password of another service stays one, and is refused for a user without a password', async (t) => {
  const app = await startTestApp(t)
  const { token, ...bySystem } = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))
  const temporary = { passwordHash: HASH, mustChangePassword: true }

  const created = await app.platform.post('/admin/users', { email: mail(), ...temporary })
  const typed = { email: mail(), password: 'correct horse', mustChangePassword: true }
  const withPassword = await app.platform.post('/admin/users', typed)
  const refused = await app.platform.post('/admin/users', { email: mail(), mustChangePassword: true })
  const everywhere = await importTo(app, [{ email: mail(), ...temporary }, { email: mail() }])
  const line = JSON.stringify({ email: mail(), ...temporary })
  const inSystem = await send(app, token, line)

  assert.deepEqual(
    [created, withPassword].map(({ body }) => [body.hasPassword, body.mustChangePassword]),
    [1, 2].map(() => [true, true]),
  )
  assert.deepEqual([refused.status, refused.body.errors[0].path], [400, '/mustChangePassword'])
  const read = async (by: typeof app.platform | typeof bySystem, { id }: Result) =>
    (await by.get(`/admin/users/${id}`)).body.mustChangePassword
  assert.deepEqual(
    [
      await read(app.platform, everywhere.lines[0]!),
      await read(app.platform, everywhere.lines[1]!),
      await read(bySystem, inSystem.lines[0]!),
      await read(app.platform, inSystem.lines[0]!),
    ],
    [true, false, true, false],
    'the statement of a system is valid in that system',
  )
})

test('a refused line gives its reason in place and does not affect others', async (t) => {
  const app = await startTestApp(t)
  const taken = await app.newUser()
  const [twice, good] = [mail(), mail()]
  const depth = (levels: number): unknown => (levels === 0 ? 1 : { a: depth(levels - 1) })
  const lines: [unknown, string | undefined, string?][] = [
    [{ email: twice }, undefined],
    ['{"email": "', 'invalid_request'],
    ['', undefined],
    ['   \r', undefined],
    ['[]', 'invalid_request', ''],
    ['null', 'invalid_request', ''],
    [{ email: twice.toUpperCase() }, 'email_taken'],
    [{ email: taken.email }, 'email_taken'],
    [{ name: 'nobody' }, 'invalid_request', '/email'],
    [{ email: 'none' }, 'invalid_request', '/email'],
    [{ email: mail(), passwordHash: 'x' }, 'invalid_request', '/passwordHash'],
    [{ email: mail(), passwordHash: HASH.replace('$05$', '$31$') }, 'invalid_request', '/passwordHash'],
    [{ email: mail(), password: 'correct horse' }, 'invalid_request', '/password'],
    [{ email: mail(), name: 'a\0b' }, 'invalid_request'],
    [{ email: mail(), metadata: { 'a\0b': 1 } }, 'invalid_request'],
    [{ email: mail(), name: '\ud800' }, 'invalid_request'],
    [{ email: mail(), metadata: depth(25) }, 'invalid_request'],
    [`{"email":"${mail()}","__proto__":{"emailVerified":true}}`, 'invalid_request'],
    [{ email: mail(), metadata: { long: 'x'.repeat(66_000) } }, 'payload_too_large'],
    [{ email: mail(), emailVerified: 'true' }, 'invalid_request', '/emailVerified'],
    [{ email: mail(), mustChangePassword: true }, 'invalid_request', '/mustChangePassword'],
    [{ email: mail(), mustChangePassword: false }, undefined],
    [{ email: mail(), name: 'written \\u0000, not meant' }, undefined],
    [`\ufeff${JSON.stringify({ email: good })}\r`, undefined],
  ]

  const answer = await importTo(
    app,
    lines.map(([line]) => line),
  )

  const expected = lines.flatMap(([line, code, path], at) =>
    typeof line === 'string' && line.trim() === '' ? [] : [[at + 1, code ? 'failed' : 'created', code, path]],
  )
  assert.equal(answer.status, 200)
  assert.deepEqual(
    answer.lines.map((each) =>
      brief(each).map((part, at) =>
        at === 3 && expected[answer.lines.indexOf(each)]?.[3] === undefined ? undefined : part,
      ),
    ),
    expected,
  )
  assert.deepEqual((await app.platform.get(`/admin/users?email=${good}`)).body.total, 1)
  assert.deepEqual((await app.platform.get(`/admin/users?email=${twice}`)).body.data[0].email, twice)
  assert.ok(
    answer.lines.every(
      ({ status, code, id }) => (status === 'created') === (id !== undefined && code === undefined),
    ),
  )
})

test('only the lines that are not UTF-8 are refused', async (t) => {
  const app = await startTestApp(t)
  const good = mail()
  const body = Buffer.concat([
    Buffer.from(`{"email":"a\xff${mail()}"}\n`, 'latin1'),
    Buffer.from(JSON.stringify({ email: good })),
  ])

  const { lines } = await send(app, app.platform.token, body)

  assert.deepEqual(lines.map(brief), [
    [1, 'failed', 'invalid_request', undefined],
    [2, 'created', undefined, undefined],
  ])
})

test('unknown fields are named per line, or refused with handling=strict', async (t) => {
  const app = await startTestApp(t)
  const line = () => ({ email: mail(), portrait: 'https://x.test/a.png', id: crypto.randomUUID() })

  const lenient = await importTo(app, [line()])
  const strict = await importTo(app, [line(), { email: mail() }], { prefer: 'handling=strict' })

  assert.deepEqual(
    [lenient.lines[0]?.status, lenient.lines[0]?.ignoredFields],
    ['created', ['/portrait', '/id']],
  )
  assert.deepEqual(strict.lines.map(brief), [
    [1, 'failed', 'invalid_request', '/portrait'],
    [2, 'created', undefined, undefined],
  ])
})

test('10,000 users are imported while requests are served', async (t) => {
  const app = await startTestApp(t)
  const tag = crypto.randomUUID()
  const users = Array.from({ length: 10_000 }, (_, n) => ({
    email: `${n}.${tag}@x.test`,
    name: `Person ${n}`,
    passwordHash: HASH,
    metadata: { n },
  }))
  const start = performance.now()

  const importing = importTo(app, users)
  let done = false
  void importing.finally(() => {
    done = true
  })
  const waits: number[] = []
  while (!done) {
    const asked = performance.now()
    await app.platform.get('/admin/systems?pageSize=1')
    waits.push(performance.now() - asked)
    await sleep(50)
  }
  const { status, lines } = await importing
  const took = performance.now() - start
  const third = waits.toSorted((a, b) => b - a)[2]! // two may be pauses of the machine
  const again = await importTo(app, users)

  t.diagnostic(
    `${Math.round(took)} ms; the longest wait of others ${Math.round(Math.max(...waits))} ms of ${waits.length}`,
  )
  assert.equal(status, 200)
  assert.deepEqual(
    lines.map(({ line, status }) => [line, status]),
    users.map((_, at) => [at + 1, 'created']),
  )
  assert.equal(new Set(lines.map(({ id }) => id)).size, 10_000)
  assert.equal((await app.platform.get(`/admin/users?search=${tag}&pageSize=1`)).body.total, 10_000)
  assert.ok(again.lines.length === 10_000 && again.lines.every(({ code }) => code === 'email_taken'))
  assert.ok(waits.length >= 10 && third < took / 4, `${waits.length} others, ${third} of ${took} ms`)
})

test('more than 10,000 lines or 16 MiB is payload_too_large, and no user is created', async (t) => {
  const app = await startTestApp(t)
  const email = mail()
  const first = JSON.stringify({ email })

  const lines = await send(app, app.platform.token, `${first}\n${'{}\n'.repeat(10_000)}`)
  const empty = await send(app, app.platform.token, `${first}\n${'\n'.repeat(1_000_000)}`)
  const large = await send(app, app.platform.token, `${first}\n${' '.repeat(17 * 1024 * 1024)}`)
  const whole = await send(app, app.platform.token, `${'{}\n'.repeat(9_999)}{}`)

  assert.deepEqual(
    [lines, empty, large].map(({ status, problem }) => [status, problem.code]),
    [1, 2, 3].map(() => [413, 'payload_too_large']),
  )
  assert.deepEqual([whole.status, whole.lines.length], [200, 10_000])
  assert.equal((await app.platform.get(`/admin/users?email=${email}`)).body.total, 0)
})

test('an import is at least one JSON line, and accepts no Idempotency-Key', async (t) => {
  const app = await startTestApp(t)
  const line = JSON.stringify({ email: mail() })
  const post = (body: string, headers: Record<string, string>) => send(app, app.platform.token, body, headers)

  const refused = [
    await post(line, { 'content-type': 'application/json' }),
    await post(line, { 'content-type': 'text/plain' }),
    await post(line, { 'content-type': 'application/x-ndjson; charset=utf-16' }),
    await post('', {}),
    await post('\n \n', {}),
    await post(line, { 'idempotency-key': crypto.randomUUID() }),
  ]
  const taken = await post(line, { 'content-type': 'application/jsonl; charset=utf-8' })

  assert.deepEqual(
    refused.map(({ status, problem }) => [status, problem.code]),
    [
      [415, 'unsupported_media_type'],
      [415, 'unsupported_media_type'],
      [415, 'unsupported_media_type'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
    ],
  )
  assert.deepEqual(taken.lines.map(brief), [[1, 'created', undefined, undefined]])
})

test('a system imports users by the rules of creation; an ordinary user is refused', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ allowClientCredentials: true, skipConsent: true })
  const service = await app.serviceOf(system)
  const { access_token } = await app.signIn(system, { email: user.email })
  const line = JSON.stringify({ email: mail() })

  const byUser = await send(app, access_token, line)
  const anonymous = await send(app, 'no-token', line)
  const { lines } = await send(app, service.token, line)
  const before = await service.get(`/admin/users/${lines[0]!.id}`)
  const joined = await service.post('/admin/memberships', { userId: lines[0]!.id, systemId: system.id })
  const [entry] = await app.audited({ targetId: lines[0]!.id!, action: 'user.created' })

  assert.deepEqual(
    [byUser.status, byUser.problem.code, anonymous.status],
    [403, 'insufficient_authority', 401],
  )
  assert.deepEqual([lines[0]!.status, before.status, entry?.systemId], ['created', 200, system.id])
  assert.ok([201, 403].includes(joined.status))
})

test('concurrent imports of the same users create each once, and both succeed', async (t) => {
  const app = await startTestApp(t)
  const lines = Array.from({ length: 3 * BATCH }, () => ({ email: mail() }))

  const [one, other] = await concurrently(2, (nth) => importTo(app, nth ? lines.toReversed() : lines))

  const made = (results: Result[]) => results.filter(({ status }) => status === 'created').length
  assert.equal(made(one!.lines) + made(other!.lines), lines.length)
  assert.deepEqual(
    new Set([...one!.lines, ...other!.lines].map(({ code }) => code)),
    new Set([undefined, 'email_taken']),
  )
})

test('after a lost connection a repeat completes the import without duplicates', async (t) => {
  const app = await startTestApp(t)
  const tag = crypto.randomUUID()
  const users = Array.from({ length: 4_000 }, (_, n) => JSON.stringify({ email: `${n}.${tag}@x.test` }))

  const reported = await new Promise<number>((resolve, reject) => {
    const sent = httpRequest(`${app.url}/admin/users/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.platform.token}`, 'content-type': 'application/x-ndjson' },
    })
    sent.on('error', reject)
    sent.on('response', (answer) =>
      answer.once('data', (data: Buffer) => {
        answer.destroy()
        resolve(data.toString().split('\n').length - 1)
      }),
    )
    sent.end(users.join('\n'))
  })
  const again = await importTo(app, users)
  const kept = again.lines.filter(({ code }) => code === 'email_taken').length

  assert.ok(reported > 0 && kept >= reported && kept < 4_000, `${reported} reported, ${kept} kept`)
  assert.equal(kept % BATCH, 0)
  assert.equal(again.lines.filter(({ status }) => status === 'created').length, 4_000 - kept)
  assert.equal((await app.platform.get(`/admin/users?search=${tag}&pageSize=1`)).body.total, 4_000)
})

/** The log of a running server: one line per entry, without secrets. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createDatabase, freePort } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import {
  adminClient,
  authorizeAt,
  basicAuth,
  codeFields,
  PASSWORD,
  serviceToken,
  tokenRequest,
} from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

const CLIENT = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }
const OTHER_PASSWORD = 'staple battery horse correct'
/** A forged log line and terminal colors, if not escaped. */
const INJECTION = '\r\n{"level":60,"msg":"forged"}\r\n\u001b[31mred\u001b[0m\u0007\u0085\u2028'

/** A server with all logs on, whose mail server does not exist. */
async function startWithAllLogs(t: TestContext) {
  const { DATABASE_URL } = process.env
  const database = DATABASE_URL ? await createDatabase(DATABASE_URL) : undefined
  const server = await startServer({
    env: {
      LOG_LEVEL: 'debug',
      METRICS_ENABLED: 'true',
      METRICS_TOKEN: 'the-token-of-the-metrics',
      ADMIN_CLIENT_ID: CLIENT.id,
      ADMIN_CLIENT_SECRET: CLIENT.secret,
      MAIL_URL: 'smtp://mail-user:mail-password-of-a-test@127.0.0.1:1',
      ...(database && { DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, 32 characters or more' }),
    },
  })
  t.after(async () => {
    await server.close()
    await database?.drop()
  })
  const platform = adminClient(server.url, await serviceToken(server.url, CLIENT.id, CLIENT.secret))
  const system = (
    await platform.post('/admin/systems', {
      name: 'Shop',
      redirectUris: ['https://app.example/cb'],
      allowedScopes: ['openid', 'email', 'profile', 'offline_access'],
      allowClientCredentials: true,
    })
  ).body
  const newMember = async (fields: object = {}) => {
    const user = (
      await platform.post('/admin/users', {
        email: `${crypto.randomUUID()}@example.test`,
        password: PASSWORD,
        ...fields,
      })
    ).body
    await platform.post('/admin/memberships', { userId: user.id, systemId: system.id })
    return user
  }
  return { ...server, platform, system, newMember }
}

type Server = Awaited<ReturnType<typeof startWithAllLogs>>

/** Parses the log, one object per line. Throws on a line that is not JSON. */
function linesOf({ output }: Server): { level: number; msg: string }[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{') || line.includes('"level"') || line.includes('forged'))
    .map((line) => JSON.parse(line))
}

/** Sends raw bytes and returns the response, empty if the connection is closed at once. */
async function sendRaw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), 'localhost')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  socket.on('error', () => {}) // reset while sending: keeps the response so far
  socket.end(bytes, 'latin1')
  await new Promise((closed) => socket.on('close', closed))
  return answer
}

/** All audit entries as text. */
async function auditOf({ platform }: Server): Promise<string> {
  const pages = []
  for (let page = 1, total = 1; (page - 1) * 100 < total; page += 1) {
    const { body } = await platform.get(`/admin/audit?pageSize=100&page=${page}`)
    pages.push(body.data)
    total = body.total
  }
  return JSON.stringify(pages)
}

test('P45: hostile names, addresses, user agents and states forge no log line', async (t) => {
  const server = await startWithAllLogs(t)
  const { url, platform, system, newMember } = server
  const user = await newMember({ name: `Bob${INJECTION}` })

  await authorizeAt(url, system, { email: `bob${INJECTION}@example.test`, password: `wrong${INJECTION}` })
  const { back } = await authorizeAt(url, system, {
    email: user.email,
    parameters: { state: `s${INJECTION}` },
  })
  await authorizeAt(url, system, {
    email: user.email,
    parameters: { redirect_uri: `https://evil.example/${INJECTION}` },
  })
  await platform.post('/admin/users', { email: `eve${INJECTION}@example.test` })
  await platform.patch(`/admin/users/${user.id}`, { name: `Eve${INJECTION}` })
  await platform.post(`/admin/users/${user.id}/set-password`, { password: PASSWORD })
  await platform.get(`/admin/${encodeURIComponent(INJECTION)}`)
  const raw = await Promise.all([
    sendRaw(
      url,
      `GET /health HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a\u001b[31m\u0007b\r\nConnection: close\r\n\r\n`,
    ),
    sendRaw(url, `GET /health HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    sendRaw(url, `GET /health\u001b[31m HTTP/1.1\r\nHost: localhost\r\n{"level":60,"msg":"forged"}\r\n\r\n`),
  ])

  assert.equal(back.state, `s${INJECTION}`)
  for (const answer of raw) assert.match(answer, /^(HTTP\/1\.1 4\d\d |$)/)
  const { stdout, stderr } = await server.kill('SIGTERM')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/)
  const lines = linesOf(server)
  assert.ok(lines.length > 0)
  for (const line of lines) assert.ok(line.level < 50 && line.msg !== 'forged', JSON.stringify(line))
})

test('P45: sign-ins, refreshes and admin requests leave no secret in log, audit and metrics', async (t) => {
  const server = await startWithAllLogs(t)
  const { url, platform, system, newMember } = server
  const user = await newMember()

  const authorized = await authorizeAt(url, system, { email: user.email })
  const cookies = [...authorized.visitor.jar.values()].map(({ value }) => value)
  const first = (await tokenRequest(url, system, codeFields(system, authorized))).body
  const second = (
    await tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: first.refresh_token })
  ).body
  await tokenRequest(url, system, codeFields(system, authorized)) // a replay: the session ends
  await tokenRequest(url, system, { grant_type: 'refresh_token', refresh_token: second.refresh_token })
  await authorizeAt(url, system, { email: user.email, password: OTHER_PASSWORD })
  await adminClient(url, first.access_token).get('/admin/users')
  await platform.post(`/admin/users/${user.id}/set-password`, { password: OTHER_PASSWORD })
  const rotated = (await platform.post(`/admin/systems/${system.id}/rotate-secret`)).body
  await platform.post('/admin/systems', `{"name":"${CLIENT.secret}`) // a body that is cut
  const authorization = basicAuth(system)
  await sendRaw(url, `GET /me\u001b HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  const metrics = String((await adminClient(url, 'the-token-of-the-metrics').get('/metrics')).body)
  const audited = await auditOf(server)

  const secrets = {
    password: PASSWORD,
    otherPassword: OTHER_PASSWORD,
    adminSecret: CLIENT.secret,
    clientSecret: system.clientSecret,
    newClientSecret: rotated.clientSecret,
    mailPassword: 'mail-password-of-a-test',
    code: authorized.back.code,
    verifier: authorized.pkce.verifier,
    accessToken: first.access_token,
    secondAccessToken: second.access_token,
    idToken: first.id_token,
    refreshToken: first.refresh_token,
    secondRefreshToken: second.refresh_token,
    serviceToken: platform.token,
    basic: authorization.slice('Basic '.length),
    ...Object.fromEntries(cookies.map((value, at) => [`cookie${at}`, value])),
  }
  const { stdout, stderr } = await server.kill('SIGTERM')
  const outputs = { log: stdout + stderr, audit: audited, metrics }
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(typeof secret === 'string' && secret.length > 8, `${name} is no secret: ${secret}`)
    for (const [output, text] of Object.entries(outputs))
      assert.ok(!text.includes(secret), `${name} is in the ${output}`)
  }
  for (const text of Object.values(outputs))
    assert.doesNotMatch(text, /eyJ[\w-]{10,}\.|\$argon2|\bBearer [\w-]{10}|\bBasic [\w-]{10}/)
  assert.ok(audited.includes('user.login') && metrics.includes('# TYPE') && linesOf(server).length > 0)
})

test('a refused protocol request is logged once with its request id and the reason', async (t) => {
  const server = await startWithAllLogs(t)
  const { url, system } = server
  const { redirectUris, clientId, clientSecret } = system
  const auth = (parameters: Record<string, string>) => `/auth?${new URLSearchParams(parameters)}`
  const form = (fields: Record<string, string>, authorization?: string): RequestInit => ({
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: authorization === undefined ? {} : { authorization },
  })
  const grant = { grant_type: 'authorization_code', code: 'x'.repeat(43), redirect_uri: redirectUris[0] }
  const service = { grant_type: 'client_credentials' }
  const as = basicAuth(system)
  const uri = 'https://app.example/callback'
  const refused: [string, string, RequestInit, RegExp][] = [
    ['an unregistered redirect URI', auth({ client_id: clientId, redirect_uri: uri }), {}, /callback.*\/cb"/],
    ['an unknown client', auth({ client_id: 'nobody' }), {}, /"clientId":"nobody".*client not found/],
    [
      'an unknown client at /token',
      '/token',
      form(service, basicAuth({ ...system, clientId: 'nobody' })),
      /client not found/,
    ],
    ['a wrong secret', '/token', form(service, basicAuth({ ...system, clientSecret: 'wrong' })), /secret/],
    ['no client', '/token', form(service), /no client authentication/],
    ['too long parameters', '/auth', form({ state: 'x'.repeat(9_000) }), /8000 characters/],
    ['an unknown code', '/token', form(grant, as), /authorization code not found/],
    [
      'an unknown refresh token',
      '/token',
      form({ grant_type: 'refresh_token', refresh_token: 'y' }, as),
      /refresh token not found/,
    ],
    [
      'a foreign logout URI',
      `/session/end?${new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: uri })}`,
      {},
      /callback/,
    ],
  ]

  for (const [about, path, request, reason] of refused) {
    const before = server.output().length
    const answer = await fetch(url + path, {
      headers: { accept: 'text/html' },
      ...request,
    })
    const page = await answer.text()
    const refusals = () => {
      const lines = server.output().slice(before).split('\n').slice(0, -1)
      return lines.filter((each) => each.includes('request refused'))
    }
    await t.waitFor(() => assert.ok(refusals().length > 0), SOON)
    const [line = '', ...more] = refusals()
    const { level, reqId } = JSON.parse(line)

    assert.ok(answer.status >= 400, about)
    assert.deepEqual([level, more], [30, []], about)
    assert.match(line, reason, about)
    assert.doesNotMatch(line, new RegExp(`${clientSecret}|"wrong"|xxxx`), about)
    if (request.method === undefined) assert.ok(page.includes(reqId), about)
  }
})

/** A line of the log: time, level, message, fields. */
const READABLE =
  /^\d\d:\d\d:\d\d\.\d{3} INFO {2}request refused reqId=\S+ kind=protocol reason=invalid_client /m
/** What a terminal acts on, beside the end of a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

test('P45: readable lines have the fields of the log, and no character that a terminal acts on', async (t) => {
  const server = await startServer({ env: { LOG_LEVEL: 'debug', LOG_FORMAT: 'text' } })
  t.after(() => server.close())
  const before = server.output().length
  const client = encodeURIComponent(`app${INJECTION}`)

  await fetch(`${server.url}/auth?client_id=${client}&redirect_uri=https://evil.example/${client}`)
  await t.waitFor(() => assert.match(server.output(), READABLE), SOON)

  const lines = server.output().slice(before).split('\n')
  assert.deepEqual(
    lines.filter((line) => CONTROLS.test(line) || line.startsWith('{') || line.startsWith('forged')),
    [],
  )
})

test('at a terminal the log is readable by default, and JSON elsewhere', async (t) => {
  if (spawnSync('script', ['--version']).error) return t.skip('script (util-linux) is not installed')
  const main = join(import.meta.dirname, '../../src/main.ts')
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-terminal-'))
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: folder, NO_COLOR: '1' }
  const child = spawn('script', ['-qec', `'${process.execPath}' '${main}'`, '/dev/null'], { env })
  t.after(async () => {
    child.kill()
    await once(child, 'close')
    rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await t.waitFor(() => assert.match(output, /is ready at/), SOON)

  await fetch(`http://localhost:${port}/auth?client_id=unknown`)

  await t.waitFor(() => assert.match(output, READABLE), SOON)
  assert.doesNotMatch(output, /\{"level"/)
})

/** Secrets whose characters would change where they are used. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { ensurePlatform } from '../platform.ts'
import { readConfig } from './config.ts'

const PRINTABLE = Array.from({ length: 94 }, (_, nth) => String.fromCharCode(0x21 + nth))
const SECRET_KEY = 'a key for tests, 32 characters or more'

/** The message with which the setting stops the start; undefined if it is accepted. */
function faultOf(settings: Record<string, string>): string | undefined {
  try {
    readConfig({ SECRET_KEY, ...settings })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
const accepted = (name: string, value: (character: string) => string) =>
  PRINTABLE.filter((each) => faultOf({ [name]: value(each) }) === undefined)

test('ids and secrets of clients have only characters that curl -u, a form and a URL leave as they are', async (t) => {
  const [ids, secrets] = ['ADMIN_CLIENT_ID', 'ADMIN_CLIENT_SECRET'].map((name) =>
    accepted(name, (each) => `a-secret-with-${each}-in-it`),
  ) as [string[], string[]]
  const client = { id: `a${ids.join('')}`, secret: `a${secrets.join('')}` }
  const { url, db, seal } = await startTestApp(t)
  const config = readConfig({ ADMIN_CLIENT_ID: client.id, ADMIN_CLIENT_SECRET: client.secret })
  await ensurePlatform(db, seal, config)
  const tokenBy = async (headers: Record<string, string>, more: Record<string, string> = {}) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...more })
    return (await fetch(`${url}/token`, { method: 'POST', headers, body })).status
  }
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })

  const answers = [
    await tokenBy(basic(client.id, client.secret)),
    await tokenBy(basic(encoded(client.id), encoded(client.secret))),
    await tokenBy(basic(encodeURIComponent(client.id), encodeURIComponent(client.secret))),
    await tokenBy({}, { client_id: client.id, client_secret: client.secret }),
  ]

  assert.equal(ids.join(''), secrets.join(''))
  assert.match(secrets.join(''), /^[\w.~-]{66}$/)
  assert.deepEqual(answers, [200, 200, 200, 200])
})

test('what openssl rand -base64 generates is refused as ADMIN_CLIENT_SECRET with the reason and a remedy', () => {
  for (const secret of [
    'a+secret-of-the-client',
    'a%secret-of-the-client',
    'a/secret-of-the-client',
    'YWJjZGVmZ2hpamtsbW5vcA==',
  ]) {
    const fault = faultOf({ ADMIN_CLIENT_SECRET: secret })
    assert.match(fault ?? '', /^ADMIN_CLIENT_SECRET must be .*curl -u.*openssl rand -hex 32/)
    assert.ok(!fault?.includes(secret))
  }
  assert.equal(faultOf({ ADMIN_CLIENT_SECRET: randomBytes(32).toString('hex') }), undefined)
})

test('a METRICS_TOKEN is a bearer token, and an ADMIN_PASSWORD can be typed', () => {
  const inTokens = accepted('METRICS_TOKEN', (each) => `a-token-${each}-of-metrics`)
  const faults = ['ADMIN_PASSWORD', 'METRICS_TOKEN'].map((name) =>
    faultOf({ [name]: 'two lines\nof a text' }),
  )

  assert.match(inTokens.join(''), /^[\w.~+/-]{68}$/)
  assert.equal(faultOf({ METRICS_TOKEN: 'YWJjZGVmZ2hpamtsbW5vcA==' }), undefined)
  assert.equal(accepted('ADMIN_PASSWORD', (each) => `a password with ${each}`).length, 94)
  for (const fault of faults) assert.ok(fault)
})

test('a password that would end too early in a URL stops the start, and its encoded form arrives as it is', () => {
  for (const [name, urlOf] of [
    ['DATABASE_URL', (secret: string) => `postgres://me:${secret}@db.example.com/name`],
    ['MAIL_URL', (secret: string) => `smtps://me:${secret}@mail.example.com`],
  ] as const) {
    const broken = ['12/ab', '12?ab', '12#ab', '/12', '?12', '#12', '50%off', '%', '100%', 'a%FFb']
    for (const secret of broken) {
      const fault = faultOf({ [name]: urlOf(secret) })
      assert.match(fault ?? '', new RegExp(`^${name} must be .*percent-encoded`), secret)
      assert.ok(!fault?.includes(urlOf(secret)))
    }
    const every = PRINTABLE.join('')
    const url = urlOf(encodeURIComponent(every))
    assert.equal(faultOf({ [name]: url }), undefined)
    assert.equal(decodeURIComponent(new URL(url).password), every)
  }
  assert.match(faultOf({ DATABASE_URL: 'postgres://me:a@b@db.example.com/name' }) ?? '', /percent-encoded/)
  assert.equal(faultOf({ MAIL_URL: 'smtps://me@example.com:secret@mail.example.com' }), undefined)
})

test('values of OTEL_EXPORTER_OTLP_HEADERS that cannot be decoded are refused with the form', () => {
  for (const value of ['key=%', 'key=%FF', 'key=%2'])
    assert.match(
      faultOf({ OTEL_EXPORTER_OTLP_HEADERS: value }) ?? '',
      /^OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs/,
    )
})

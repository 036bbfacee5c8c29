/** The email that tests the mail server: to whom, how often, and what is said when it is not accepted. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { newAccountAdmin, newOperator } from '../../../test/support/console.ts'
import type { AdminClient } from '../../../test/support/http.ts'
import { freePort } from '../../../test/support/postgres.ts'
import { read, startSmtpServer } from '../../../test/support/smtp-server.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { startEmailWorker } from '../../jobs/email/deliver.ts'
import { faultKindOf } from '../../jobs/email/faults.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const newAddress = () => `operator-${randomBytes(6).toString('hex')}@example.test`

/** Sends the queued emails to this server until the test ends. */
function startMailer(t: TestContext, { db, seal, url }: App, MAIL_URL: string) {
  const config = { MAIL_URL, MAIL_FROM: 'no-reply@example.test', BASE_URL: url, DATA_DIR: '/nonexistent' }
  const mailer = startEmailWorker({ db, seal, config, log: pino({ level: 'silent' }) })
  t.after(() => mailer.stop())
  return mailer
}

/** Sends a test email, and returns it when the mail server has answered. */
async function tested(t: TestContext, client: AdminClient, email: string) {
  const sent = await client.post('/admin/mail/test', { email })
  assert.equal(sent.status, 202)
  return t.waitFor(async () => {
    const { body } = await client.get(`/admin/mail/${sent.body.id}`)
    assert.ok(body.status !== 'pending' || body.problem !== null)
    return body
  }, SOON)
}

test('a test email is sent to the user who calls, in the language of the user, with a fixed text', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  startMailer(t, app, `smtp://${office.address}`)
  const { user, client } = await newOperator(app)
  await app.platform.patch(`/admin/users/${user.id}`, { locale: 'de' })

  const { status, body } = await client.post('/admin/mail/test')

  assert.deepEqual([status, body.kind, body.status, body.problem], [202, 'test', 'pending', null])
  assert.ok(!JSON.stringify(body).includes(user.email), 'the recipient is masked')
  await t.waitFor(() => assert.equal(office.deliveriesTo(user.email).length, 1), SOON)
  const { text } = read(office.deliveriesTo(user.email)[0]!)
  assert.match(text, /Der Mailserver funktioniert/)
  const stored = (await app.platform.get(`/admin/mail/${body.id}`)).body
  assert.deepEqual([stored.status, stored.lastError, stored.problem], ['sent', null, null])
  const [entry] = await app.audited({ targetId: body.id })
  assert.deepEqual([entry!.action, entry!.actorId], ['mail.tested', user.id])
})

test('the answer has the kind of the error of the mail server, and no password', async (t) => {
  const app = await startTestApp(t)
  const { client } = await newOperator(app)
  const answering =
    (code: number, text: string) => (_: unknown, __: unknown, done: (error?: Error) => void) =>
      done(Object.assign(new Error(text), { responseCode: code }))
  const refusing = await startSmtpServer(t, { onRcptTo: answering(550, '5.1.1 no such mailbox') })
  const strict = await startSmtpServer(t, { onMailFrom: answering(553, '5.1.8 sender not allowed') })
  const urls = {
    recipient: `smtp://${refusing.address}`,
    sender: `smtp://${strict.address}`,
    unreachable: `smtp://127.0.0.1:${await freePort()}`,
    host_unknown: 'smtp://mail.invalid:25',
    encryption: `smtp://user:a-secret-password@${refusing.address}`,
  }

  for (const [problem, url] of Object.entries(urls)) {
    const mailer = startMailer(t, app, url)
    const email = await tested(t, client, newAddress())
    await mailer.stop()
    assert.equal(email.problem, problem, email.lastError)
    assert.ok(!JSON.stringify(email).includes('a-secret-password'))
  }
})

test('every error that is stored for an email has a kind', () => {
  const faults = {
    'EAUTH 535 5.7.8 at AUTH PLAIN': 'authentication',
    'EAUTH: Missing credentials for "PLAIN"': 'authentication',
    'ETIMEDOUT: Connection timeout': 'timeout',
    'ESOCKET: self-signed certificate': 'encryption',
    'ESOCKET: connect ECONNREFUSED 127.0.0.1:25': 'unreachable',
    'EENVELOPE 451 4.7.1 at RCPT TO': 'recipient',
    'EMESSAGE 554 5.7.1 at DATA': 'rejected',
    'expired before it could be sent': 'expired',
    'the email has no content': 'other',
  }
  const kinds = Object.keys(faults).map((fault) => [fault, faultKindOf(fault)])
  assert.deepEqual(Object.fromEntries(kinds), faults)
})

test('test emails are limited: three to an address, ten of a caller', async (t) => {
  const app = await startTestApp(t)
  const { client } = await newOperator(app)
  const address = newAddress()
  const send = async (email: string) => {
    const { status, body, headers } = await client.post('/admin/mail/test', { email })
    return status === 202 ? 'sent' : `${body.code} ${Number(headers.get('retry-after')) > 0}`
  }

  const answers: string[] = []
  for (let sent = 0; sent < 4; sent += 1) answers.push(await send(address))
  for (let sent = 0; sent < 8; sent += 1) answers.push(await send(newAddress()))

  assert.deepEqual(
    answers.map((answer, at) => (answer === 'sent' ? 'sent' : `${at} ${answer}`)),
    [
      ...Array(3).fill('sent'),
      '3 too_many_requests true',
      ...Array(7).fill('sent'),
      '11 too_many_requests true',
    ],
  )
})

test('only the platform sends a test email: no other system, no account admin and no viewer', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true })
  const email = newAddress()
  const admin = await newAccountAdmin(app, system)
  const ofSystem = await newOperator(app, { systemId: system.id })
  const viewer = await newOperator(app, { level: 'viewer' })

  for (const client of [await app.serviceOf(system as never), admin.client, ofSystem.client]) {
    const { status, body } = await client.post('/admin/mail/test', { email })
    assert.deepEqual([status, body.code], [403, 'insufficient_authority'])
  }
  const refused = await viewer.client.post('/admin/mail/test', { email })
  const unnamed = await app.platform.post('/admin/mail/test')

  assert.deepEqual([refused.status, refused.body.code], [403, 'read_only'])
  assert.deepEqual([unnamed.status, unnamed.body.errors[0].path], [400, '/email'])
  assert.equal((await app.emailsTo(email)).length, 0)
  assert.equal((await app.platform.get(`/admin/mail/${crypto.randomUUID()}`)).body.code, 'email_not_found')
})

/** Email, from the row written by a transaction to a real SMTP server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { freePort } from '../../../test/support/postgres.ts'
import { read, startSmtpServer } from '../../../test/support/smtp-server.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { eq } from '../../database/drizzle.ts'
import { mail } from '../../database/schema.ts'
import { startEmailWorker } from './deliver.ts'
import { type EmailMessage, enqueueEmail, OF_NO_SYSTEM } from './enqueue.ts'
import { claimEmails } from './queries.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

const LINK = 'https://id.example.test/reset#a-token-nobody-else-may-see'
const newAddress = () => `reader-${randomBytes(6).toString('hex')}@example.test`

const draftOf = (...blocks: EmailMessage['draft']['blocks']): EmailMessage['draft'] => ({
  systemId: undefined,
  isOurs: false,
  locale: 'en',
  title: 'A subject of its own',
  blocks,
  brand: undefined,
  values: {},
})

const emailTo = (recipient: string, more: Partial<EmailMessage> = {}): EmailMessage => ({
  kind: 'test',
  recipient,
  draft: draftOf({ href: LINK, label: 'Follow the link' }),
  expiresIn: 600,
  ...more,
})

/** A mailer as main.ts starts it, and its log lines. */
function startTestMailer(
  t: TestContext,
  { db, seal, url }: App,
  settings: { MAIL_URL: string | undefined; DATA_DIR?: string },
) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const config = {
    MAIL_FROM: 'Example <no-reply@example.test>',
    BASE_URL: url,
    DATA_DIR: '/nonexistent',
    ...settings,
  }
  const mailer = startEmailWorker({ db, seal, config, log })
  t.after(() => mailer.stop())
  return { mailer, logged: () => lines.join('') }
}

const rowOf = async ({ db }: App, recipient: string) =>
  (await db.select().from(mail).where(eq(mail.recipient, recipient)))[0]

test('a password set by an administrator sends the user one email, as text and HTML', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const system = await app.newSystem({ name: 'Ledger & Co', allowClientCredentials: true })
  const user = await app.newUser({ email: newAddress() })
  await app.newMembership({ userId: user.id, systemId: system.id })

  const service = await app.serviceOf(system)
  const answer = await service.post(`/admin/users/${user.id}/set-password`, {
    password: 'set by the service',
    mustChangePassword: true,
  })
  assert.equal(answer.status, 200)
  await t.waitFor(async () => assert.equal((await rowOf(app, user.email))?.status, 'sent'), SOON)

  const [delivery, ...others] = office.deliveriesTo(user.email)
  assert.equal(others.length, 0)
  assert.deepEqual([delivery?.from, delivery?.to], ['no-reply@example.test', [user.email]])
  const { header, text, html } = read(delivery!)
  assert.deepEqual(header('from'), ['"Ledger & Co" <no-reply@example.test>'])
  assert.deepEqual(header('to'), [user.email])
  assert.deepEqual(header('subject'), ['Your password for Ledger & Co was changed'])
  assert.deepEqual(header('auto-submitted'), ['auto-generated'])
  for (const said of [user.email, 'signed out on all devices']) {
    assert.ok(text.includes(said), `the text says: ${said}`)
    assert.ok(html.includes(said), `the HTML says: ${said}`)
  }
  assert.ok(html.includes('Ledger &#38; Co'))
  assert.equal((await rowOf(app, user.email))?.sealedMessage, null, 'what was sent is not kept')
})

test('an email is written in the language of its recipient', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const subjects = { 'pt-BR': 'senha', es: 'contraseña', de: 'Passwort', nl: 'password' }

  for (const [locale, word] of Object.entries(subjects)) {
    const user = await app.newUser({ email: newAddress(), locale })
    await app.platform.post(`/admin/users/${user.id}/set-password`, { password: 'set by the platform' })
    await t.waitFor(() => assert.equal(office.deliveriesTo(user.email).length, 1), SOON)
    const { text } = read(office.deliveriesTo(user.email)[0]!)
    assert.ok(text.includes(word), `${locale}: ${text}`)
  }
})

test('while the mail server is down requests are answered, and the email is sent later', async (t) => {
  const app = await startTestApp(t)
  const port = await freePort()
  startTestMailer(t, app, { MAIL_URL: `smtp://127.0.0.1:${port}` })
  const user = await app.newUser({ email: newAddress() })

  const answer = await app.platform.post(`/admin/users/${user.id}/set-password`, {
    password: 'set by the platform',
  })
  assert.equal(answer.status, 200)
  await t.waitFor(
    async () => assert.match((await rowOf(app, user.email))?.lastError ?? '', /ECONNREFUSED/),
    SOON,
  )
  assert.equal((await rowOf(app, user.email))?.status, 'pending')
  const office = await startSmtpServer(t, { port })

  await t.waitFor(async () => assert.equal((await rowOf(app, user.email))?.status, 'sent'), SOON)
  assert.equal(office.deliveriesTo(user.email).length, 1)
})

test('an expired email is not sent, and its content is deleted', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  const [expired, fresh] = [newAddress(), newAddress()]
  await enqueueEmail(app.db, app.seal, emailTo(expired, { expiresIn: 0 }), OF_NO_SYSTEM)
  await enqueueEmail(app.db, app.seal, emailTo(fresh), OF_NO_SYSTEM)

  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  await t.waitFor(() => assert.equal(office.deliveriesTo(fresh).length, 1), SOON)
  await t.waitFor(async () => assert.equal((await rowOf(app, expired))?.status, 'failed'), SOON)

  assert.equal(office.deliveriesTo(expired).length, 0)
  assert.equal((await rowOf(app, expired))?.sealedMessage, null)
})

test('two mailers send fifty emails once each', async (t) => {
  const app = await startTestApp(t)
  const recipients = Array.from({ length: 50 }, newAddress)
  const slowly = {
    onRcptTo: (_address: unknown, _session: unknown, done: () => void) => void setTimeout(done, 20),
  }
  const office = await startSmtpServer(t, slowly)
  const mailers = [0, 1].map(() => startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` }))

  await app.db.transaction(async (tx) => {
    for (const recipient of recipients) await enqueueEmail(tx, app.seal, emailTo(recipient), OF_NO_SYSTEM)
  })
  await t.waitFor(
    () => assert.ok(recipients.every((recipient) => office.deliveriesTo(recipient).length > 0)),
    SOON,
  )
  for (const { mailer } of mailers) await mailer.stop()

  assert.deepEqual(
    recipients.filter((recipient) => office.deliveriesTo(recipient).length !== 1),
    [],
  )
  for (const { logged } of mailers) assert.match(logged(), /"email sent"/, 'both had a part in it')
})

test('an email whose process died is sent by another after its lease expires', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  const recipient = newAddress()
  await enqueueEmail(app.db, app.seal, emailTo(recipient), OF_NO_SYSTEM)
  // then the process dies
  while ((await rowOf(app, recipient))?.leasedUntil === null) await claimEmails(app.db, false, 10)

  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const other = newAddress()
  await enqueueEmail(app.db, app.seal, emailTo(other), OF_NO_SYSTEM)
  await t.waitFor(() => assert.equal(office.deliveriesTo(other).length, 1), SOON)
  assert.equal(office.deliveriesTo(recipient).length, 0)
  await app.db
    .update(mail)
    .set({ leasedUntil: new Date(0) })
    .where(eq(mail.recipient, recipient))

  await t.waitFor(() => assert.equal(office.deliveriesTo(recipient).length, 1), SOON)
})

test('stopping a mailer lets the current email finish and starts no other', async (t) => {
  const app = await startTestApp(t)
  const started = Promise.withResolvers<void>()
  const office = await startSmtpServer(t, {
    onMailFrom(_address, _session, done) {
      started.resolve()
      setTimeout(done, 300)
    },
  })
  const { mailer } = startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const [inHand, later] = [newAddress(), newAddress()]
  await enqueueEmail(app.db, app.seal, emailTo(inHand), OF_NO_SYSTEM)
  await started.promise

  await mailer.stop()
  await enqueueEmail(app.db, app.seal, emailTo(later), OF_NO_SYSTEM)

  assert.equal(office.deliveriesTo(inHand).length, 1)
  assert.equal((await rowOf(app, inHand))?.status, 'sent')
  assert.equal((await rowOf(app, later))?.attempts, 0)
})

test('a failed transaction and a refused request send no email', async (t) => {
  const app = await startTestApp(t)
  const recipient = newAddress()
  const system = await app.newSystem({ allowClientCredentials: true })
  const user = await app.newUser({ email: newAddress() })

  const failing = app.db.transaction(async (tx) => {
    await enqueueEmail(tx, app.seal, emailTo(recipient), OF_NO_SYSTEM)
    throw new Error('after the email')
  })
  await assert.rejects(failing, /after the email/)
  const service = await app.serviceOf(system)
  const answer = await service.post(`/admin/users/${user.id}/set-password`, {
    password: 'set by the service',
  })

  assert.equal(answer.body.code, 'user_not_found')
  assert.equal(await rowOf(app, recipient), undefined)
  assert.equal(await rowOf(app, user.email), undefined)
})

test('an address that the mail server rejects is not retried, and the reason is stored', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t, {
    onRcptTo(_address, _session, done) {
      done(Object.assign(new Error('5.1.1 no such mailbox'), { responseCode: 550 }))
    },
  })
  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const recipient = newAddress()

  await enqueueEmail(app.db, app.seal, emailTo(recipient), OF_NO_SYSTEM)
  await t.waitFor(async () => assert.equal((await rowOf(app, recipient))?.status, 'failed'), SOON)

  const row = await rowOf(app, recipient)
  assert.deepEqual(
    [row?.attempts, row?.lastError, row?.sealedMessage],
    [1, 'EENVELOPE 550 5.1.1 at RCPT TO', null],
  )
})

test("neither the table nor the log contains an email's content", async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t, {
    onData(stream, _session, done) {
      stream.resume()
      stream.on('end', () => done(Object.assign(new Error(`blocked: ${LINK}`), { responseCode: 554 })))
    },
  })
  const { logged } = startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const recipient = newAddress()

  await enqueueEmail(app.db, app.seal, emailTo(recipient), OF_NO_SYSTEM)
  await t.waitFor(async () => assert.match((await rowOf(app, recipient))?.lastError ?? '', /554/), SOON)

  const row = (await rowOf(app, recipient))!
  const stored = JSON.stringify({ ...row, sealedMessage: row.sealedMessage?.toString('latin1') })
  assert.ok(row.sealedMessage, 'it is still to be sent')
  for (const secret of ['a-token-nobody', 'id.example.test', 'A subject of its own', 'Follow']) {
    assert.ok(!stored.includes(secret), `the table shows ${secret}`)
    assert.ok(!logged().includes(secret), `the log shows ${secret}`)
  }
})

// Text from users must not become a header, a recipient or a link (CVE-2025-7962, CVE-2024-41953).
test('a hostile address is rejected; a hostile name adds no header, recipient or markup', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  startTestMailer(t, app, { MAIL_URL: `smtp://${office.address}` })
  const name = 'X\r\nBcc: evil@x.example\r\n\r\n<a href=//evil.example>click</a> <script>'
  const system = await app.newSystem({ name, allowClientCredentials: true })
  const user = await app.newUser({ email: newAddress(), givenName: name })
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: name })

  const hostile = [
    '"a\r\nBcc: x@e.example"@x.test',
    'a@x.test,b@x.test',
    'a@x.test>\r\nRCPT TO:<b@x.test',
    'A <a@x.test>',
    'a b@x.test',
  ]
  for (const email of hostile) {
    assert.equal((await app.platform.post('/admin/users', { email })).status, 400, email)
    await assert.rejects(
      enqueueEmail(app.db, app.seal, emailTo(email), OF_NO_SYSTEM),
      /exactly one recipient/,
    )
  }
  const service = await app.serviceOf(system)
  assert.equal(
    (await service.post(`/admin/users/${user.id}/set-password`, { password: 'set by the service' })).status,
    200,
  )
  await t.waitFor(() => assert.equal(office.deliveriesTo(user.email).length, 1), SOON)

  const delivery = office.deliveriesTo(user.email)[0]!
  const { headers, header, html } = read(delivery)
  assert.deepEqual(delivery.to, [user.email])
  assert.deepEqual([...header('bcc'), ...header('cc')], [])
  assert.deepEqual(header('to'), [user.email])
  assert.ok(
    headers.every((line) => /^[A-Za-z-]+: /.test(line)),
    headers.join('\n'),
  )
  assert.ok(html.includes('&#60;a href=//evil\u2060.\u2060example&#62;'), html)
  assert.ok(!/<a\b|<script/.test(html), html)
  assert.equal(office.deliveries.flatMap(({ to }) => to).includes('evil@x.example'), false)
})

test('an untrusted certificate and a plain-text password are never accepted', async (t) => {
  const app = await startTestApp(t)
  const logins: string[] = []
  const selfSigned = await startSmtpServer(t, { secure: true, disabledCommands: [] })
  const plain = await startSmtpServer(t, {
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      logins.push(auth.username ?? '')
      done(null, { user: auth.username })
    },
  })

  for (const [MAIL_URL, fault] of [
    [`smtps://${selfSigned.address}`, /certificate/],
    [`smtp://someone:secret@${plain.address}`, /STARTTLS|TLS/],
  ] as const) {
    const { mailer } = startTestMailer(t, app, { MAIL_URL })
    const recipient = newAddress()
    await enqueueEmail(app.db, app.seal, emailTo(recipient), OF_NO_SYSTEM)
    await t.waitFor(async () => assert.match((await rowOf(app, recipient))?.lastError ?? '', fault), SOON)
    await mailer.stop()
  }

  assert.deepEqual([...selfSigned.deliveries, ...plain.deliveries, ...logins], [])
})

test('without MAIL_URL an email is a 0600 file in the outbox with readable links, and the log has the link', async (t) => {
  const app = await startTestApp(t)
  const folder = await mkdtemp(join(tmpdir(), 'tenantry-outbox-'))
  const { mailer, logged } = startTestMailer(t, app, { MAIL_URL: undefined, DATA_DIR: folder })
  t.after(async () => {
    await mailer.stop()
    await rm(folder, { recursive: true })
  })
  const recipient = newAddress()

  await enqueueEmail(
    app.db,
    app.seal,
    emailTo(recipient, { draft: draftOf({ text: `Öffnen: ${LINK}` }) }),
    OF_NO_SYSTEM,
  )
  await t.waitFor(async () => assert.equal((await rowOf(app, recipient))?.status, 'sent'), SOON)

  const { id } = (await rowOf(app, recipient))!
  const files = await readdir(join(folder, 'outbox'))
  const file = join(
    folder,
    'outbox',
    files.find((name) => name.endsWith(`-${id}.eml`)) ?? 'no file of this email',
  )
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const content = await readFile(file, 'utf8')
  assert.match(content, new RegExp(`^To: ${recipient}\r$`, 'm'))
  assert.match(content, /^Subject: A subject of its own\r$/m)
  const links = [...content.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link)
  assert.deepEqual(new Set(links), new Set([LINK]))
  assert.ok(logged().includes(`"link":"${LINK}"`))
})

/** Texts of an application in its emails: who sets them, what they may be, and what is sent. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { newOperator } from '../../../test/support/console.ts'
import { pathsOf } from '../../../test/support/http.ts'
import { read, startSmtpServer } from '../../../test/support/smtp-server.ts'
import { type AdminClient, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { startEmailWorker } from '../../jobs/email/deliver.ts'
import { LANGUAGE_TAGS } from '../../texts/texts.ts'

const OF_SYSTEM = ['access_approved', 'access_requested']
const at = (systemId: string, kind: string, locale = 'en') =>
  `/admin/systems/${systemId}/email-texts/${kind}/${locale}`

type Kind = { kind: string; authority: string; names: string[]; button: boolean; locales: string[] }

async function prepare(t: TestContext) {
  const app = await startTestApp(t)
  const system = await app.newSystem({ multiAccount: true, allowClientCredentials: true, name: 'Orders' })
  const service = await app.serviceOf(system)
  const kinds: Kind[] = (await app.platform.get(`/admin/systems/${system.id}/email-texts`)).body
  return { app, system, service, kinds, address: `${randomBytes(6).toString('hex')}@example.test` }
}

/** A text of each field, with all values of the kind. */
const textsOf = ({ kind, names, button }: Kind) => ({
  subject: `Subject of ${kind}`,
  heading: `Heading of ${kind}`,
  paragraphs: [
    `First of ${kind}: ${names.map((name) => `${name}={{${name}}}`).join(' ')}`,
    'Second <b>one</b>',
  ],
  ...(button && { button: `Button of ${kind}` }),
  footer: `Footer of ${kind}`,
})

test('every kind has texts of its own in every language, and they are what is shown', async (t) => {
  const { app, system, kinds } = await prepare(t)

  const wrong = []
  for (const kind of kinds)
    for (const locale of Object.keys(LANGUAGE_TAGS)) {
      const texts = textsOf(kind)
      const put = await app.platform.put(at(system.id, kind.kind, locale), texts)
      const { body } = await app.platform.get(at(system.id, kind.kind, locale))
      const { subject, heading, blocks, text } = body.preview
      const buttons = blocks.filter((block: object) => 'button' in block)
      const isRight =
        put.status === 200 &&
        subject === texts.subject &&
        heading === texts.heading &&
        blocks[0].text.startsWith(`First of ${kind.kind}: application=Orders email=alice`) &&
        !/\{\{|=( |$)/.test(blocks[0].text) &&
        blocks[1].text === 'Second <b>one</b>' &&
        blocks.at(-1).text === texts.footer &&
        buttons.filter(({ button }: { button: string }) => button === texts.button).length ===
          (kind.button ? 1 : 0) &&
        text.startsWith(`${texts.heading}\n\nFirst of`) &&
        body.standard.subject !== subject
      if (!isRight) wrong.push([kind.kind, locale, put.status, body])
    }

  assert.equal(kinds.length, 18)
  assert.deepEqual(wrong, [])
  const after: Kind[] = (await app.platform.get(`/admin/systems/${system.id}/email-texts`)).body
  assert.ok(after.every(({ locales }) => locales.length === 6))
})

test('P99: the platform alone writes what counts beyond the system or goes to strangers', async (t) => {
  const { app, system, service, kinds } = await prepare(t)
  const role = await app.newRole(system.id, { isAdmin: true })
  const user = await app.newUser()
  await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme', roles: [role.id] })
  const admin = app.as((await app.signIn(system, { email: user.email })).access_token)
  const other = await app.serviceOf(await app.newSystem({ allowClientCredentials: true }))

  const answers: Record<string, unknown[]> = {}
  for (const kind of kinds) {
    const send = async (client: AdminClient) => [
      (await client.put(at(system.id, kind.kind), textsOf(kind))).status,
      (await client.delete(at(system.id, kind.kind))).status,
    ]
    answers[kind.kind] = [await send(service), await send(admin), await send(other)].flat()
  }

  const expected = Object.fromEntries(
    kinds.map(({ kind }) => [
      kind,
      [...(OF_SYSTEM.includes(kind) ? [200, 204] : [403, 403]), 403, 403, 404, 404],
    ]),
  )
  assert.deepEqual(answers, expected)
  assert.deepEqual(
    kinds.filter(({ authority }) => authority === 'system').map(({ kind }) => kind),
    OF_SYSTEM,
  )
})

test('texts that the platform has written are changed and reset by the platform only', async (t) => {
  const { app, system, service } = await prepare(t)
  const path = at(system.id, 'access_approved')
  await service.put(path, { subject: 'Of the system' })
  await app.platform.put(path, { subject: 'Of the platform' })

  const refused = [await service.put(path, { subject: 'Again' }), await service.delete(path)]
  const kept = (await service.get(path)).body
  await app.platform.delete(path)
  const again = await service.put(path, { subject: 'Again' })

  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    [
      [403, 'insufficient_authority'],
      [403, 'insufficient_authority'],
    ],
  )
  assert.deepEqual([kept.subject, kept.setBy], ['Of the platform', 'platform'])
  assert.deepEqual([again.status, again.body.setBy], [200, 'system'])
})

test('P99: a text is one line of plain text with the values of its kind; anything else is 400', async (t) => {
  const { app, system } = await prepare(t)
  const put = (body: object, kind = 'access_approved') => app.platform.put(at(system.id, kind), body)
  const wrong: [object, string, string?][] = [
    [{ subject: 'Hello {{name}}' }, '/subject'],
    [{ subject: 'Hello {{ email }}' }, '/subject'],
    [{ subject: 'Hello {email}' }, '/subject'],
    [{ subject: '{{{email}}}' }, '/subject'],
    [{ subject: '{{email' }, '/subject'],
    [{ subject: '{% if email %}' }, '/subject'],
    [{ subject: '{{constructor}}' }, '/subject'],
    [{ subject: 'Hello {{left}}' }, '/subject'],
    [{ subject: 'Hello\r\nBcc: all@evil.example' }, '/subject'],
    [{ subject: 'Hello \u202Eevil' }, '/subject'],
    [{ subject: '' }, '/subject'],
    [{ subject: '   ' }, '/subject'],
    [{ subject: 'a'.repeat(151) }, '/subject'],
    [{ heading: 'a'.repeat(151) }, '/heading'],
    [{ button: 'a'.repeat(151) }, '/button'],
    [{ button: 'Open' }, '/button', 'mailed_code'],
    [{ footer: 'a'.repeat(1_001) }, '/footer'],
    [{ paragraphs: ['a', 'b {{inviter}}'] }, '/paragraphs/1'],
    [{ paragraphs: ['a\nb'] }, '/paragraphs/0'],
    [{ paragraphs: ['a'.repeat(1_001)] }, '/paragraphs/0'],
    [{ paragraphs: Array.from({ length: 11 }, () => 'a') }, '/paragraphs'],
    [{ paragraphs: [] }, '/paragraphs'],
    [{ paragraphs: 'a' }, '/paragraphs'],
    [{}, ''],
    [{ subject: null }, ''],
    [{ subject: 'Hello', replyTo: 'a@evil.example' }, '/replyTo'],
  ]

  const accepted = []
  for (const [body, path, kind] of wrong) {
    const answer = await put(body, kind)
    const shown = await app.platform.post(`${at(system.id, kind ?? 'access_approved')}/preview`, body)
    if (answer.status !== 400 || pathsOf(answer)[0] !== path) accepted.push([body, answer.body])
    if (path !== '' && shown.status !== 400) accepted.push(['preview', body, shown.body])
  }

  assert.deepEqual(accepted, [])
  assert.equal((await put({ subject: 'a'.repeat(150) })).status, 200)
  assert.deepEqual(
    [
      (await app.platform.get(at(system.id, 'test'))).status,
      (await app.platform.get(at(system.id, 'access_approved', 'nl'))).status,
    ],
    [404, 404],
  )
})

test('a change and a reset are audited once, and one without effect is not', async (t) => {
  const { app, system, service } = await prepare(t)
  const path = at(system.id, 'access_approved', 'de')

  for (const subject of ['Eins', 'Eins', 'Zwei']) await service.put(path, { subject })
  await service.delete(path)
  await service.delete(path)

  const entries = await app.audited({ targetId: system.id })
  const ours = entries.filter(({ action }) => action.startsWith('system.email_text'))
  assert.deepEqual(
    ours.map(({ action, changes }) => [action, changes?.subject, changes?.kind, changes?.locale]),
    [
      ['system.email_text_updated', [null, 'Eins'], ['access_approved', 'access_approved'], ['de', 'de']],
      ['system.email_text_updated', ['Eins', 'Zwei'], ['access_approved', 'access_approved'], ['de', 'de']],
      ['system.email_text_reset', ['Zwei', null], ['access_approved', 'access_approved'], ['de', 'de']],
    ],
  )
})

/** Has a member approved whose language is `locale`, and returns the email. */
async function approve(
  { app, system }: Awaited<ReturnType<typeof prepare>>,
  { locale, accountName = 'Acme' }: { locale: string; accountName?: string },
) {
  const user = await app.newUser({ locale })
  const membership = await app.newMembership({
    userId: user.id,
    systemId: system.id,
    accountName,
    status: 'pending',
  })
  await app.platform.patch(`/admin/memberships/${membership.id}`, { status: 'active' })
  return (await app.emailsTo(user.email)).at(-1)!
}

test('an email has the texts of the language of its reader, escaped, with values that stay values', async (t) => {
  const prepared = await prepare(t)
  const { system, service } = prepared
  await service.put(at(system.id, 'access_approved', 'de'), {
    subject: 'Willkommen bei {{organization}}',
    heading: 'Hallo {{email}}',
    paragraphs: ['<a href="https://evil.example">{{organization}}</a>'],
    footer: '{{application}}',
  })

  const german = await approve(prepared, { locale: 'de-AT', accountName: 'A{{email}}\r\n<i>' })
  const english = await approve(prepared, { locale: 'en' })

  assert.match(german.subject, /^Willkommen bei A\{\{email\}\} <i>$/)
  assert.match(german.html, /<h1[^>]*>Hallo user-/)
  assert.ok(german.html.includes('&#60;a href=&#34;https://evil.example&#34;&#62;A{{email}}'), german.html)
  assert.doesNotMatch(german.html, /href="https:\/\/evil|<i>/)
  assert.match(german.text, /\n\nOrders\n$/)
  assert.equal(english.subject, 'Your access to Orders was approved')
  await service.delete(at(system.id, 'access_approved', 'de'))
  assert.doesNotMatch((await approve(prepared, { locale: 'de' })).subject, /Willkommen/)
})

test('the words of an inviter and the code of an email stay, whatever the texts are', async (t) => {
  const { app, system, address } = await prepare(t)
  await app.platform.put(at(system.id, 'invitation'), {
    paragraphs: ['Come to {{organization}}.'],
    footer: 'Bye',
  })
  await app.platform.put(at(system.id, 'registration'), { paragraphs: ['Welcome.'], subject: 'Your code' })
  const user = await app.newUser()
  const { accountId } = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Acme' })

  await app.platform.post(`/admin/accounts/${accountId}/invitations`, { email: address, message: 'See you!' })

  const [sent] = await app.emailsTo(address)
  const paragraphs = sent!.text.trim().split('\n\n')
  assert.equal(paragraphs[1], 'Come to Acme.')
  assert.equal(paragraphs[3], 'See you!')
  assert.match(paragraphs[4]!, /^Open the invitation\nhttp.*\/invitation\?token=/)
  assert.equal(paragraphs.at(-1), 'Bye')
  assert.equal(paragraphs.length, 6)
})

test('the operators of a system get the texts of the server: they are no members', async (t) => {
  const { app, system, service } = await prepare(t)
  await app.platform.patch(`/admin/systems/${system.id}`, { requireAdminActivation: true })
  await service.put(at(system.id, 'access_requested'), { subject: 'Act now' })
  const role = await app.newRole(system.id, { isAdmin: true })
  const [admin, waiting] = [await app.newUser(), await app.newUser()]
  const { accountId } = await app.newMembership({
    userId: admin.id,
    systemId: system.id,
    accountName: 'Acme',
    roles: [role.id],
    status: 'active',
  })
  const operator = await newOperator(app, { systemId: system.id })

  await app.newMembership({ userId: waiting.id, accountId, status: 'pending' })

  const subjects = async (email: string) =>
    (await app.emailsTo(email))
      .filter(({ kind }) => kind === 'access_requested')
      .map(({ subject }) => subject)
  assert.deepEqual(await subjects(admin.email), ['Act now'])
  assert.deepEqual(await subjects(operator.user.email), ['A member waits for approval in Orders'])
})

test('the address of the sender and for answers is of the platform alone', async (t) => {
  const { app, system, service } = await prepare(t)
  const fields = { emailFrom: 'orders@orders.example', emailReplyTo: 'help@orders.example' }

  const refused = await service.patch(`/admin/systems/${system.id}`, fields)
  const wrong = await app.platform.patch(`/admin/systems/${system.id}`, {
    emailFrom: 'a@b.example\r\nBcc: c',
  })
  const set = await app.platform.patch(`/admin/systems/${system.id}`, fields)
  const same = await service.patch(`/admin/systems/${system.id}`, { ...fields, name: 'Orders' })

  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_authority'])
  assert.deepEqual([wrong.status, pathsOf(wrong)], [400, ['/emailFrom']])
  assert.deepEqual([set.status, set.body.emailFrom, set.body.emailReplyTo], [200, ...Object.values(fields)])
  assert.equal(same.status, 200)
})

test('a test goes to the user who asks, by SMTP, with the texts and addresses of the application', async (t) => {
  const { app, system, service } = await prepare(t)
  const office = await startSmtpServer(t)
  const mailer = startEmailWorker({
    db: app.db,
    seal: app.seal,
    config: {
      MAIL_URL: `smtp://${office.address}`,
      MAIL_FROM: 'Example <no-reply@example.test>',
      BASE_URL: app.url,
      DATA_DIR: '/nonexistent',
    },
    log: pino({ level: 'silent' }),
  })
  t.after(() => mailer.stop())
  await app.platform.patch(`/admin/systems/${system.id}`, {
    emailFrom: 'orders@orders.example',
    emailReplyTo: 'help@orders.example',
  })
  await service.put(at(system.id, 'access_approved'), { subject: 'Hello {{email}}', button: 'Start' })
  const { client, user } = await newOperator(app, { systemId: system.id })

  const tested = await client.post(`${at(system.id, 'access_approved')}/test`)
  const byService = await service.post(`${at(system.id, 'access_approved')}/test`)

  assert.deepEqual([tested.status, tested.body], [202, { email: user.email }])
  assert.deepEqual([byService.status, byService.body.code], [400, 'invalid_request'])
  const entries = await app.audited({ targetId: system.id, action: 'system.email_text_tested' })
  assert.deepEqual(
    entries.map(({ actorId }) => actorId),
    [user.id],
  )
  await t.waitFor(() => assert.equal(office.deliveriesTo(user.email).length, 1), SOON)
  const [delivery] = office.deliveriesTo(user.email)
  const { header, html } = read(delivery!)
  assert.equal(delivery!.from, 'orders@orders.example')
  assert.deepEqual(header('from'), ['Orders <orders@orders.example>'])
  assert.deepEqual(header('reply-to'), ['help@orders.example'])
  assert.deepEqual(header('subject'), [`Hello ${user.email}`])
  assert.match(html, />Start<\/a>/)
})

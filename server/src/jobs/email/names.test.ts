/** The names that emails show: of the application, the installation, an organization and whoever invites. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invited, newAddress, newOrganization } from '../../../test/support/invitations.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { readConfig } from '../../config/config.ts'
import { isMessage, senderName } from '../../texts/names.ts'

const bare = (text: string) => text.replaceAll('\u2060', '')
const MESSAGES = [
  'Your prize: win@evil.example',
  'Log in at evil.example',
  'Log in at evil1.com',
  'Log in at 1evil.com',
  'See evil/now',
  'Full width ｅｖｉｌ．ｅｘａｍｐｌｅ',
  'Ideographic evil。example',
  'Hidden evil\u200b.\u200bexample',
  'Call 0800 123 45',
  'Call ０８００１２３',
  'Two\nlines',
  'Back \u202egnihtyna',
]
const NAMES = [
  'Acme Inc.',
  'St. Mary’s',
  'Müller & Söhne (2024)',
  'Route 66 v2.0',
  'Łódź – Åbo',
  'Team 123456',
]

test('an invitation names no organization or inviter whose name can be a message', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app)
  const rename = (name: string) => app.platform.patch(`/admin/accounts/${org.accountId}`, { name })
  const mailOf = async (name: string) => {
    const { status } = await rename(name)
    if (status !== 200) return undefined // the API refuses the name itself
    const { email } = await invited(app, org, newAddress())
    return (await app.emailsTo(email)).at(-1)!
  }

  let checked = 0
  for (const name of MESSAGES) {
    const mail = await mailOf(name)
    if (!mail) continue
    checked += 1
    assert.match(mail.subject, /invites you to an organization in /, name)
    const shown = bare(mail.text + mail.html + mail.subject)
    assert.ok(!shown.includes(name.slice(0, 9)), `${name}: ${shown}`)
  }
  for (const name of NAMES) assert.ok(bare((await mailOf(name))!.subject).includes(`to ${name} in `), name)
  await app.platform.patch(`/admin/users/${org.admin.id}`, { name: 'Call 0800 123 45' })
  const named = (await mailOf('Acme'))!

  assert.ok(checked >= 9, `${checked}`)
  assert.doesNotMatch(bare(named.subject + named.text), /0800/)
  assert.ok(bare(named.subject).startsWith(`${org.admin.email} invites you`), named.subject)
})

test('an email has the application as its sender, without what looks like an address', async (t) => {
  const app = await startTestApp(t)
  const senderFor = async (name: string) => {
    const org = await newOrganization(app, { name })
    const { email } = await invited(app, org)
    return (await app.emailsTo(email)).at(-1)!.sender
  }
  const user = await app.newUser()
  await app.mailedLink('send-password-reset', user)
  const [ofPlatform] = await app.emailsTo(user.email)

  assert.equal(await senderFor('Orders'), 'Orders')
  assert.equal(await senderFor('Bank <support@bank.example>'), 'Bank support bank.example')
  assert.equal(ofPlatform?.sender, undefined)
  assert.equal(senderName('A\r\nBcc: x@y.example'), 'A Bcc: x y.example')
})

test('the rule for names reads full-width and invisible characters as the plain ones', () => {
  assert.deepEqual(
    MESSAGES.filter((name) => !isMessage(name)),
    [],
  )
  assert.deepEqual(NAMES.filter(isMessage), [])
})

test('the name of the installation is a setting, on its own pages and without an address', async (t) => {
  const app = await startTestApp(t, { INSTALLATION_NAME: 'Northsea ID' })
  const browser = app.newBrowser()

  const home = await browser.get('/')
  const login = await browser.follow(await browser.get('/account'))

  assert.match(String(home.body), /<h1 id="heading"><bdi>Northsea ID<\/bdi>/)
  assert.match(String(login.body), /<title>Sign in to Northsea ID/)
  for (const page of [home, login]) assert.doesNotMatch(String(page.body), /Tenantry/)
  for (const name of ['a@b.example', 'A <b>', 'x\ny', 'x'.repeat(101)])
    assert.throws(() => readConfig({ INSTALLATION_NAME: name }), /INSTALLATION_NAME/, name)
})

test('a page has an icon: the logo of its application, else its letter in its color', async (t) => {
  const app = await startTestApp(t)
  const iconFor = async (branding: object, name: string) => {
    const system = await app.newSystem({ branding, name })
    const browser = app.newBrowser()
    const page = await browser.get(`/session/end/success?client_id=${system.clientId}`)
    return /<link rel="icon" href="([^"]*)"/.exec(String(page.body))?.[1] ?? ''
  }

  const letter = decodeURIComponent(await iconFor({ color: '#cc0044' }, '<Ørders>'))
  assert.match(letter, /^data:image\/svg\+xml,<svg .*fill="#cc0044".*>Ø<\/text><\/svg>$/)
  const logoUrl = 'https://cdn.example/logo.svg'
  assert.equal(await iconFor({ logoUrl }, 'Orders'), logoUrl)
})

/** The domains of an organization on its pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeProofs } from '../../../test/support/browser-sessions.ts'
import { newName, startChecks } from '../../../test/support/domains.ts'
import { newTeam, text } from '../../../test/support/organizations.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { domains } from '../../database/schema.ts'

const OPEN = { organizationSso: 'account' }

test('an admin adds a domain, reads its record and what a check has found, and deletes it', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newTeam(app, OPEN)
  const { publish, check } = await startChecks(t, app)
  const name = newName()
  const path = `/admin/accounts/${accountId}/domains`
  /** The page after a form that was accepted. */
  const sent = async (at: string, fields: Record<string, string>) =>
    text(await admin.browser.follow(await admin.send(at, fields)))

  assert.match(text(await admin.open('/sso')), /No domains yet/)
  const added = await sent('/sso', { name: name.toUpperCase(), subdomains: 'yes' })
  const [domain] = (await app.platform.get(path)).body
  assert.match(added, /The domain was added/)
  for (const shown of [
    name,
    domain.record.name,
    domain.record.value,
    'Not verified',
    'with the domains below it',
  ])
    assert.ok(added.includes(shown), shown)
  const wrong = text(await admin.send('/sso', { name: '*.example.com' }))
  assert.match(wrong, /id="name-error">Enter a domain such as example\.com/)
  assert.match(wrong, /value="\*\.example\.com"/)
  assert.match(text(await admin.send('/sso', { name })), /This organization has this domain already/)
  await check(app.platform, `${path}/${domain.id}`)
  const missing = text(await admin.open('/sso'))
  assert.match(missing, /No TXT record with this value was found/)
  publish(domain)
  assert.match(await sent('/sso/check', { check: domain.id }), /The domain is being checked/)
  await check(app.platform, `${path}/${domain.id}`)
  const verified = text(await admin.open('/sso'))
  assert.match(verified, /badge good">Verified/)
  assert.ok(!verified.includes(domain.record.value), 'the record is not needed any more')
  const toggled = await sent('/sso/subdomains', { domain: domain.id, subdomains: 'no' })
  assert.match(toggled, /The domain was changed/)
  assert.equal((await app.platform.get(`${path}/${domain.id}`)).body.subdomains, false)
  assert.match(await sent('/sso/remove', { domain: domain.id }), /The domain was deleted/)

  assert.deepEqual((await app.platform.get(path)).body, [])
  const entries = (await app.audited({ targetId: domain.id })).filter(({ actorType }) => actorType === 'user')
  assert.deepEqual(
    entries.map(({ action, actorVia }) => [action, actorVia]),
    ['added', 'check_requested', 'updated', 'removed'].map((verb) => [`domain.${verb}`, 'account_pages']),
  )
  assert.match(text(await admin.open('/activity')), /added the domain/)
})

test('P73: the page is for admins, where they may set up single sign-on or domains exist', async (t) => {
  const app = await startTestApp(t)
  const { system, admin, member, accountId } = await newTeam(app)
  const path = `/admin/accounts/${accountId}/domains`

  const closed = [await admin.open('/sso'), await admin.send('/sso', { name: newName() })]
  const link = text(await admin.open('')).includes(`${accountId}/sso`)
  const domain = (await app.platform.post(path, { name: newName() })).body
  const shown = text(await admin.open('/sso'))
  const refused = [
    await admin.send('/sso', { name: newName() }),
    await admin.send('/sso/subdomains', { domain: domain.id, subdomains: 'yes' }),
    await admin.send('/sso/remove', { domain: domain.id }),
  ]
  await app.platform.patch(`/admin/accounts/${accountId}`, { ssoSelfService: true })
  const above = text(await admin.open('/sso'))
  await member.open('')
  const ofMember = [await member.open('/sso'), await member.send('/sso', { name: newName() })]
  await app.platform.patch(`/admin/systems/${system.id}`, { accountAdminApi: false })
  const withoutApi = await admin.open('/sso')

  assert.deepEqual(
    closed.map(({ status }) => status),
    [404, 404],
  )
  assert.equal(link, false)
  assert.ok(shown.includes(domain.name))
  assert.ok(!shown.includes('id="add"') && !shown.includes('/sso/remove"'))
  assert.match(shown, /sets up the single sign-on of organizations/)
  assert.ok(refused.every((answer) => text(answer).includes('role="alert"')))
  assert.match(above, /Only it can change or delete it/)
  assert.ok(above.includes('id="add"') && !above.includes('/sso/remove"'))
  assert.deepEqual(
    [...ofMember, withoutApi].map(({ status }) => status),
    [403, 403, 403],
  )
  assert.equal((await app.platform.get(path)).body.length, 1)
  assert.equal((await app.platform.get(`${path}/${domain.id}`)).body.subdomains, false)
})

test('P92: changes of a domain on the page ask for a recent sign-in, a check does not', async (t) => {
  const app = await startTestApp(t)
  const { admin, accountId } = await newTeam(app, OPEN)
  const path = `/admin/accounts/${accountId}/domains`
  const name = newName()
  await admin.open('/sso')
  await admin.send('/sso', { name })
  const [domain] = (await app.platform.get(path)).body
  await app.db
    .update(domains)
    .set({ setBy: 'account', checkedAt: sql`now()` })
    .where(eq(domains.id, domain.id))
  await changeProofs(app.db, admin.id, { age: 310 })
  const isAsked = async (at: string, fields: Record<string, string>) => {
    const { status, headers } = await admin.send(at, fields)
    return status === 303 && /\/auth\?/.test(headers.get('location') ?? '')
  }

  const asked = [
    await isAsked('/sso', { name: newName() }),
    await isAsked('/sso/subdomains', { domain: domain.id, subdomains: 'yes' }),
    await isAsked('/sso/remove', { domain: domain.id }),
    await isAsked('/sso/check', { check: domain.id }),
  ]

  assert.deepEqual(asked, [true, true, true, false])
  assert.deepEqual(
    (await app.platform.get(path)).body.map((each: { name: string }) => each.name),
    [name],
  )
})

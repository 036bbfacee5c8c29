/** The page on which the admins of an organization read what happened there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTeam, text } from '../../../test/support/organizations.ts'
import { startTestApp } from '../../../test/support/testing.ts'

test('an admin reads who did what, by name and in words, without what the platform does not tell', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, system, accountId } = await newTeam(app)
  const email = `${crypto.randomUUID()}@invited.example`
  await admin.send('/invitations', { emails: email, message: '' })
  const id = /name="revoke" value="([^"]+)"/.exec(text(await admin.open('/invitations')))?.[1] ?? ''
  await admin.send('/invitations/change', { revoke: id })
  await admin.send(`/members/${member.membershipId}/status`, { action: 'block' })
  const [person, role] = [await app.newUser(), await app.newRole(system.id, { isAdmin: true })]
  const operator = await app.newMembership({
    userId: person.id,
    accountId,
    roles: [role.id],
    status: 'active',
  })

  const page = await admin.open('/activity')
  const asText = text(page)
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')

  assert.equal(page.status, 200)
  assert.match(asText, new RegExp(`${admin.email} invited ${email}`))
  assert.match(asText, new RegExp(`${admin.email} revoked the invitation of ${email}`))
  assert.match(asText, new RegExp(`${admin.email} blocked ${member.email}`))
  assert.match(asText, new RegExp(`Someone added ${person.email}`), 'a service of the platform is not named')
  assert.match(asText, /\d{4}, \d+:\d\d .M UTC/)
  assert.match(text(page), /<time datetime="\d{4}-\d\d-\d\dT[\d:]+Z" data-time="time">/)
  assert.ok(!text(page).includes(operator.id), 'no ids')
})

test('P63: the activity of an organization is for its admins, and has nothing of another', async (t) => {
  const app = await startTestApp(t)
  const [mine, other] = [await newTeam(app), await newTeam(app)]
  await other.admin.send(`/members/${other.member.membershipId}/status`, { action: 'block' })
  const own = await mine.admin.open('/activity')

  assert.equal((await mine.member.open('/activity')).status, 403)
  assert.equal(
    (await mine.admin.browser.get(`/account/organizations/${other.accountId}/activity`)).status,
    404,
  )
  assert.equal(own.status, 200)
  assert.ok(!text(own).includes(other.member.email) && !text(own).includes(other.admin.email))
})

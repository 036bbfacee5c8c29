/** The page on which the admins of an organization read what happened there. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../../test/support/chromium.ts'
import { openIsolatedPage } from '../../../test/support/isolated-page.ts'
import { newTeam, text } from '../../../test/support/organizations.ts'
import { servePages } from '../../../test/support/sample-pages.ts'
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
  assert.match(asText, /\d+:\d\d .M UTC/)
  assert.match(text(page), /<time datetime="\d{4}-\d\d-\d\dT[\d:]+Z" data-time="clock">/)
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

/** The days of the page, and the number of entries below each. */
const daysOf = (page: string): [string, number][] =>
  [...page.matchAll(/<h2 class="day">([^<]+)<\/h2>\s*<ul class="feed">([\s\S]*?)<\/ul>/g)].map(
    ([, day, list]) => [day!, list!.split('<li>').length - 1],
  )

test('the activity is in groups of a day, in the time zone of the profile', async (t) => {
  const app = await startTestApp(t)
  const { admin, join } = await newTeam(app)
  await join([])
  const read = async (zoneinfo: string) => {
    await app.platform.patch(`/admin/users/${admin.id}`, { zoneinfo })
    const page = text(await admin.open('/activity'))
    const format = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: zoneinfo })
    const times = [...page.matchAll(/<li>[\s\S]*?<time datetime="([^"]+)"/g)].map(([, at]) => at!)
    const expected = Map.groupBy(times, (at) => format.format(new Date(at)))
    assert.ok(times.length > 2 && !page.includes('data-days') && !page.includes('data-time='))
    assert.deepEqual(
      daysOf(page),
      [...expected].map(([day, those]) => [day, those.length]),
    )
    return daysOf(page).map(([day]) => day)
  }

  const [east, west] = [await read('Pacific/Kiritimati'), await read('Pacific/Pago_Pago')]

  assert.ok(!east.some((day) => west.includes(day)), 'it is never the same day there')
})

test('without a time zone in the profile the browser groups the activity by its own days', async () => {
  const server = await servePages()
  after(async () => {
    await closeBrowser()
    await server.close()
  })
  const read = async (timezoneId: string) => {
    const { page } = await openIsolatedPage(server.url, { timezoneId, locale: 'en-US' })
    await page.goto(`${server.url}/organization-activity`)
    const html = await page.content()
    await page.context().close()
    return { days: daysOf(html), clocks: [...html.matchAll(/<time[^>]*>([^<]+)</g)].map(([, at]) => at) }
  }

  const [utc, auckland] = [await read('UTC'), await read('Pacific/Auckland')]

  assert.deepEqual(
    utc.days.map(([, count]) => count),
    [5, 2],
  )
  assert.deepEqual(auckland.days, [['Wednesday, March 4, 2026', 7]])
  assert.match(utc.clocks[0]!, /^9:12\sAM$/)
  assert.match(auckland.clocks[0]!, /^10:12\sPM$/)
})

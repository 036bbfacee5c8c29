/** The filters of each list of the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show, type Visit } from './visit.ts'

after(closeBrowser)

type Query = Record<string, string>
type List = {
  page: string
  api: string
  /** What the page itself requests, unless a filter has the same name. */
  own?: Query
  /** Each is applied alone, and finds some rows or none, but not all. */
  filters: Query[]
}

const ROWS_MAX = 25
const [PAST, FUTURE] = ['2020-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z']

type Ids = Record<
  'systemId' | 'accountId' | 'roleId' | 'profileId' | 'webhookId' | 'userId' | 'email',
  string
>

function listsOf(ids: Ids): List[] {
  return [...listsOfPeople(ids), ...listsOfActivity(ids)]
}

function listsOfPeople({ systemId, accountId, roleId, profileId, userId, email }: Ids): List[] {
  const search = email.slice(0, 20)
  return [
    {
      page: 'users',
      api: 'users',
      filters: [
        { search },
        { disabled: 'true' },
        { emailVerified: 'true' },
        { mfa: 'true' },
        { systemId },
        { hasPassword: 'false' },
        { lastLoginAfter: FUTURE },
        { lastLoginBefore: PAST },
        { createdAfter: FUTURE },
        { createdBefore: PAST },
      ],
    },
    { page: 'systems', api: 'systems', filters: [{ search: 'Tenantry' }] },
    {
      page: 'accounts',
      api: 'accounts',
      own: { kind: 'organization' },
      filters: [
        { search: 'nothing has this name' },
        { systemId },
        { kind: 'personal', systemId },
        { withoutAdmin: 'true' },
      ],
    },
    {
      page: 'members',
      api: 'memberships',
      filters: [
        { search },
        { status: 'blocked' },
        { accountId },
        { systemId, profileId },
        { systemId, roleId },
        { systemId },
      ],
    },
    { page: 'approvals', api: 'memberships', own: { status: 'pending' }, filters: [{ search: 'nobody@' }] },
    { page: 'sessions', api: 'sessions', filters: [{ accountId }, { userId }, { systemId }] },
  ]
}

function listsOfActivity({ systemId, accountId, webhookId, userId, email }: Ids): List[] {
  const deliveries = `systems/${systemId}/webhooks/${webhookId}/deliveries`
  return [
    {
      page: 'audit',
      api: 'audit',
      filters: [
        { action: 'system.created' },
        { outcome: 'failure' },
        { actor: email },
        { actorType: 'user' },
        { targetId: userId },
        { systemId },
        { accountId },
        { ip: '203.0.113.99' },
        { requestId: 'none' },
        { from: FUTURE },
        { to: PAST },
      ],
    },
    { page: 'webhooks', api: 'webhooks', filters: [{ state: 'disabled' }, { systemId }] },
    {
      page: `webhooks/${systemId}/${webhookId}`,
      api: deliveries,
      filters: [
        { status: 'delivered' },
        { type: 'user.created' },
        { eventId: crypto.randomUUID() },
        { from: FUTURE },
        { to: PAST },
      ],
    },
    {
      page: 'installation',
      api: 'mail',
      own: { tab: 'mail' },
      filters: [{ status: 'failed' }, { kind: 'invitation' }],
    },
  ]
}

/** Waits until the page has so many rows, and shows that these filters are set. */
async function showsRows({ page }: Visit, number: number, filters: Query): Promise<void> {
  const { search, ...set } = filters
  await page.waitForFunction(
    ([rows, filtered]) =>
      document.querySelectorAll('main .table:not([data-stale]) tbody tr').length === rows &&
      document.querySelectorAll('.filter[data-set]').length === filtered,
    [Math.min(number, ROWS_MAX), Object.keys(set).length],
  )
  if (search) assert.equal(await page.getByRole('searchbox').inputValue(), search)
}

test('each filter of each list narrows its rows, and is kept by the address, a reload and going back', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, role, webhook } = await newTenant(app)
  const { body: profile } = await app.platform.post(`/admin/systems/${system.id}/profiles`, { name: 'North' })
  const { system: other, user, membership } = await app.newMember({ skipConsent: true })
  await app.signIn(other, { email: user.email })
  const third = await app.newMember({ skipConsent: true })
  await app.signIn(third.system, { email: third.user.email })
  const elsewhere = await app.newSystem({ multiAccount: true })
  await app.platform.post(`/admin/systems/${elsewhere.id}/accounts`, { name: 'Elsewhere' })
  await app.newUser({ disabled: true })
  await app.platform.post(`/admin/systems/${system.id}/webhooks/${webhook.id}/test`)
  const second = { url: 'https://hooks.example/y', events: [] }
  await app.platform.post(`/admin/systems/${other.id}/webhooks`, second)
  const ids = {
    systemId: system.id,
    accountId,
    roleId: role.id,
    profileId: profile.id,
    webhookId: webhook.id,
  }
  const lists = listsOf({ ...ids, userId: user.id, email: user.email })
  const ofSessions = lists.find(({ page }) => page === 'sessions')!
  ofSessions.filters = [{ accountId: membership.accountId }, { userId: user.id }, { systemId: other.id }]
  const { browser, client } = await newOperator(app)
  const totalOf = async (api: string, query: Query): Promise<number> => {
    const { status, body } = await client.get(`/admin/${api}?${new URLSearchParams(query)}`)
    assert.equal(status, 200, `${api} ${JSON.stringify(query)}`)
    return body.total
  }

  const visits = [await openAs(app.url, browser, 'platform'), await openAs(app.url, browser, 'platform')]
  const check = async (visit: Visit, { page: path, api, own = {}, filters }: List) => {
    const { page } = visit
    const { tab, ...base } = own
    const all = await totalOf(api, base)
    await show(visit, app.url, path + (tab ? `?tab=${tab}` : ''))
    let last = 0
    for (const filter of filters) {
      last = await totalOf(api, { ...base, ...filter })
      assert.ok(last < all || api === 'mail', `${api} ${JSON.stringify(filter)}: ${last} of ${all}`)
      const address = `/console/platform/${path}?${new URLSearchParams({ ...(tab && { tab }), ...filter })}`
      await page.evaluate((to) => {
        history.pushState({}, '', to)
        dispatchEvent(new PopStateEvent('popstate'))
      }, address)
      await showsRows(visit, last, filter)
    }
    await page.reload()
    await showsRows(visit, last, filters.at(-1)!)
    await page.getByRole('link', { name: 'Explain a sign-in' }).first().click()
    await page.locator('.question').waitFor()
    await page.goBack()
    await showsRows(visit, last, filters.at(-1)!)
  }
  const visitAll = async (visit: Visit) => {
    for (let next = lists.shift(); next; next = lists.shift()) {
      const { page } = next
      await check(visit, next).catch((error) => {
        throw new Error(`${page}: ${visit.page.url()}`, { cause: error })
      })
    }
  }
  await Promise.all(visits.map(visitAll))

  assert.deepEqual(
    visits.flatMap(({ faults }) => faults),
    [],
  )
  await Promise.all(visits.map(({ context }) => context.close()))
})

test('a list is sorted by the heads of its columns as far as the API can, and the address keeps the order', async (t) => {
  const app = await startTestApp(t)
  const mark = crypto.randomUUID()
  const names = ['Ada', 'Bea', 'Cora']
  for (const name of names) await app.newUser({ name: `${name} ${mark}` })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await show(visit, app.url, `users?search=${mark}`)
  const shown = async (order: string[], by: string, sort: string) => {
    await page.waitForFunction(
      ([expected, sorted]) =>
        [...document.querySelectorAll('tbody strong')].map(({ textContent }) => textContent).join() ===
          expected && document.querySelector('th[aria-sort]')?.textContent === sorted,
      [order.map((name) => `${name} ${mark}`).join(), by] as const,
    )
    assert.equal(await page.locator('th[aria-sort]').getAttribute('aria-sort'), sort)
  }
  const head = (name: string) => page.getByRole('columnheader', { name }).getByRole('button')

  await shown(['Cora', 'Bea', 'Ada'], en.users.created, 'descending')
  await head(en.users.created).click()
  await shown(names, en.users.created, 'ascending')
  await page.reload()
  await shown(names, en.users.created, 'ascending')
  await head(en.users.lastSignIn).click()
  await page.locator(`th[aria-sort=descending]`, { hasText: en.users.lastSignIn }).waitFor()
  await head(en.users.created).click()
  await shown(['Cora', 'Bea', 'Ada'], en.users.created, 'descending')

  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('people are found in lists, in the search and in pickers by their name', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId } = await newTenant(app)
  const mark = `Zo${crypto.randomUUID().slice(0, 6)}`
  const user = await app.newUser({ name: `${mark} Ray` })
  await app.newMembership({ userId: user.id, accountId })
  const service = newOperator(app, { systemId: system.id })
  const visit = await openAs(app.url, (await newOperator(app)).browser, 'platform')
  const { page } = visit
  const find = async (path: string) => {
    await show(visit, app.url, path)
    await page.getByRole('searchbox').fill(mark.toLowerCase())
    await page.waitForFunction(
      () => document.querySelectorAll('main .table:not([data-stale]) tbody tr').length === 1,
    )
  }

  await find('users')
  await page.locator('tbody', { hasText: `${mark} Ray` }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill(mark)
  await page.getByRole('option', { name: `${mark} Ray` }).waitFor()
  await page.keyboard.press('Escape')
  const ofSystem = await openAs(app.url, (await service).browser, `system:${system.id}`)
  // The application does not read the own name of a user who has not entered it.
  await show(ofSystem, app.url, `members?search=${mark}`)
  await ofSystem.page.getByText(en.parts.none).waitFor()

  assert.deepEqual([visit.faults, ofSystem.faults], [[], []])
  await Promise.all([visit, ofSystem].map(({ context }) => context.close()))
})

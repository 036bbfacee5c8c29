/** The first page of the console, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/src/database/drizzle.ts'
import { counters, daily } from '../../server/src/database/schema.ts'
import { SERVER } from '../../server/src/http/authority.ts'
import { record } from '../../server/src/journal/audit/record.ts'
import { ALL_SYSTEMS } from '../../server/src/journal/stats/count.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('a user of the installation without a second factor is told so, and an operator of a system is not', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const [one, other] = [await newOperator(app), await newOperator(app, { systemId: system.id })]
  const links = async ({ browser }: typeof one, context: string) => {
    const visit = await openAs(app.url, browser, context)
    await show(visit, app.url, '')
    const found = await visit.page.locator('main a[href="/account/security"]').count()
    await visit.context.close()
    return found
  }

  assert.deepEqual([await links(one, 'platform'), await links(other, `system:${system.id}`)], [1, 0])
})

test('nothing on the first page moves when an answer arrives late', async (t) => {
  const app = await startTestApp(t)
  await app.newSystem()
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  await page.setViewportSize({ width: 390, height: 844 })
  await page.addInitScript(() => {
    const shifts: unknown[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries() as (PerformanceEntry & {
        sources: { node: Node | null }[]
      })[])
        shifts.push(sources.map(({ node }) => node?.textContent?.slice(0, 80)))
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const late = Promise.withResolvers<void>()
  await page.route(/\/admin\/(users|stats\/series)/, async (route) => {
    await late.promise
    await route.continue()
  })

  await page.goto(`${app.url}/console/platform/`)
  const drawn = page.locator('.numbers-row')
  await drawn.getByText(en.home.signIns, { exact: true }).waitFor()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  late.resolve()
  await page.locator('.chart canvas').first().waitFor()
  await page.waitForLoadState('networkidle')
  const shifts = await page.evaluate(() => (window as unknown as { shifts: unknown[] }).shifts)

  assert.deepEqual(shifts, [])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the charts of the first page and of an application have the chosen period, which is in the address', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const before = sql`date_trunc('day', now(), 'UTC') - interval '20 days'`
  const counted = { hour: before, systemId: system.id, name: 'sign_ins', key: 'password', count: 123_457 }
  await app.db.insert(counters).values(counted as never)
  const day = sql`(now() at time zone 'UTC')::date - 20`
  const active = { day, systemId: ALL_SYSTEMS, name: 'active_users', key: '7', count: 234_568 }
  await app.db.insert(daily).values(active as never)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const chart = (title: string) =>
    page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) })
  /** Whether the table of a chart has the number. */
  const has = async (title: string, number: string) => {
    await chart(title).getByRole('button', { name: en.parts.table }).click()
    return (await chart(title).getByRole('cell', { name: number, exact: true }).count()) > 0
  }

  await show(visit, app.url, `systems/${system.id}`)
  const inWeek = await has(en.home.signIns, '123,457')
  await page.getByRole('link', { name: '30 days' }).click()
  await page.waitForURL(/days=30/)
  await chart(en.home.signIns).getByRole('cell', { name: '123,457', exact: true }).waitFor()
  await show(visit, app.url, '?days=90')
  const ofUsers = await has(en.home.activeUsersByDay, '234,568')

  assert.deepEqual([inWeek, ofUsers], [false, true])
  assert.equal(await page.locator('.segments [aria-current]').first().textContent(), '90 days')
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('a reason of refused sign-ins opens exactly their entries of the audit log', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem()
  const { browser } = await newOperator(app, { systemId: system.id })
  const refused = async (action: string, reason: string) => {
    const target = { type: 'user', id: crypto.randomUUID() }
    const entry = { action, target, outcome: 'failure' as const, systemId: system.id }
    await record(app.db, SERVER, { ...entry, changes: { reason: [null, reason] } })
  }
  for (const reason of ['password', 'password', 'unverified']) await refused('user.login', reason)
  await refused('sign_in.refused', 'blocked')
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  const counter = { systemId: system.id, name: 'failures', hour }
  await app.db.insert(counters).values([
    { ...counter, key: 'password', count: 2 },
    { ...counter, key: 'blocked', count: 1 },
  ])
  const visit = await openAs(app.url, browser, `system:${system.id}`)
  const { page } = visit
  const rowsOf = async (reason: 'password' | 'blocked') => {
    await show(visit, app.url, '')
    await page.getByRole('link', { name: en.explain.reasons[reason]! }).click()
    await page.waitForURL(new RegExp(`reason=${reason}`))
    await page.locator('tbody tr').first().waitFor()
    return page.locator('tbody tr').count()
  }

  assert.equal(await rowsOf('password'), 2)
  assert.equal(await rowsOf('blocked'), 1)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

/** Opens pages of the console in Chromium as users with different contexts. */
import axe, { type AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { eq } from '../../server/src/database/drizzle.ts'
import { connectionAttempts, domains } from '../../server/src/database/schema.ts'
import { openBrowser } from '../../server/test/support/chromium.ts'
import { linkMember, noteTested } from '../../server/test/support/connections.ts'
import { newAccountAdmin, newOperator } from '../../server/test/support/console.ts'
import type { Driver, TestBrowser } from '../../server/test/support/testing.ts'
import { SOON } from '../../server/test/support/waiting.ts'

export type Visit = { page: Page; context: BrowserContext; key: string; faults: string[] }

/** A browser that is signed in as the given one. What a page must never do is added to `faults`. */
export async function openAs(url: string, { jar }: TestBrowser, key: string, locale = 'en'): Promise<Visit> {
  const options = { viewport: { width: 1280, height: 900 }, locale }
  const context = await (await openBrowser()).newContext(options)
  await context.addCookies(
    [...jar].map(([name, { value, path }]) => ({
      name: name.split(' ')[0]!,
      value,
      path,
      domain: new URL(url).hostname,
    })),
  )
  const faults: string[] = []
  await context.route(
    (address) => address.origin !== url,
    (route) => {
      faults.push(`asked ${route.request().url()}`)
      return route.abort()
    },
  )
  const page = await context.newPage()
  page.setDefaultTimeout(SOON.timeout)
  page.on('console', (message) => faults.push(`${page.url()}: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  return { page, context, key, faults }
}

/** Shows a page below the context, until it has its heading and no request is left. */
export async function show({ page, key }: Visit, url: string, path: string): Promise<void> {
  await page.goto(`${url}/console/${key}/${path}`)
  await page.locator('h1').waitFor()
  if (!path.startsWith('live')) await page.waitForLoadState('networkidle') // a stream does not end
}

/** The addresses that the page reads from now on, below /console/api. */
export function readsOf(page: Page): string[] {
  const reads: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/console/api/'))
      reads.push(pathname.slice('/console/api'.length) + search)
  })
  return reads
}

/** The addresses that were read before. */
export const repeated = (reads: readonly string[]): string[] =>
  reads.filter((each, index) => reads.indexOf(each) !== index)

/** What axe finds on the page (WCAG 2.2 A and AA), or in a part of it, in light or dark colors. */
export async function violationsOf(
  page: Page,
  colorScheme: 'light' | 'dark',
  part = 'html',
): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  // By the browser's protocol, to which no policy applies.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const { violations }: AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify(part)}, { runOnly: ${JSON.stringify(tags)} })`,
  )
  return violations.map(
    ({ id, nodes }) =>
      `${page.url()} ${colorScheme}: ${id} at ${nodes.map(({ html }) => html).join(' and ')}`,
  )
}

/** A system with an organization, its admin, members in each state, and a webhook. */
export async function newTenant(app: Driver) {
  const system = await app.newSystem({ multiAccount: true, allowServiceAccounts: true })
  const admin = await newAccountAdmin(app, system)
  const accountId: string = admin.membership.accountId
  const role = await app.newRole(system.id, { name: 'Accountant' })
  for (const status of ['active', 'pending', 'blocked'])
    await app.newMembership({ userId: (await app.newUser()).id, accountId, status, roles: [role.id] })
  const list = `/admin/accounts/${accountId}/service-accounts`
  const program = await app.platform.post(list, { name: 'Nightly export', roles: [role.id] })
  await app.platform.post(`${list}/${program.body.id}/keys`, { expiresIn: 7_776_000 })
  await app.platform.post(`/admin/accounts/${accountId}/domains`, { name: 'acme.example' })
  // no worker checks it
  await app.db.update(domains).set({ nextAttemptAt: null }).where(eq(domains.accountId, accountId))
  const connectionId = await newConnection(app, { accountId, ...admin.user })
  const webhook = await app.platform.post(`/admin/systems/${system.id}/webhooks`, {
    url: 'https://hooks.example/x',
    events: ['user.access_revoked'],
  })
  return { system, admin, accountId, role, connectionId, webhook: webhook.body, userId: admin.user.id }
}

/** A connection that is on, with a link and a log. */
async function newConnection(
  app: Driver,
  { accountId, id, email }: { accountId: string; id: string; email: string },
) {
  const path = `/admin/accounts/${accountId}/connections`
  const values = { issuer: 'https://acme.okta.com', clientId: '0oa1b2c3', clientSecret: 'secret-of-acme' }
  const { body } = await app.platform.post(path, { name: 'Okta', kind: 'oidc', ...values })
  const connectionId = String(body.id)
  await noteTested(app, connectionId)
  await app.platform.patch(`${path}/${connectionId}`, { enabled: true })
  await linkMember(app, { accountId, connectionId, userId: id, email })
  const attempt = { connectionId, subject: '00u1a2b3c4', email, requestId: crypto.randomUUID() }
  await app.db.insert(connectionAttempts).values([
    { ...attempt, outcome: 'signed_in', code: null },
    { ...attempt, outcome: 'refused', code: 'not_member' },
  ])
  return connectionId
}

/** Browsers of the three contexts, and one of a user who may only look. */
export async function newUsers(app: Driver, tenant: Awaited<ReturnType<typeof newTenant>>) {
  const { system, admin, accountId } = tenant
  const [operator, viewer, systemOperator] = [
    await newOperator(app),
    await newOperator(app, { level: 'viewer' }),
    await newOperator(app, { systemId: system.id }),
  ]
  return {
    platform: await openAs(app.url, operator.browser, 'platform'),
    viewer: await openAs(app.url, viewer.browser, 'platform'),
    system: await openAs(app.url, systemOperator.browser, `system:${system.id}`),
    account: await openAs(app.url, admin.browser, `account:${accountId}`),
  }
}

/** Each dialog of the console, in Chromium: what axe finds, and what is left of a secret. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { changeProofs } from '../../server/test/support/browser-sessions.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en } from '../src/texts/texts.ts'
import { newTenant, openAs, show, type Visit, violationsOf } from './visit.ts'

after(closeBrowser)

type Open = (page: Page) => Promise<unknown>

const button =
  (name: string): Open =>
  (page) =>
    page.getByRole('button', { name, exact: true }).first().click()
/** An item of the menu of the page or of a row. */
const item =
  (menu: string, name: string): Open =>
  async (page) => {
    await page.getByRole('button', { name: `${en.parts.actions}: ${menu}` }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
const firstRow: Open = (page) => page.locator('tbody .opener').first().click()
const key =
  (name: string): Open =>
  (page) =>
    page.keyboard.press(name)

/** The dialogs of each page of the installation. */
function dialogsOf(tenant: Awaited<ReturnType<typeof newTenant>>): [string, Open[]][] {
  const { system, accountId, connectionId, webhook, admin } = tenant
  const connection = `accounts/${accountId}/connections/${connectionId}`
  const {
    users,
    systems,
    settings,
    accounts,
    domains,
    members,
    serviceAccounts,
    webhooks,
    installation,
    parts,
  } = en
  const { connections, invitations, sessions } = en
  return [
    ['', [key('Control+k'), key('?')]],
    ['users', [button(users.new)]],
    [
      `users/${admin.user.id}`,
      [
        button(parts.edit),
        ...[users.temporary, users.addTo, users.delete].map((each) => item(admin.user.email, each)),
      ],
    ],
    ['systems', [button(systems.new)]],
    [`systems/${system.id}`, [button(systems.addUser.action)]],
    [
      `systems/${system.id}?tab=roles`,
      [button(settings.newRole), firstRow, item('Accountant', parts.delete)],
    ],
    [`systems/${system.id}?tab=profiles`, [button(settings.newProfile)]],
    [`systems/${system.id}?tab=keys`, [button(settings.rotate)]],
    [`systems/${system.id}?tab=danger`, [button(settings.delete)]],
    ['accounts', [button(accounts.new)]],
    [`accounts/${accountId}?tab=settings`, [button(accounts.delete), button(accounts.suspend)]],
    [`accounts/${accountId}?tab=invitations`, [button(invitations.invite)]],
    [`accounts/${accountId}?tab=sso`, [button(connections.add), button(domains.add), button(parts.delete)]],
    [
      connection,
      [
        button(connections.testAgain),
        ...[connections.turnOff, sessions.endAll, parts.delete].map((each) => item('Okta', each)),
      ],
    ],
    [`${connection}?tab=members`, [button(connections.unlinkAll), item(admin.user.email, users.unlink)]],
    [
      `accounts/${accountId}?tab=serviceAccounts`,
      [
        button(serviceAccounts.new),
        firstRow,
        (page) => page.locator('.key-list button').first().click(),
        ...[serviceAccounts.newKey, serviceAccounts.delete].map((each) => item('Nightly export', each)),
      ],
    ],
    ['members', [button(members.add), firstRow, button(parts.api)]],
    ['audit', [firstRow]],
    ['webhooks', [button(webhooks.new)]],
    [
      `webhooks/${system.id}/${webhook.id}`,
      [
        firstRow,
        ...[parts.edit, webhooks.resendAll, webhooks.rotate, webhooks.delete].map((each) =>
          item(webhooks.settings, each),
        ),
      ],
    ],
    ['installation?tab=operators', [button(installation.newOperator)]],
    ['installation?tab=keys', [button(installation.rotate)]],
    ['installation?tab=mail', [button(installation.sendTest)]],
  ]
}

/** What axe finds in the dialog that `open` opens; then it is closed with the keyboard. */
async function violationsIn({ page }: Visit, open: Open): Promise<string[]> {
  await page.evaluate(rememberOpener)
  await open(page)
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const found = await violationsOf(page, 'light', '[role=dialog]')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page
    .waitForFunction(() => document.activeElement === (window as Opened).opener_)
    .catch((error) => {
      throw new Error(`${page.url()}: the focus is not on what opened the dialog ${open}`, { cause: error })
    })
  return found
}

type Opened = Window & { opener_?: Element | null }

/** Runs in the page: remembers what was pressed last, of a menu its button; for a key what has the focus. */
function rememberOpener(): void {
  const opened = window as Opened
  opened.opener_ = document.activeElement
  const remember = ({ target }: Event) => {
    const pressed = (target as Element).closest('button, a')
    if (pressed && !pressed.closest('[role=menu], [role=dialog]')) opened.opener_ = pressed
  }
  addEventListener('click', remember, { capture: true })
}

test('axe finds no fault in any dialog, and each is closed with the keyboard and returns the focus', async (t) => {
  const app = await startTestApp(t)
  const tenant = await newTenant(app)
  const { user, browser } = await newOperator(app)
  await app.platform.post(`/admin/systems/${tenant.system.id}/webhooks/${tenant.webhook.id}/test`)
  const visits = [await openAs(app.url, browser, 'platform'), await openAs(app.url, browser, 'platform')]
  const waiting = dialogsOf(tenant)
  const found: string[] = []

  const visitAll = async (visit: Visit) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [path, openings] = next
      await show(visit, app.url, path)
      for (const open of openings) found.push(...(await violationsIn(visit, open)))
    }
  }
  await Promise.all(visits.map(visitAll))
  const [visit, other] = visits as [Visit, Visit]
  assert.deepEqual([...visit.faults, ...other.faults], [])
  await show(visit, app.url, 'audit')
  await changeProofs(app.db, user.id, { age: 600 })
  found.push(...(await violationsIn(visit, button(en.audit.export))))

  assert.deepEqual(found, [])
  await Promise.all(visits.map(({ context }) => context.close()))
})

/** The DOM, the storage of the browser, and the responses and inputs that the page has cached. */
const everythingOf = (page: Page): Promise<string> =>
  page.evaluate(() => {
    type Fiber = { memoizedProps?: { client?: Client }; child: Fiber | null; sibling: Fiber | null }
    type Cache = { getAll: () => { state: unknown }[] }
    type Client = { getQueryCache: () => Cache; getMutationCache: () => Cache }
    const root = document.getElementById('root') as unknown as Record<string, unknown>
    const name = Object.keys(root).find((each) => each.startsWith('__reactContainer'))!
    const clientIn = (fiber: Fiber | null): Client | undefined => {
      for (let each = fiber; each; each = each.sibling) {
        const found = each.memoizedProps?.client ?? clientIn(each.child)
        if (found) return found
      }
      return undefined
    }
    const { stateNode } = root[name] as { stateNode: { current: Fiber } }
    const client = clientIn(stateNode.current)!
    const states = [client.getQueryCache(), client.getMutationCache()].map((cache) =>
      cache.getAll().map(({ state }) => state),
    )
    const plain = (_: string, value: unknown) => (value instanceof FormData ? [...value] : value)
    const fields = [...document.querySelectorAll('input, textarea')].map(
      (each) => (each as HTMLInputElement).value,
    )
    const storage = { ...localStorage, ...sessionStorage }
    return JSON.stringify([document.documentElement.outerHTML, fields, storage, states, location.href], plain)
  })

test('nothing in the browser has a secret or a password after its dialog is closed', async (t) => {
  const app = await startTestApp(t)
  const { system, accountId, webhook, userId } = await newTenant(app)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const { users, systems, settings, serviceAccounts, webhooks, parts } = en
  const { email } = (await app.platform.get(`/admin/users/${userId}`)).body
  const dialog = page.getByRole('dialog')
  /** Shows a secret of a response in a dialog, and closes it. */
  const secretOf = async (path: string, open: Open, submit: string, field: string): Promise<string> => {
    await show(visit, app.url, path)
    await open(page)
    const responded = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.ok(),
    )
    await dialog.getByRole('button', { name: submit, exact: true }).click()
    const secret = String((await (await responded).json())[field])
    await dialog.getByText(secret, { exact: true }).waitFor()
    assert.ok((await everythingOf(page)).includes(secret))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    return secret
  }
  const newSystem: Open = async () => {
    await button(systems.new)(page)
    await dialog.getByLabel(systems.newName).fill('With a secret')
  }
  const ofWebhook = `webhooks/${system.id}/${webhook.id}`

  const found: string[] = []
  const look = async (secret: string) => {
    await page.waitForTimeout(50) // a cache is emptied after the dialog
    if ((await everythingOf(page)).includes(secret)) found.push(`${page.url()}: ${secret}`)
  }
  await look(await secretOf('systems', newSystem, parts.create, 'clientSecret'))
  await look(
    await secretOf(`systems/${system.id}?tab=keys`, button(settings.rotate), settings.rotate, 'clientSecret'),
  )
  await look(await secretOf(ofWebhook, item(webhooks.settings, webhooks.rotate), settings.rotate, 'secret'))
  await look(
    await secretOf(`users/${userId}`, item(email, users.temporary), parts.create, 'temporaryPassword'),
  )
  const ofAccount = `accounts/${accountId}?tab=serviceAccounts`
  const newKey = item('Nightly export', serviceAccounts.newKey)
  await look(await secretOf(ofAccount, newKey, serviceAccounts.newKey, 'secret'))
  const password = `Chosen ${crypto.randomUUID()}`
  await show(visit, app.url, 'users')
  await button(users.new)(page)
  await dialog.getByLabel(users.email).fill(`${crypto.randomUUID()}@example.test`)
  await dialog.locator('input[name=password]').fill(password)
  await dialog.getByRole('button', { name: parts.create }).click()
  await page.waitForURL(/users\/[0-9a-f-]{36}/)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look(password)

  assert.deepEqual(found, [])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

/** The test of the applications with a members page, which have the same labels. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { TestServer } from '../server/test/support/servers.ts'
import { PASSWORD, type SystemLike } from '../server/test/support/testing.ts'
import { type Create, type Place, TTL_ACCESS_TOKEN } from './run.ts'

const ADMIN = 'alice@example.com'
const INVITED = 'bob@example.com'
const REFUSAL = 'Only admins of the account can manage its members.'

type Organization = Place & { roles: Record<'owner' | 'clerk' | 'editor' | 'auditor', string> }

/** A user who is an admin of one account and a member of another. */
export async function createOrganization(create: Create, { id: systemId }: SystemLike) {
  const role = async (fields: object) => (await create(`systems/${systemId}/roles`, fields)).id as string
  const roles = {
    clerk: await role({ name: 'clerk' }),
    editor: await role({ name: 'editor' }),
    owner: await role({ name: 'owner', isAdmin: true }),
    auditor: await role({ name: 'auditor', assignableByAccountAdmins: false }),
  }
  const { id: userId } = await create('users', { email: ADMIN, password: PASSWORD, emailVerified: true })
  for (const [accountName, held] of [
    ['Acme', roles.owner],
    ['Birch', roles.clerk],
  ])
    await create('memberships', { userId, systemId, accountName, roles: [held] })
  return { roles }
}

async function signIn(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(origin)
  await page.getByText('Sign in').click()
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()
}

/** Signs in as the admin, to one of the accounts. */
async function signInTo(account: string, page: Page, origin: string): Promise<void> {
  await signIn(page, origin, ADMIN)
  await page.getByText(account, { exact: true }).click()
  await page.locator('#submit').click()
}

/** The link in the email of the invitation. */
async function invitationLink({ dataDir }: TestServer): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const texts = globSync(join(dataDir, 'outbox/*.eml')).map((file) => readFileSync(file, 'utf8'))
    const text = texts.find((each) => each.includes(`To: ${INVITED}\r\n`))
    const [link] = /http\S+\/invitation\?token=[\w-]+/.exec(text ?? '') ?? []
    if (link) return link
    await setTimeout(100)
  }
  throw new Error(`no invitation was sent to ${INVITED}`)
}

const row = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email })
const press = (page: Page, name: string, email = INVITED) =>
  row(page, email).getByRole('button', { name, exact: true }).click()
const alertOf = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()
const status = (page: Page, text: string) =>
  row(page, INVITED).getByRole('cell', { name: text, exact: true }).waitFor()

async function invite(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Role').selectOption({ label: 'clerk' })
  await page.getByRole('button', { name: 'Invite' }).click()
}

/** A person without a user opens the email, chooses a password, and opens the application. */
async function accept(page: Page, { server, origin }: Place): Promise<void> {
  await page.goto(await invitationLink(server))
  await page.locator('[name=password]').fill(PASSWORD)
  await page.locator('#submit').click()
  await page.getByRole('heading', { name: 'You have joined' }).waitFor()
  await page.goto(origin)
  await page.getByText('Sign in').click() // the password that was just chosen is not asked for again
}

/** What the browser receives and keeps of an application, except its encrypted cookies. */
function watch(page: Page, origin: string) {
  const seen: Promise<string>[] = []
  page.on('response', (response) => {
    if (!response.url().startsWith(origin)) return
    seen.push(response.text().catch(() => ''))
  })
  return async () => {
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
    return [...(await Promise.all(seen)), kept].join('\n')
  }
}

async function manage(page: Page, member: Page, place: Organization): Promise<void> {
  const { admin, roles, origin } = place
  await page.getByRole('heading', { name: 'Members of Acme' }).waitFor()
  const offered = await page.getByLabel('Role').locator('option').allTextContents()
  assert.deepEqual(offered.toSorted(), ['clerk', 'editor', 'owner'])
  assert.equal(offered.at(-1), 'owner')

  await invite(page, INVITED)
  await status(page, 'pending')
  await invite(page, INVITED)
  await alertOf(page, 'pending invitation')
  await accept(member, place)
  await alertOf(member, REFUSAL)
  await page.goto(origin)
  await status(page, 'active')

  const box = (name: string) => row(page, INVITED).getByLabel(name)
  assert.equal(await box('clerk').isChecked(), true)
  await box('clerk').uncheck()
  await box('editor').check()
  await press(page, 'Save roles')
  await press(page, 'Block')
  await status(page, 'blocked')
  assert.deepEqual([await box('clerk').isChecked(), await box('editor').isChecked()], [false, true])
  const { body } = await admin.get(`/admin/memberships?search=${INVITED}`)
  assert.deepEqual(body.data[0].roles, [roles.editor])
  assert.deepEqual([body.data[0].status, body.data[0].blockedBy], ['blocked', 'account'])
  await member.reload()
  await alertOf(member, 'Your session has ended.')

  await press(page, 'Block', ADMIN)
  await alertOf(page, 'no active admin')
  await page.getByLabel('Search').fill('alice')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('1 in total').waitFor()
}

/** A page of another site cannot make the browser change members, although it sends the session cookie. */
async function checkForgery(page: Page, { admin, origin }: Organization): Promise<void> {
  const member = async () => (await admin.get(`/admin/memberships?search=${INVITED}`)).body.data[0]
  const { id } = await member()
  const cookies = await page.context().cookies(origin)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  /** The path of either application; the other one has no such path. */
  const unblock = async (from: string) => {
    const init = { method: 'POST', headers: { cookie, origin: from }, redirect: 'manual' } as const
    for (const path of [`/members/${id}/unblock`, `/api/members/${id}/unblock`])
      await fetch(origin + path, init)
    return (await member()).status
  }
  assert.equal(await unblock('https://attacker.example'), 'blocked')
  assert.equal(await unblock(origin), 'active')
}

export async function checkMembers(place: Organization, browser: Browser): Promise<void> {
  const [page, member, elsewhere] = await Promise.all([
    browser.newPage(),
    browser.newPage(),
    browser.newPage(),
  ])
  const received = watch(page, place.origin)
  await signInTo('Acme', page, place.origin)
  await manage(page, member, place)
  await checkForgery(page, place)

  // The admin of one account is not an admin of another.
  await signInTo('Birch', elsewhere, place.origin)
  await alertOf(elsewhere, REFUSAL)

  await setTimeout((TTL_ACCESS_TOKEN + 1) * 1_000)
  await page.goto(place.origin)
  await page.getByRole('heading', { name: 'Members of Acme' }).waitFor()
  assert.equal(/eyJ[\w-]+\.eyJ/.test(await received()), false, 'no token reaches the browser')
  await page.getByText('Sign out').click()
  await page.getByText('Sign in').click()
  await page.locator('[name=password]').waitFor()
}

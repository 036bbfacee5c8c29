/** The pages of the installation, in Chromium. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { startEmailWorker } from '../../server/src/jobs/email/deliver.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { freePort } from '../../server/test/support/postgres.ts'
import { startSmtpServer } from '../../server/test/support/smtp-server.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { en, fill } from '../src/texts/texts.ts'
import { openAs, show } from './visit.ts'

after(closeBrowser)

test('a test email shows why the mail server cannot be reached, and that it accepts the next one', async (t) => {
  const app = await startTestApp(t)
  const { user, browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const dialog = page.getByRole('dialog')
  const { sendTest, testAgain, testSent, mailProblems } = en.installation
  const port = await freePort()
  const config = {
    MAIL_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'no-reply@example.test',
    BASE_URL: app.url,
    DATA_DIR: '/nonexistent',
  }
  const { db, seal } = app
  const mailer = startEmailWorker({ db, seal, config, log: pino({ level: 'silent' }) })
  t.after(() => mailer.stop())
  await show(visit, app.url, 'installation?tab=mail')

  await page.getByRole('button', { name: sendTest }).click()
  await dialog.getByRole('button', { name: sendTest }).click()
  await dialog.getByText(mailProblems.unreachable).waitFor()
  await dialog.getByText(/ECONNREFUSED/).waitFor()
  const office = await startSmtpServer(t, { port })
  await dialog.getByRole('button', { name: testAgain }).click()
  await dialog.getByText(fill(testSent, { address: user.email })).waitFor()

  assert.ok(office.deliveriesTo(user.email).length > 0)
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('the installation says what is open before production, and which applications redirect to a developer', async (t) => {
  const app = await startTestApp(t)
  const local = await app.newSystem({ redirectUris: ['http://localhost:3000/cb', 'https://app.example/cb'] })
  const other = await app.newSystem({ redirectUris: ['https://localhost.example/cb'] })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const { page } = visit
  const { title, open, done, checks } = en.production
  await show(visit, app.url, 'installation')
  const panel = page.locator('section', { has: page.getByRole('heading', { name: title }) })
  const stateOf = (check: keyof typeof checks) =>
    panel
      .locator('li', { has: page.getByRole('heading', { name: checks[check].title }) })
      .locator('.badge')
      .textContent()
  const link = (name: string) => panel.getByRole('link', { name })

  await link(local.name).waitFor()
  const before = [await stateOf('address'), await stateOf('secondFactor'), await stateOf('mail')]
  assert.deepEqual(before, [open, open, done])
  assert.deepEqual([await stateOf('redirectUris'), await link(other.name).count()], [open, 0])
  const redirectUris = ['https://app.example/cb']
  const { status } = await app.platform.patch(`/admin/systems/${local.id}`, { redirectUris })
  assert.equal(status, 200)
  await page.reload()

  await panel.getByText(checks.address.title).waitFor()
  assert.equal(await link(local.name).count(), 0)
  await visit.context.close()
})

/** What a mailer adds to an email: the name and the address of the installation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { read, startSmtpServer } from '../../../test/support/smtp-server.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { startEmailWorker } from './deliver.ts'
import { enqueueEmail, OF_NO_SYSTEM } from './enqueue.ts'
import { passwordChanged } from './messages.ts'

test('an email of no application has the name of the installation, and a button where it says to change the password', async (t) => {
  const app = await startTestApp(t)
  const office = await startSmtpServer(t)
  const mailer = startEmailWorker({
    ...app,
    log: pino({ level: 'silent' }),
    config: {
      MAIL_FROM: 'no-reply@example.test',
      MAIL_URL: `smtp://${office.address}`,
      BASE_URL: app.url,
      DATA_DIR: '/nonexistent',
      INSTALLATION_NAME: 'Northsea <ID>',
    },
  })
  t.after(() => mailer.stop())
  const user = await app.newUser()
  await enqueueEmail(app.db, app.seal, passwordChanged(user, 'inSettings'), OF_NO_SYSTEM)
  await app.platform.post(`/admin/users/${user.id}/set-password`, { password: 'set by the platform' })

  await t.waitFor(() => assert.equal(office.deliveriesTo(user.email).length, 2), SOON)
  const mails = office.deliveriesTo(user.email).map(read)
  const [own, byAdministrator] = ['in its settings', 'An administrator'].map(
    (said) => mails.find(({ text }) => text.includes(said))!,
  )
  const href = `${app.url}/account/password`
  for (const { html } of mails) assert.match(html, />Northsea &#60;ID&#62;</)
  assert.match(own!.text, new RegExp(`^Change password: ${href}\r?$`, 'm'))
  assert.match(own!.html, new RegExp(`<a class="button" href="${href}"[^>]*>Change password<`))
  assert.ok(!byAdministrator!.html.includes(href))
})

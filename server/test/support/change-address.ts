/** Users who change their own address. */
import assert from 'node:assert/strict'
import { type Driver, PASSWORD } from './testing.ts'

/** Changes the address of a user whose own is not verified. Returns the status of the confirmation. */
export async function changeAddress(app: Driver, email: string, to: string): Promise<number> {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account/email'))
  const form = await browser.follow(await browser.submit(login, { email, password: PASSWORD }))
  await browser.submit(form, { email: to })
  const link = (await app.emailsTo(to)).findLast(({ kind }) => kind === 'email_change')
  assert.ok(link, 'the new address gets a link')
  const token = new URL(/https?:\S+/.exec(link.text)![0]).searchParams.get('token')!
  return (await browser.post('/change-email', { token })).status
}

/** Second factors in tests: emailed codes, an authenticator app, and the steps of a sign-in. */
import { generateSync } from 'otplib'
import { type Answer, authUrl, type Driver, newPkce, PASSWORD, type TestBrowser } from './testing.ts'

export type App = Driver
export type SystemLike = Parameters<App['signIn']>[0]

const now = () => Math.floor(Date.now() / 1_000)

/** The TOTP code, `steps` of 30 s from now. */
export const appCode = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: now() + 30 * steps })

/** Waits for the next TOTP step if less than `seconds` remain of the current one. */
export async function withinStep(seconds = 5): Promise<void> {
  const left = 30 - ((Date.now() / 1_000) % 30)
  if (left < seconds) await new Promise((resolve) => setTimeout(resolve, left * 1_000 + 50))
}

/** The latest emailed code. */
export async function mailedCode(app: App, email: string): Promise<string> {
  const emails = (await app.emailsTo(email)).filter(({ kind }) => kind === 'mailed_code')
  return /^\d{6}$/m.exec(emails.at(-1)?.text ?? '')?.[0] ?? 'none'
}

export const begin = async (
  browser: TestBrowser,
  system: SystemLike,
  parameters: Record<string, string> = {},
): Promise<Answer> => browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))

/** The page after the password. */
export const afterPassword = async (
  browser: TestBrowser,
  system: SystemLike,
  email: string,
  parameters: Record<string, string> = {},
) =>
  browser.follow(
    await browser.submit(await begin(browser, system, parameters), { email, password: PASSWORD }),
  )

/** The step of a page, by the action of its first form. */
export const stepOf = (page: Answer): string | undefined =>
  /action="\/interaction\/[\w-]+\/([\w-]+)"/.exec(String(page.body))?.[1]
export const uidOf = (page: Answer): string => /\/interaction\/([\w-]+)\//.exec(String(page.body))![1]!
const csrfOf = (page: Answer): string => /name="csrf" value="([^"]+)"/.exec(String(page.body))![1]!

/** Posts fields to a step of the page's sign-in. */
export const sendTo = (browser: TestBrowser, page: Answer, step: string, fields: Record<string, string>) =>
  browser.post(`/interaction/${uidOf(page)}/${step}`, { csrf: csrfOf(page), ...fields })

export const codeOf = (answer: Answer) => {
  const location = answer.headers.get('location')
  return location ? new URL(location).searchParams.get('code') : null
}

export const secretOn = (page: Answer): string =>
  /id="secret"[^>]*>([A-Z2-7 ]+)</.exec(String(page.body))![1]!.replaceAll(' ', '')
export const recoveryCodesOn = (page: Answer): string[] =>
  [...String(page.body).matchAll(/<li><code>([A-Z2-7]{5}-[A-Z2-7]{5})<\/code>/g)].map(([, code]) => code!)
/** Continues from the page of the recovery codes. */
export const continueSignIn = (browser: TestBrowser, page: Answer) =>
  browser
    .get(/id="next" href="([^"]+)"/.exec(String(page.body))![1]!)
    .then((answer) => browser.follow(answer))

/** A member who enrolled an authenticator app at a sign-in to a system that requires one. */
export async function memberWithApp(app: App, fields: object = {}) {
  const { system, user, membership } = await app.newMember({ skipConsent: true, requireMfa: true, ...fields })
  const browser = app.newBrowser()
  const page = await afterPassword(browser, system, user.email)
  const secret = secretOn(page)
  await withinStep()
  const done = await sendTo(browser, page, 'enrol', { code: appCode(secret, -1) })
  if (done.status !== 200) throw new Error(`not enrolled: ${done.status} ${String(done.body).slice(0, 400)}`)
  return { system, user, membership, browser, secret, recoveryCodes: recoveryCodesOn(done), done }
}

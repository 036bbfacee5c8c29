/** An organization with admins and members, who use its pages below /account. */

import { word } from './sample-names.ts'
import { type Answer, type Driver, PASSWORD, type TestBrowser } from './testing.ts'

export type Visitor = {
  id: string
  email: string
  membershipId: string
  browser: TestBrowser
  /** Opens a page of the organization. */
  open: (path?: string) => Promise<Answer>
  /** Submits a form of the organization, with the token of the page that was opened last. */
  send: (path: string, fields?: Record<string, string> | string[][]) => Promise<Answer>
}

export const text = ({ body }: Answer) => String(body)
export const csrfOf = (page: Answer) => /name="csrf" value="([^"]+)"/.exec(text(page))?.[1] ?? ''

/** Signs in to /account. */
export async function signInToAccount(app: Driver, email: string, password = PASSWORD) {
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get('/account'))
  const page = await browser.follow(await browser.submit(login, { email, password }))
  return { browser, page }
}

/** Browsers that are not signed in to more than they use. */
export async function visitorOf(
  app: Driver,
  { accountId, membershipId = '' }: { accountId: string; membershipId?: string },
  { id, email }: { id: string; email: string },
): Promise<Visitor> {
  const { browser, page } = await signInToAccount(app, email)
  let csrf = csrfOf(page)
  const at = `/account/organizations/${accountId}`
  const open = async (path = '') => {
    const answer = await browser.get(at + path)
    csrf = csrfOf(answer) || csrf
    return answer
  }
  const send = (path: string, fields: Record<string, string> | string[][] = {}) => {
    const pairs = Array.isArray(fields) ? fields : Object.entries(fields)
    return browser.post(at + path, [['csrf', csrf], ...pairs])
  }
  return { id, email, membershipId, browser, open, send }
}

/** A system with an organization that has this number of admins, and one member without roles. */
export async function newTeam(
  app: Driver,
  { admins: count = 1, ...fields }: { admins?: number; [setting: string]: unknown } = {},
) {
  const settings = { multiAccount: true, skipConsent: true, allowClientCredentials: true, ...fields }
  const system = await app.newSystem(settings)
  const adminRole = await app.newRole(system.id, { isAdmin: true, name: 'Chief' })
  const role = await app.newRole(system.id, { name: 'Clerk' })
  const name = `Acme ${word()}`
  let accountId: string | undefined
  const join = async (roles: string[], more: object = {}): Promise<Visitor> => {
    const user = await app.newUser(more)
    const membership = await app.newMembership({
      userId: user.id,
      roles,
      status: 'active',
      ...(accountId === undefined ? { systemId: system.id, accountName: name } : { accountId }),
    })
    accountId = String(membership.accountId)
    return visitorOf(app, { accountId, membershipId: membership.id }, user as never)
  }
  const admins: Visitor[] = []
  for (let n = 0; n < count; n += 1) admins.push(await join([adminRole.id]))
  const member = await join([])
  const path = `/account/organizations/${accountId}`
  return {
    system,
    adminRole,
    role,
    name,
    accountId: accountId!,
    path,
    admins,
    admin: admins[0]!,
    member,
    join,
  }
}

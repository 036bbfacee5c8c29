/** Two systems that act on one user, and the user's sign-ins, for the interleavings of scopes-acts.ts. */
import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../src/crypto/password-hash.ts'
import { sql } from '../../src/database/drizzle.ts'
import { mailedCode, sendTo, stepOf } from './factors.ts'
import { type AdminClient, expectStatus } from './http.ts'
import { codesAt, confirm, type Model, type Place, usesOwnFactor } from './scopes-model.ts'
import {
  type Answer,
  authUrl,
  type Driver,
  newBrowser,
  newPkce,
  type startTestApp,
  type TestBrowser,
} from './testing.ts'

export type App = Awaited<ReturnType<typeof startTestApp>>
type SystemLike = Parameters<Driver['authorize']>[0]

/** A system with two accounts: the first has an administrator. */
export type Tenant = {
  system: SystemLike
  service: AdminClient
  admin: AdminClient
  accounts: [string, string]
  /** The administrator, an operator of the system, and a user of its support. */
  people: Record<'boss' | 'operator' | 'agent', { id: string; email: string }>
  /** A password of this system, and its hash for imports. */
  imported: { password: string; hash: string }
}
export type World = { app: App; since: string } & Record<Place, Tenant>
export type Run = World & { model: Model }

export async function newWorld(app: App): Promise<World> {
  const since = new Date().toISOString()
  const tenant = async (): Promise<Tenant> => {
    const system = await app.newSystem({
      multiAccount: true,
      skipConsent: true,
      allowClientCredentials: true,
      allowSelfRegister: true,
      allowActingForMembers: true,
    })
    const role = await app.newRole(system.id, { isAdmin: true })
    const acts = { canActForMembers: true, assignableByAccountAdmins: false }
    const support = await app.newRole(system.id, acts)
    const [boss, operator, agent] = [await app.newUser(), await app.newUser(), await app.newUser()]
    const operating = { userId: operator.id, level: 'admin', systemId: system.id }
    expectStatus(await app.platform.post('/admin/operators', operating), 201)
    const open = (fields: object) =>
      app.newMembership({ userId: boss.id, systemId: system.id, accountName: 'Acme', ...fields })
    const accounts = [await open({ roles: [role.id] }), await open({})].map(({ accountId }) => accountId)
    const desk = { systemId: system.id, accountName: 'Support', roles: [support.id] }
    await app.newMembership({ userId: agent.id, ...desk })
    const { access_token: token } = await app.signIn(system, { email: boss.email, account: accounts[0] })
    const password = `an imported password ${crypto.randomUUID()}`
    return {
      system,
      service: await app.serviceOf(system),
      admin: app.as(token),
      accounts: accounts as [string, string],
      people: { boss, operator, agent } as Tenant['people'],
      imported: { password, hash: await hashPassword(password, null) },
    }
  }
  return { app, since, S: await tenant(), T: await tenant() }
}

/** A browser of a network of its own, so that no attempt waits for another. */
export const newVisitor = ({ url }: App): TestBrowser =>
  newBrowser(url, { always: { 'x-forwarded-for': `198.18.${[...randomBytes(2)].join('.')}` } })

/** Continues a sign-in to its end, with a recovery code if a second factor is asked for. */
export async function finish(
  run: Run,
  visitor: TestBrowser,
  { page: start, password, at }: { page: Answer; password: string; at: Place | 'account' },
) {
  const { model } = run
  let page = start
  let asked = false
  let askedCode = false
  // The start is 401 after a rejected password.
  for (let steps = 0; steps < 8 && (page.status === 200 || page === start); steps++) {
    const body = String(page.body)
    if (!stepOf(page)) break
    if (stepOf(page) === 'verify-email') {
      askedCode = true
      const ofOwner = asked && usesOwnFactor(model, at)
      page = await confirmByCode(run, visitor, page, password === model.global.password, ofOwner)
      continue
    }
    const [, accountId] = /name="accountId" value="([0-9a-f-]{36})"/.exec(body) ?? []
    if (stepOf(page) === 'account' && !accountId) break // an invitation or a new account is offered
    const isFactor = stepOf(page) === 'second-factor'
    asked ||= isFactor
    const fields: Record<string, string> = isFactor
      ? { recoveryCode: codesAt(model, at)?.shift() ?? '' }
      : accountId
        ? { accountId }
        : { email: model.email, password }
    page = await visitor.follow(await visitor.submit(page, fields))
  }
  return { page, asked, askedCode }
}

/** Enters the emailed code. */
async function confirmByCode(
  { app, model }: Run,
  visitor: TestBrowser,
  page: Answer,
  isGlobal: boolean,
  hasFactor: boolean,
): Promise<Answer> {
  const code = await mailedCode(app, model.email)
  confirm(model, [...(isGlobal ? (['password'] as const) : []), ...(hasFactor ? (['codes'] as const) : [])])
  // Deletes the limit of one emailed code a minute. Locked rows, which are of other users, are left.
  await app.db.execute(sql`delete from limits where ctid in (select ctid from limits for update skip locked)`)
  return visitor.follow(await sendTo(visitor, page, 'verify-email', { code }))
}

/** A browser at the form of a sign-in. */
export type Visit = { visitor: TestBrowser; page: Answer; pkce: ReturnType<typeof newPkce> }

/** Opens the sign-in of a system, or of the account pages, in a new browser. */
export async function visit({ app, ...world }: Run, at: Place | 'account'): Promise<Visit> {
  const [visitor, pkce] = [newVisitor(app), newPkce()]
  const url = at === 'account' ? '/account' : authUrl(world[at].system, pkce.challenge)
  return { visitor, pkce, page: await visitor.follow(await visitor.get(url)) }
}

/** A sign-in up to the application. */
export async function enter(run: Run, at: Place, password: string, open?: Visit) {
  const { visitor, pkce, page: start } = open ?? (await visit(run, at))
  const { page, asked, askedCode } = await finish(run, visitor, { page: start, password, at })
  const back = new URL(page.headers.get('location') ?? 'none:').searchParams
  return { visitor, pkce, page, asked, askedCode, back: Object.fromEntries(back) as Record<string, string> }
}

/** A sign-in to the account pages. */
export async function enterAccount(run: Run, password: string, open?: Visit) {
  const { visitor, page: start } = open ?? (await visit(run, 'account'))
  return { visitor, ...(await finish(run, visitor, { page: start, password, at: 'account' })) }
}

/** Random states of one user and one system, written to the database, and a sign-in from each of them. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { generateSecret } from 'otplib'
import { AAL2 } from '../../src/authentication/assurance.ts'
import { hashPassword } from '../../src/crypto/password-hash.ts'
import { sql } from '../../src/database/drizzle.ts'
import {
  accounts,
  blocks,
  consents,
  memberships,
  passwords,
  systemUsers,
  totpFactors,
  unconfirmedCredentials,
  users,
} from '../../src/database/schema.ts'
import { sealTotpSecret } from '../../src/resources/factors/totp-secret.ts'
import { appCode, continueSignIn, mailedCode, secretOn, sendTo, stepOf } from './factors.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  type Driver,
  newBrowser,
  newPkce,
  PASSWORD,
  type TestBrowser,
} from './testing.ts'

const settings = fc.record({
  multiAccount: fc.boolean(),
  allowSelfRegister: fc.boolean(),
  requireAdminActivation: fc.boolean(),
  requireEmailOtp: rarely(),
  requireMfa: rarely(),
  skipConsent: fc.boolean(),
})

function rarely(): fc.Arbitrary<boolean> {
  return fc.constantFrom(false, false, false, true)
}

const membership = fc.record({
  status: fc.constantFrom('active', 'active', 'pending', 'blocked'),
  addedBy: fc.constantFrom('platform', 'system', 'user'),
  consented: fc.constantFrom('all', 'some', 'none'),
  isAdmin: fc.boolean(),
})

export const signInState = fc.record({
  system: settings,
  user: fc.record({
    emailVerified: fc.boolean(),
    disabled: fc.constantFrom('no', 'no', 'no', 'no', 'no', 'no', 'everywhere', 'here'),
    password: fc.constantFrom('own', 'own', 'own', 'own', 'temporary', 'ofSystem', 'expired', 'none'),
    factor: fc.constantFrom('none', 'none', 'none', 'own', 'ofSystem', 'refused'),
    isUnconfirmed: rarely(),
    /** A user of another system, who has not entered this one. */
    isElsewhere: fc.boolean(),
  }),
  memberships: fc.array(membership, { maxLength: 3 }),
  /** The account that the application requests: none, one of the memberships, or an unknown one. */
  requested: fc.constantFrom(undefined, undefined, undefined, 0, 1, 'unknown'),
  acr: fc.constantFrom(undefined, undefined, 'mfa'),
  /** The user does what the steps ask for; otherwise the sign-in is left at the step after the login. */
  isFinished: rarely(),
  /** The browser has signed in to another system before; `max_age` of the request, in seconds. */
  browser: fc.constantFrom(
    ...Array.from({ length: 12 }, () => 'new'),
    'signedIn',
    'signedIn:0',
    'signedIn:600',
  ),
})
export type SignInState = typeof signInState extends fc.Arbitrary<infer T> ? T : never

export type Stored = {
  userId: string
  email: string
  system: Parameters<Driver['signIn']>[0]
  accountId: string | undefined
  secret: string
}

const hash = hashPassword(PASSWORD, null)
const secrets = generateSecret()

/** Systems by their settings: the states share them. */
export function systemsOf(app: Driver) {
  const made = new Map<string, ReturnType<Driver['newSystem']>>()
  return (fields: object) => {
    const key = JSON.stringify(fields)
    const system = made.get(key) ?? app.newSystem(fields)
    made.set(key, system)
    return system
  }
}
type Systems = ReturnType<typeof systemsOf>

/** In a 1:1 system a user has at most one membership. */
const membershipsOf = ({ memberships, system }: SignInState) =>
  memberships.slice(0, system.multiAccount ? undefined : 1)

export async function store(app: Driver, systems: Systems, state: SignInState): Promise<Stored> {
  const { user } = state
  const system = await systems(state.system)
  const elsewhere = user.isElsewhere ? await systems({ skipConsent: true }) : undefined
  const [id, email] = [crypto.randomUUID(), `state-${randomBytes(8).toString('hex')}@example.test`]
  const stored = membershipsOf(state)
  const ids = stored.map(() => crypto.randomUUID())
  const requested = typeof state.requested === 'number' ? ids[state.requested] : undefined
  const passwordHash = await hash
  await app.db.transaction(async (tx) => {
    await tx
      .insert(users)
      .values({ id, email, emailVerified: user.emailVerified, disabled: user.disabled === 'everywhere' })
    const isHere =
      stored.length > 0 ||
      user.password === 'ofSystem' ||
      user.factor === 'ofSystem' ||
      user.disabled === 'here'
    const rows = [...(isHere ? [system] : []), ...(elsewhere ? [elsewhere] : [])]
    if (rows.length > 0)
      await tx.insert(systemUsers).values(
        rows.map((each) => ({
          userId: id,
          systemId: each.id,
          email,
          disabled: each === system && user.disabled === 'here',
          ...(each === system &&
            user.factor === 'refused' && { factorsAfter: sql`now() - interval '1 hour'` }),
        })),
      )
    await storeCredentials(tx as unknown as Driver['db'], app, {
      ...state,
      id,
      systemId: system.id,
      passwordHash,
    })
    for (const [nth, { status, addedBy, consented, isAdmin }] of stored.entries())
      await storeMembership(
        tx as unknown as Driver['db'],
        {
          userId: id,
          email,
          system,
          accountId: ids[nth]!,
          status,
          addedBy,
          consented,
          isAdmin,
          exclusive: !state.system.multiAccount,
        } as never,
      )
  })
  const accountId = requested ?? (state.requested === undefined ? undefined : crypto.randomUUID())
  return { userId: id, email, system: system as Stored['system'], accountId, secret: secrets }
}

type Credentials = Pick<SignInState, 'user'> & { id: string; systemId: string; passwordHash: string }

async function storeCredentials(
  db: Driver['db'],
  app: Driver,
  { user, id: userId, systemId, passwordHash }: Credentials,
) {
  const { password, factor } = user
  if (password !== 'none') {
    const isTemporary = password === 'temporary' || password === 'expired'
    const [row] = await db
      .insert(passwords)
      .values({
        userId,
        systemId: password === 'ofSystem' ? systemId : null,
        hash: passwordHash,
        mustChange: isTemporary,
        ...(isTemporary && {
          expiresAt: sql`now() + make_interval(hours => ${password === 'expired' ? -1 : 1})`,
        }),
      })
      .returning({ id: passwords.id })
    if (user.isUnconfirmed && password === 'own')
      await db.insert(unconfirmedCredentials).values({ userId, credentialId: row!.id })
  }
  if (factor !== 'none')
    await db.insert(totpFactors).values({
      userId,
      systemId: factor === 'ofSystem' ? systemId : null,
      sealedSecret: sealTotpSecret(app.seal, userId, secrets),
      confirmedAt: sql`now()`,
      createdAt: sql`now() - make_interval(hours => ${factor === 'refused' ? 2 : 0})`,
    })
}

type NewMembership = Omit<typeof memberships.$inferInsert, 'systemId'> & {
  system: Stored['system']
  consented: string
}

async function storeMembership(db: Driver['db'], { system, consented, ...row }: NewMembership) {
  const { accountId, userId, status } = row
  const systemId = system.id
  const kind = row.exclusive
    ? { kind: 'personal' as const, personalOf: userId }
    : { kind: 'organization' as const }
  await db.insert(accounts).values({ id: accountId, systemId, name: `Account ${accountId}`, ...kind })
  if (status === 'blocked') await db.insert(blocks).values({ userId, systemId, accountId, setBy: 'system' })
  await db.insert(memberships).values({
    ...(row as typeof memberships.$inferInsert),
    systemId,
    ...(status === 'blocked' && { blockedBy: 'system' as const }),
  })
  const scopes = consented === 'all' ? system.allowedScopes : ['openid', 'email']
  if (consented !== 'none') await db.insert(consents).values({ userId, accountId, scopes, claims: [] })
}

/** The steps of the pages, by the first form of each, under the names of an explanation. */
const PAGES: Record<string, string> = {
  login: 'login',
  'verify-email': 'address',
  'change-password': 'password',
  'email-otp': 'code',
  'second-factor': 'factor:verify',
  enrol: 'factor:enrol',
  join: 'membership:join',
  abort: 'membership:refused',
  account: 'account',
  consent: 'consent',
}

export type Ended = {
  steps: string[]
  outcome: 'code' | 'access_denied' | 'wrong' | 'page'
  claims?: Record<string, unknown>
}

/** Pages at which the user decides, or can only leave. */
const ENDS = new Set(['membership:join', 'membership:refused', 'account'])

/** Signs in, does what each step asks for, and returns the steps. Stops where the user has to decide. */
export async function signInFrom(
  app: Driver,
  systems: Systems,
  state: SignInState,
  stored: Stored,
): Promise<Ended> {
  const visitor = newBrowser(app.url)
  const [kind, maxAge] = state.browser.split(':')
  if (kind === 'signedIn') await signInElsewhere(systems, visitor, stored)
  const pkce = newPkce()
  const url = authUrl(stored.system, pkce.challenge, {
    account_id: stored.accountId,
    max_age: maxAge,
    acr_values: state.acr === 'mfa' ? AAL2 : undefined,
  })
  let page = await visitor.follow(await visitor.get(url))
  const steps: string[] = []
  const isLeft = kind === 'new' && !state.isFinished
  for (;;) {
    if (page.status === 401) return { steps, outcome: 'wrong' }
    const location = page.headers.get('location')
    if (location) {
      const back = Object.fromEntries(new URL(location).searchParams) as Record<string, string>
      if (!back.code) return { steps, outcome: 'access_denied' }
      const { body } = await app.token(stored.system, codeFields(stored.system, { back, pkce }))
      const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
      return { steps, outcome: 'code', claims }
    }
    const form = stepOf(page)
    const step = PAGES[form ?? '']
    if (!form || !step) throw new Error(`an unknown page: ${page.status} ${String(page.body).slice(0, 300)}`)
    steps.push(step)
    if (steps.length > 9) throw new Error(`no end: ${steps}`)
    if (ENDS.has(step) || (step !== 'login' && isLeft)) return { steps, outcome: 'page' }
    page = await answer(app, visitor, page, { form, stored })
  }
}

/** A browser that is signed in to another system, if the user can. */
async function signInElsewhere(systems: Systems, visitor: TestBrowser, { email }: Stored) {
  const system = (await systems({ skipConsent: true })) as Stored['system']
  const page = await visitor.follow(await visitor.get(authUrl(system, newPkce().challenge)))
  await visitor.follow(await visitor.submit(page, { email, password: PASSWORD }))
}

type Asked = { form: string; stored: Stored }

async function answer(
  app: Driver,
  visitor: TestBrowser,
  page: Answer,
  { form, stored }: Asked,
): Promise<Answer> {
  const { email, secret } = stored
  const send = async (fields: Record<string, string>) =>
    visitor.follow(await sendTo(visitor, page, form, fields))
  switch (form) {
    case 'login':
      return send({ email, password: PASSWORD })
    case 'verify-email':
    case 'email-otp': {
      const code = await mailedCode(app, email)
      // Deletes the limit of one emailed code a minute. Locked rows, which are of other users, are left.
      await app.db.execute(
        sql`delete from limits where ctid in (select ctid from limits for update skip locked)`,
      )
      return send({ code })
    }
    case 'change-password':
      return send({ password: `a new ${PASSWORD}` })
    case 'second-factor':
      return send({ code: appCode(secret) })
    case 'enrol':
      return continueSignIn(visitor, await sendTo(visitor, page, form, { code: appCode(secretOn(page)) }))
    default:
      return send({})
  }
}

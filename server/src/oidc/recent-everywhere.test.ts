/** What counts as a recent sign-in, at every place that requires one, for the same states of a browser. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type AgedProof, removePasswords, setProofs } from '../../test/support/browser-sessions.ts'
import { consoleClient } from '../../test/support/console.ts'
import { askAs, enter } from '../../test/support/device.ts'
import { appCode, begin, secretOn, sendTo, stepOf, withinStep } from '../../test/support/factors.ts'
import { csrfOf, newTeam, text } from '../../test/support/organizations.ts'
import {
  type Answer,
  authUrl,
  codeFields,
  type Driver,
  newPkce,
  PASSWORD,
  startTestApp,
  type TestBrowser,
} from '../../test/support/testing.ts'
import { AAL2 } from '../authentication/assurance.ts'
import { and, eq, isNull } from '../database/drizzle.ts'
import { identities, passkeys, passwords, totpFactors } from '../database/schema.ts'

type App = Awaited<ReturnType<typeof startTestApp>>
type Team = Awaited<ReturnType<typeof newTeam>> & { actedFor: string; supportRole: string }
type Person = { app: App; team: Team; id: string; email: string; browser: TestBrowser }

/** The credentials that a user can have; the id of each is in its proofs. */
type Credential = 'own' | 'ofSystem' | 'provider' | 'passkey' | 'app'

type State = {
  has: Credential[]
  proofs: (AgedProof & { by?: Credential })[]
  /** Where only the user's own credentials count, and where those of the system count too. */
  recent: { everywhere: boolean; inSystem: boolean }
}

const [NOW, OLD] = [0, 301]
const by = (
  method: AgedProof['method'],
  credential: Credential | undefined,
  age: number,
  more: object = {},
) => ({
  method,
  credential: null,
  age,
  ...(credential && { by: credential }),
  ...more,
})
const password = (age: number) => by('password', 'own', age)
const ofSystem = (age: number) => by('password', 'ofSystem', age)
const provider = (age: number) => by('social', 'provider', age)
const second = { primary: false }
const [everywhere, nowhere] = [
  { everywhere: true, inSystem: true },
  { everywhere: false, inSystem: false },
]

const STATES: Record<string, State> = {
  'a password': { has: ['own'], proofs: [password(NOW)], recent: everywhere },
  'a password, 301 seconds ago': { has: ['own'], proofs: [password(OLD)], recent: nowhere },
  'another provider': { has: ['own', 'provider'], proofs: [provider(NOW)], recent: nowhere },
  'another provider, without other credentials': {
    has: ['provider'],
    proofs: [provider(NOW)],
    recent: everywhere,
  },
  'another provider, without other credentials, 301 seconds ago': {
    has: ['provider'],
    proofs: [provider(OLD)],
    recent: nowhere,
  },
  'another provider, of a user with a passkey': {
    has: ['provider', 'passkey'],
    proofs: [provider(NOW), by('passkey', 'passkey', OLD, second)],
    recent: nowhere,
  },
  'a passkey': { has: ['own', 'passkey'], proofs: [by('passkey', 'passkey', NOW)], recent: everywhere },
  'a second factor only, after an old password': {
    has: ['own', 'app'],
    proofs: [password(OLD), by('totp', 'app', NOW, second)],
    recent: nowhere,
  },
  'a passkey as the second factor of another provider': {
    has: ['own', 'provider', 'passkey'],
    proofs: [provider(NOW), by('passkey', 'passkey', NOW, second)],
    recent: nowhere,
  },
  'an emailed code': { has: ['own'], proofs: [by('mailedCode', undefined, NOW)], recent: nowhere },
  'the password of the system': {
    has: ['own', 'ofSystem'],
    proofs: [ofSystem(NOW)],
    recent: { everywhere: false, inSystem: true },
  },
  'the password of the system, beside an old login by another provider': {
    has: ['own', 'ofSystem', 'provider'],
    proofs: [provider(OLD), ofSystem(NOW)],
    recent: { everywhere: false, inSystem: true },
  },
  'another provider, beside an old password of the system': {
    has: ['own', 'ofSystem', 'provider'],
    proofs: [ofSystem(OLD), provider(NOW)],
    recent: nowhere,
  },
}

const isAway = ({ headers }: Answer) => /^\/auth\?/.test(headers.get('location') ?? '')
const AT = '/account/organizations'

/** The access token that the application gets without a prompt; undefined if a login is required. */
async function silently({ app, team, browser }: Person, parameters: Record<string, string> = {}) {
  const pkce = newPkce()
  const answer = await browser.get(authUrl(team.system, pkce.challenge, { prompt: 'none', ...parameters }))
  const back = new URL(answer.headers.get('location') ?? '').searchParams
  if (back.get('error') === 'login_required') return undefined
  const code = back.get('code')
  assert.ok(code, String(back))
  return (await app.token(team.system, codeFields(team.system, { back: { code }, pkce }))).body.access_token
}

const invitation = ({ adminRole }: Team) => ({ email: `${randomUUID()}@example.test`, roles: [adminRole.id] })
const isAllowed = ({ status, body }: Answer) => {
  if (status === 201) return true
  assert.ok(['insufficient_user_authentication', 'sign_in_required'].includes(body.code), body.code)
  return false
}

/** Whether a first factor can be enrolled; a user who has one is asked for it instead. */
function offersEnrollment(page: Answer): boolean {
  assert.ok(['enrol', 'login', 'forgot-password'].includes(stepOf(page) ?? ''), stepOf(page))
  return stepOf(page) === 'enrol'
}

type Surface = { counts: keyof State['recent']; isEnrollment?: true; asks: (at: Person) => Promise<boolean> }

const SURFACES: Record<string, Surface> = {
  'the pages of the user': {
    counts: 'everywhere',
    asks: async ({ browser }) => !isAway(await browser.get('/account/security')),
  },
  'a page of the organization': {
    counts: 'everywhere',
    asks: async ({ browser, team }) =>
      !isAway(await browser.get(`${AT}/${team.accountId}/service-accounts/new`)),
  },
  'a form of the organization': {
    counts: 'everywhere',
    async asks({ browser, team }) {
      const path = `${AT}/${team.accountId}/invitations`
      const page = await browser.get(path)
      if (isAway(page)) return false
      const fields = [
        ['csrf', csrfOf(page)],
        ['email', `${randomUUID()}@example.test`],
        ['roles', team.adminRole.id],
      ]
      return !isAway(await browser.post(path, fields))
    },
  },
  'the console': {
    counts: 'everywhere',
    async asks({ app, team, browser, id }) {
      const client = consoleClient(app.url, browser, { id }, `account:${team.accountId}`)
      return isAllowed(await client.post(`/admin/accounts/${team.accountId}/invitations`, invitation(team)))
    },
  },
  'the admin API': {
    counts: 'inSystem',
    async asks(person) {
      const { app, team } = person
      const token = await silently(person)
      if (token === undefined) return false
      return isAllowed(
        await app.as(token).post(`/admin/accounts/${team.accountId}/invitations`, invitation(team)),
      )
    },
  },
  'token exchange': {
    counts: 'inSystem',
    async asks(person) {
      const { app, team } = person
      const { status } = await app.token(team.system, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:tenantry:params:oauth:token-type:membership',
        actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        reason: 'Ticket 4711',
        subject_token: team.actedFor,
        actor_token: (await silently(person)) ?? 'none',
      })
      return status === 200
    },
  },
  'max_age of an application': {
    counts: 'inSystem',
    asks: async (person) => (await silently(person, { max_age: '300' })) !== undefined,
  },
  'the confirmation of a device': {
    counts: 'inSystem',
    async asks({ app, team, browser }) {
      const asked = await askAs(app, team.system)
      const page = await browser.follow(
        await browser.submit(await enter(browser, asked.user_code), { confirm: 'yes' }),
      )
      return stepOf(page) !== 'login'
    },
  },
  'the enrollment of a factor for the pages of the user': {
    counts: 'everywhere',
    isEnrollment: true,
    async asks({ app, browser }) {
      const account = new URLSearchParams({
        client_id: 'tenantry-account',
        response_type: 'none',
        scope: 'openid',
        redirect_uri: `${app.url}/account/callback`,
        acr_values: AAL2,
      })
      return offersEnrollment(await browser.follow(await browser.get(`/auth?${account}`)))
    },
  },
  'the enrollment of a factor in a sign-in': {
    counts: 'inSystem',
    isEnrollment: true,
    asks: async ({ browser, team }) =>
      offersEnrollment(await begin(browser, team.system, { acr_values: AAL2 })),
  },
}

async function newSupportTeam(app: Driver): Promise<Team> {
  const team = await newTeam(app, {
    allowServiceAccounts: true,
    allowActingForMembers: true,
    allowDeviceFlow: true,
  })
  const support = { assignableByAccountAdmins: false, canActForMembers: true }
  const { id: supportRole } = await app.newRole(team.system.id, support)
  const other = await app.newUser()
  const acted = await app.newMembership({
    userId: other.id,
    systemId: team.system.id,
    accountName: randomUUID(),
    status: 'active',
  })
  return { ...team, actedFor: acted.id, supportRole }
}

/** A user with these credentials, who is signed in to a browser. */
async function newPerson(app: App, team: Team, has: readonly Credential[]) {
  const { id: userId, email } = await app.newUser()
  await app.newMembership({
    userId,
    accountId: team.accountId,
    roles: [team.adminRole.id, team.supportRole],
    status: 'active',
  })
  const { visitor: browser } = await app.signIn(team.system, { email })
  const ids: Partial<Record<Credential, string>> = {}
  const given = async (kind: Credential, add: (id: string) => Promise<unknown>) => {
    if (!has.includes(kind)) return
    ids[kind] = randomUUID()
    await add(ids[kind])
  }
  if (!has.includes('own')) await removePasswords(app.db, userId)
  const own = and(eq(passwords.userId, userId), isNull(passwords.systemId))
  const [ownRow] = await app.db.select().from(passwords).where(own)
  if (ownRow) ids.own = ownRow.id
  await given('ofSystem', (id) =>
    app.db.insert(passwords).values({ id, userId, systemId: team.system.id, hash: ownRow?.hash ?? '' }),
  )
  await given('provider', (id) =>
    app.db
      .insert(identities)
      .values({ id, userId, provider: 'one', issuer: 'https://one.test', subject: id }),
  )
  await given('passkey', (id) =>
    app.db.insert(passkeys).values({ id, userId, credentialId: id, publicKey: Buffer.alloc(1), name: 'Key' }),
  )
  await given('app', (id) =>
    app.db.insert(totpFactors).values({ id, userId, sealedSecret: Buffer.alloc(1), confirmedAt: new Date() }),
  )
  return { person: { app, team, id: userId, email, browser } satisfies Person, ids }
}

const proofsOf = (
  { proofs }: Pick<State, 'proofs'>,
  { system }: Team,
  ids: Partial<Record<Credential, string>>,
): AgedProof[] =>
  proofs.map(({ by: credential, ...proof }) => ({
    ...proof,
    credential: credential ? ids[credential]! : null,
    scope: credential === 'ofSystem' ? system.id : null,
  }))

test('P92: every place that requires a recent sign-in accepts and refuses the same states of a browser', async (t) => {
  const app = await startTestApp(t)
  const team = await newSupportTeam(app)
  const found: Record<string, Record<string, boolean>> = {}
  const expected: typeof found = {}

  for (const [name, state] of Object.entries(STATES)) {
    const { person, ids } = await newPerson(app, team, state.has)
    const hasFactor = state.has.includes('passkey') || state.has.includes('app')
    const asked = Object.entries(SURFACES).filter(([, each]) => !(each.isEnrollment && hasFactor))
    found[name] = {}
    for (const [surface, { asks }] of asked) {
      await setProofs(app.db, person.id, proofsOf(state, team, ids))
      found[name][surface] = await asks(person)
    }
    expected[name] = Object.fromEntries(asked.map(([surface, { counts }]) => [surface, state.recent[counts]]))
  }

  assert.deepEqual(found, expected)
})

test('beside an old own login, the password of a system enrolls a factor of that system only', async (t) => {
  const app = await startTestApp(t)
  const team = await newSupportTeam(app)
  const { person, ids } = await newPerson(app, team, ['provider', 'ofSystem', 'own'])
  const { browser, id } = person
  const enrolled = async (state: Pick<State, 'proofs'>) => {
    await setProofs(app.db, id, proofsOf(state, team, ids))
    const page = await begin(browser, team.system, { acr_values: AAL2 })
    await withinStep()
    assert.equal((await sendTo(browser, page, 'enrol', { code: appCode(secretOn(page)) })).status, 200)
    const [factor] = await app.db.select().from(totpFactors).where(eq(totpFactors.userId, id))
    return factor?.systemId
  }

  const scope = await enrolled({ proofs: [provider(OLD), ofSystem(NOW)] })

  assert.equal(scope, team.system.id)
})

test('after another provider the sign-in asks a user with a password for it, and says why', async (t) => {
  const app = await startTestApp(t)
  const team = await newSupportTeam(app)
  const { person, ids } = await newPerson(app, team, ['provider', 'own'])
  const { browser, id, email } = person
  await setProofs(app.db, id, proofsOf({ proofs: [provider(NOW)] }, team, ids))

  const page = await begin(browser, team.system, { max_age: '300' })
  const done = await browser.follow(await browser.submit(page, { email, password: PASSWORD }))

  assert.equal(stepOf(page), 'login')
  assert.match(text(page), /name="password"/)
  assert.match(done.headers.get('location') ?? '', /code=/)
})

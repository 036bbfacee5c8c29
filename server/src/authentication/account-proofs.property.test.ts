/**
 * What the login of an organization is worth: random histories of browsers, organizations and systems, of
 * which a second decision procedure (test/support/sso-model.ts) says what may open.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ACCOUNTS,
  type Account,
  type Act,
  CONNECTIONS,
  type Connection,
  FACTORS,
  type Factor,
  HOURS,
  isClosedFor,
  isEnabled,
  isLinked,
  LOGINS,
  type Login,
  loginsAt,
  PLACES,
  type Place,
  SYSTEMS,
  type System,
  systemOf,
  USERS,
  type User,
  userIn,
  type Verdict,
  verdictAt,
} from '../../test/support/sso-model.ts'
import {
  addProof,
  amrOf,
  authTimeOf,
  builtInProofs,
  choiceScope,
  hasLogin,
  isByConnection,
  loginAccounts,
  type Proof,
  type ProvenLink,
  proofsIn,
  undecidedProofs,
  validProofs,
} from './proofs.ts'

/** The number of histories; each has up to STEPS acts. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 400)
const STEPS = 40
/** The time at which a history begins; ms since 1970. */
const BEGINNING = Date.UTC(2026, 0, 1)

const CONNECTION_NAMES = Object.keys(CONNECTIONS) as Connection[]
const ACCOUNT_NAMES = Object.keys(ACCOUNTS) as Account[]

type Settings = Pick<ProvenLink, 'isEnabled' | 'isTrusted' | 'proofsAfter' | 'sessionHours'>

/** The rows that decide, as the database has them. Keys with a user begin with its name. */
type Rows = {
  /** The credentials of each user; a replaced one is another. */
  ids: Map<string, string>
  connections: Record<Connection, Settings>
  links: Map<string, { id: string; of: Connection }>
  proofsAfter: Map<string, number>
  factorsAfter: Map<string, number>
}

const credentialNames = [...Object.keys(LOGINS), ...Object.keys(FACTORS)]
const newSettings = (): Settings => ({
  ...{ isEnabled: true, isTrusted: false, proofsAfter: null, sessionHours: HOURS },
})

const newRows = (): Rows => ({
  ids: new Map(USERS.flatMap((user) => credentialNames.map((by) => [`${user} ${by}`, `${user} ${by}`]))),
  connections: { a1: newSettings(), a2: newSettings(), b1: newSettings(), c1: newSettings() },
  links: new Map(),
  proofsAfter: new Map(),
  factorsAfter: new Map(),
})

/** What each act changes in the settings of a connection. */
const SETTINGS = {
  enable: () => ({ isEnabled: true }),
  disable: (at: number) => ({ isEnabled: false, proofsAfter: at }),
  endSessions: (at: number) => ({ proofsAfter: at }),
  trust: () => ({ isTrusted: true }),
  distrust: () => ({ isTrusted: false }),
}

/** Changes the rows as the operations of the service do. */
function apply(rows: Rows, act: Act): void {
  if (act.act in SETTINGS && 'of' in act)
    Object.assign(rows.connections[act.of as Connection], SETTINGS[act.act as keyof typeof SETTINGS](act.at))
  if (act.act === 'hours') rows.connections[act.of].sessionHours = act.hours
  if (act.act === 'link')
    rows.links.set(`${act.user} ${act.of}`, { id: `link ${act.user} ${act.of} ${act.at}`, of: act.of })
  if (act.act === 'unlink') rows.links.delete(`${act.user} ${act.of}`)
  if (act.act === 'replace') rows.ids.set(`${act.user} ${act.by}`, `replaced ${act.at}`)
  if (act.act === 'reset') rows.proofsAfter.set(`${act.user} ${act.of}`, act.at)
  if (act.act === 'disableFactors') rows.factorsAfter.set(`${act.user} ${act.of}`, act.at)
}

const linksOf = (rows: Rows, user: User): ProvenLink[] =>
  [...rows.links.entries()].flatMap(([key, { id, of }]) => {
    const accountId = CONNECTIONS[of]
    const about = { id, systemId: ACCOUNTS[accountId], accountId, connectionId: of }
    return key.startsWith(`${user} `) ? [{ ...about, ...rows.connections[of] }] : []
  })

/** The proof of an act; undefined if it has none. */
function proofOf(rows: Rows, history: readonly Act[], act: Act): Proof | undefined {
  const userId = userIn(history)
  if (act.act === 'login') {
    const { scope, method } = LOGINS[act.by]
    return {
      userId: act.user,
      method,
      credential: idOf(rows, act.user, act.by),
      scope,
      at: act.at,
      primary: true,
    }
  }
  if (act.act === 'factor' && userId) {
    const { scope, method } = FACTORS[act.by]
    const credential = method === 'totp' ? idOf(rows, userId, act.by) : null
    return { userId, method, credential, scope, at: act.at, primary: false }
  }
  if (act.act !== 'assertion') return undefined
  const { user, by, at, mfa, loginAt } = act
  const account = CONNECTIONS[by]
  return {
    ...{ userId: user, method: 'connection', credential: rows.links.get(`${user} ${by}`)!.id },
    ...{ scope: ACCOUNTS[account], account, connection: by, at, primary: true },
    ...(mfa && { mfa }),
    ...(loginAt !== undefined && { loginAt }),
  }
}

const idOf = (rows: Rows, user: User, by: Login | Factor) => rows.ids.get(`${user} ${by}`)!

/** The user as a place reads it. */
function rulesOf(rows: Rows, user: User, system: System | null, readAt: number) {
  const valid = ([by, { scope }]: [string, { scope: System | null }]) =>
    scope === null || scope === system ? [idOf(rows, user, by as Login | Factor)] : []
  return {
    id: user,
    readAt,
    credentials: [...Object.entries(LOGINS), ...Object.entries(FACTORS)].flatMap(valid),
    unconfirmed: [idOf(rows, user, 'imported')],
    proofsAfter: rows.proofsAfter.get(`${user} ${system}`) ?? null,
    factorsAfter: rows.factorsAfter.get(`${user} ${system}`) ?? null,
    links: linksOf(rows, user),
  }
}

function proofsAt(
  rows: Rows,
  history: readonly Act[],
  proofs: readonly Proof[],
  place: Place,
  now: number,
): Proof[] {
  const user = userIn(history)
  if (user === undefined) return []
  const system = systemOf(place)
  const rules = rulesOf(rows, user, system, now)
  if (system === null) return builtInProofs(proofs, rules)
  if (!(place in ACCOUNTS)) return validProofs(proofs, rules, system)
  const isClosed = isClosedFor(history, user, place as Account)
  return proofsIn(proofs, rules, { systemId: system, accountId: place, isClosed })
}

function verdictOf(proofs: readonly Proof[]): Verdict {
  const hasLogin = proofs.some(({ primary }) => primary)
  return {
    by: isByConnection(proofs) ? 'connection' : hasLogin ? 'own' : 'nothing',
    amr: amrOf(proofs).toSorted(),
    authTime: authTimeOf(proofs, { withoutCredentials: false }),
  }
}

/** What an act needs to be possible; others are left out. */
function isPossible(history: readonly Act[], act: Act): boolean {
  if (act.act === 'factor') return userIn(history) !== undefined
  if (act.act === 'link') return !isLinked(history, act.user, act.of)
  if (act.act !== 'assertion') return true
  const isTrusted =
    history.findLast((each) => (each.act === 'trust' || each.act === 'distrust') && each.of === act.by)
      ?.act === 'trust'
  return (
    isLinked(history, act.user, act.by) && isEnabled(history, act.by) && (act.mfa !== 'trusted' || isTrusted)
  )
}

const user = fc.constantFrom(...USERS)
const connection = fc.constantFrom(...CONNECTION_NAMES)
const account = fc.constantFrom(...ACCOUNT_NAMES)
const login = fc.constantFrom(...(Object.keys(LOGINS) as Login[]))
const factor = fc.constantFrom(...(Object.keys(FACTORS) as Factor[]))
const kind = <Kind extends string>(...names: Kind[]) => fc.constantFrom(...names)

type Untimed<T> = T extends Act ? Omit<T, 'at' | 'loginAt'> & { loginAgo?: number | undefined } : never
const act: fc.Arbitrary<Untimed<Act>> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: kind('login'), user, by: login }) },
  { weight: 4, arbitrary: fc.record({ act: kind('factor'), by: factor }) },
  {
    weight: 10,
    arbitrary: fc.record({
      act: kind('assertion'),
      user,
      by: connection,
      mfa: fc.constantFrom('reported' as const, 'trusted' as const, undefined),
      loginAgo: fc.option(fc.nat({ max: 600_000 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: kind('signOut') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: kind('enable', 'disable', 'endSessions', 'trust', 'trust', 'trust', 'distrust'),
      of: connection,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: kind('hours'), of: connection, hours: fc.constantFrom(1, 24, 720) }),
  },
  { weight: 6, arbitrary: fc.record({ act: kind('link', 'link', 'unlink'), user, of: connection }) },
  { weight: 3, arbitrary: fc.record({ act: kind('require', 'requireNoMore'), of: account }) },
  { weight: 2, arbitrary: fc.record({ act: kind('exempt', 'exemptNoMore'), user, of: account }) },
  { weight: 1, arbitrary: fc.record({ act: kind('replace'), user, by: login }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: kind('reset', 'disableFactors'), user, of: fc.constantFrom(...SYSTEMS) }),
  },
)
/** Milliseconds, minutes, and hours around the time that a connection allows. */
const pause = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 600_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(3_600_000, 24 * 3_600_000 - 1, 24 * 3_600_000) },
)
/** All begin with links, without which nothing is asserted. */
const LINKED = USERS.flatMap((user) => CONNECTION_NAMES.map((of) => ({ act: 'link' as const, user, of })))
const steps = fc.array(fc.record({ act, pause }), { minLength: 10, maxLength: STEPS, size: 'max' })

/** The history of random steps, of which the impossible ones are left out. */
function* historyOf(
  given: { act: Untimed<Act>; pause: number }[],
): Generator<{ history: Act[]; now: number }> {
  let now = BEGINNING
  let history: Act[] = LINKED.map((each) => ({ ...each, at: now }))
  for (const { act, pause } of given) {
    const { loginAgo, ...rest } = act
    const at = now + 1
    const timed = {
      ...rest,
      at,
      ...(rest.act === 'assertion' && { loginAt: loginAgo === undefined ? undefined : at - loginAgo }),
    } as Act
    if (isPossible(history, timed)) history = [...history, timed]
    now = at + pause
    yield { history, now }
  }
}

test('P69, P70: no word of an organization opens, dates or strengthens anything outside its account', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const rows = newRows()
      for (const each of LINKED) apply(rows, { ...each, at: BEGINNING })
      // Beside the browser, one in which the organization of each account has never asserted anything.
      const without = new Map<Account | undefined, Proof[]>(
        [undefined, ...ACCOUNT_NAMES].map((name) => [name, []]),
      )
      let length = LINKED.length
      for (const { history, now } of historyOf(given)) {
        const last = history[length]
        length = history.length
        if (last) {
          apply(rows, last)
          const proof = proofOf(rows, history, last)
          for (const [left, proofs] of without) {
            const isLeft = last.act === 'assertion' && CONNECTIONS[last.by] === left
            const kept = proofs.filter(({ userId }) => userId === userIn(history))
            without.set(left, proof && !isLeft ? addProof(proofs, proof) : kept)
          }
        }
        for (const place of PLACES) {
          const found = proofsAt(rows, history, without.get(undefined)!, place, now)
          assert.deepEqual(verdictOf(found), verdictAt(history, place, now), `at ${place}`)
          for (const left of ACCOUNT_NAMES)
            if (left !== place)
              assert.deepEqual(
                proofsAt(rows, history, without.get(left)!, place, now),
                found,
                `at ${place}, without the assertions of ${left}`,
              )
          const mayChoose = choiceScope(
            found,
            { hasOwnFactor: true, withoutCredentials: false },
            systemOf(place),
          )
          assert.equal(mayChoose === undefined, isByConnection(found))
        }
      }
    }),
    { numRuns: RUNS },
  )
})

test('P70: before the account is known, only accounts with a login of theirs are known without own credentials', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const rows = newRows()
      for (const each of LINKED) apply(rows, { ...each, at: BEGINNING })
      let [proofs, length]: [Proof[], number] = [[], LINKED.length]
      for (const { history, now } of historyOf(given)) {
        const last = history[length]
        length = history.length
        if (last) {
          apply(rows, last)
          const proof = proofOf(rows, history, last)
          const kept = proofs.filter(({ userId }) => userId === userIn(history))
          proofs = proof ? addProof(proofs, proof) : kept
        }
        const user = userIn(history)
        if (user === undefined) continue
        for (const system of SYSTEMS) {
          const rules = rulesOf(rows, user, system, now)
          const { own, accounts } = loginsAt(history, system, now)
          assert.deepEqual(loginAccounts(proofs, rules, system).toSorted(), accounts, `in ${system}`)
          const found = undecidedProofs(proofs, rules, system)
          assert.equal(hasLogin(found), own || accounts.length > 0, `in ${system}`)
          assert.equal(isByConnection(found), !own && accounts.length > 0, `in ${system}`)
          for (const { account } of found)
            assert.ok(account === undefined || accounts.includes(account as Account))
        }
      }
    }),
    { numRuns: RUNS },
  )
})

test('the histories contain what they are to decide: each kind of verdict at each kind of place', () => {
  const seen = new Set<string>()
  for (const given of fc.sample(steps, { numRuns: 200, seed: 7 }))
    for (const { history, now } of historyOf(given))
      for (const place of PLACES) seen.add(`${place} ${verdictAt(history, place, now).by}`)

  const own = PLACES.flatMap((place) => [`${place} nothing`, `${place} own`])
  assert.deepEqual([...seen].sort(), [...own, ...ACCOUNT_NAMES.map((name) => `${name} connection`)].sort())
})

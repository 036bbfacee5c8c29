/** Each function of proofs.ts with the login of an organization, of which nothing becomes valid elsewhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as functions from './proofs.ts'
import {
  type AccountProof,
  addProof,
  amrOf,
  authTimeOf,
  builtInProofs,
  choiceScope,
  isByConnection,
  type OwnProof,
  type Proof,
  type ProvenLink,
  proofsIn,
  unconfirmedOf,
  validProofs,
  withReplaced,
} from './proofs.ts'

const NOW = Date.now()
const RULES = { id: 'ann', readAt: NOW, proofsAfter: null, factorsAfter: null }
const LOGIN: OwnProof = {
  userId: 'ann',
  method: 'password',
  credential: 'password',
  scope: null,
  at: NOW - 2_000,
  primary: true,
}
const ASSERTED: AccountProof = {
  ...{ userId: 'ann', method: 'connection', credential: 'link', scope: 'S', account: 'A', connection: 'a1' },
  ...{ at: NOW - 1_000, primary: true, mfa: 'reported', loginAt: NOW - 1_000 },
}
/** The same with everything left out that says so, one after the other. */
const TRACES: Proof[] = [
  ASSERTED,
  { ...ASSERTED, scope: null } as unknown as Proof,
  { ...ASSERTED, account: undefined, connection: undefined } as unknown as Proof,
  { ...ASSERTED, method: 'password' } as unknown as Proof,
  { ...ASSERTED, method: 'password', connection: undefined } as unknown as Proof,
  { ...ASSERTED, method: 'totp', primary: false } as unknown as Proof,
]
const LINK: ProvenLink = {
  ...{ id: 'link', systemId: 'S', accountId: 'A', connectionId: 'a1', isEnabled: true, isTrusted: false },
  ...{ proofsAfter: null, sessionHours: 24 },
}
/** The most generous rules: the link would be a credential that is valid everywhere. */
const GENEROUS = { ...RULES, credentials: ['password', 'link'], unconfirmed: ['link'], links: [LINK] }
const AT_A = { systemId: 'S', accountId: 'A', isClosed: false }

/** What each function does with the login of an organization. One that is missing here fails the test. */
const CHECKS: Record<keyof typeof functions, (proof: Proof) => void> = {
  ownProofs: (proof) => assert.deepEqual(functions.ownProofs([LOGIN, proof]), [LOGIN]),
  isByConnection: (proof) => assert.equal(isByConnection([LOGIN, proof]), true),
  unconfirmedOf: (proof) => assert.deepEqual(unconfirmedOf([proof], GENEROUS), []),
  validProofs: (proof) => {
    for (const systemId of [null, 'S', 'T'])
      assert.deepEqual(validProofs([LOGIN, proof], GENEROUS, systemId), [LOGIN])
  },
  builtInProofs: (proof) => assert.deepEqual(builtInProofs([LOGIN, proof], GENEROUS), [LOGIN]),
  proofsIn: (proof) => {
    const found = (change: Partial<ProvenLink>, place: Partial<typeof AT_A> = {}) =>
      proofsIn([LOGIN, proof], { ...GENEROUS, links: [{ ...LINK, ...change }] }, { ...AT_A, ...place })
    const elsewhere = [
      found({}, { accountId: 'B' }),
      found({}, { systemId: 'T' }),
      found({ id: 'other' }),
      found({ connectionId: 'a2' }),
      found({ accountId: 'B' }),
      found({ accountId: 'B' }, { accountId: 'B' }),
      found({ systemId: 'T' }),
      found({ isEnabled: false }),
      found({ proofsAfter: ASSERTED.at }),
      found({ sessionHours: 0 }),
      proofsIn([LOGIN, { ...proof, mfa: 'trusted' } as Proof], GENEROUS, AT_A),
      proofsIn([LOGIN, proof], { ...GENEROUS, links: [] }, AT_A),
      proofsIn([LOGIN, proof], { ...GENEROUS, id: 'bob' }, AT_A),
    ]
    for (const [index, proofs] of elsewhere.entries())
      assert.deepEqual(proofs, index === elsewhere.length - 1 ? [] : [LOGIN])
    const opened = proofsIn([LOGIN, proof], GENEROUS, AT_A)
    assert.deepEqual(opened, isComplete(proof) ? [proof] : [LOGIN])
  },
  hasLogin: () => assert.equal(functions.hasLogin([{ ...ASSERTED, primary: false }]), false),
  loginAccounts: (proof) => {
    const accounts = (systemId: string, change: Partial<ProvenLink> = {}) =>
      functions.loginAccounts([LOGIN, proof], { ...GENEROUS, links: [{ ...LINK, ...change }] }, systemId)
    for (const found of [
      accounts('T'),
      accounts('S', { isEnabled: false }),
      accounts('S', { accountId: 'B' }),
    ])
      assert.deepEqual(found, [])
    assert.deepEqual(accounts('S'), isComplete(proof) ? ['A'] : [])
  },
  undecidedProofs: (proof) => {
    const undecided = (proofs: Proof[], systemId: string) =>
      functions.undecidedProofs(proofs, GENEROUS, systemId)
    for (const systemId of ['S', 'T']) assert.deepEqual(undecided([LOGIN, proof], systemId), [LOGIN])
    assert.deepEqual(undecided([proof], 'T'), [])
    assert.deepEqual(undecided([proof], 'S'), isComplete(proof) ? [proof] : [])
  },
  amrOf: ({ mfa: _, ...proof }) =>
    assert.equal(amrOf([{ ...proof, method: 'connection' } as Proof]).includes('mfa'), false),
  loginTimeOf: () => assert.equal(functions.loginTimeOf([ASSERTED]), Math.floor(ASSERTED.at / 1_000)),
  authTimeOf: (proof) => {
    const { loginAt: _, ...undated } = proof as AccountProof
    for (const withoutCredentials of [true, false])
      assert.equal(authTimeOf([undated], { withoutCredentials }), undefined)
  },
  isLoginIdle: () => assert.equal(functions.isLoginIdle([{ ...ASSERTED, at: NOW - 7_200_000 }], NOW), true),
  withUsed: (proof) => assert.deepEqual(functions.withUsed([LOGIN, proof], [LOGIN], NOW)[1], proof),
  isFactorRecent: () => {
    const { mfa: _, ...single } = ASSERTED
    assert.equal(functions.isFactorRecent([single], 60), false)
  },
  unexpired: (proof) => assert.deepEqual(functions.unexpired([proof], 10, NOW + 60_000), []),
  addProof: (proof) => {
    assert.ok(addProof([LOGIN], proof).includes(LOGIN))
    const many = Array.from({ length: 30 }, (_, nth) => ({ ...ASSERTED, account: `account ${nth}` }))
    assert.ok(many.reduce<Proof[]>(addProof, [LOGIN]).includes(LOGIN))
    assert.deepEqual(addProof([LOGIN, ASSERTED], { ...ASSERTED, account: 'B' }).length, 3)
    assert.deepEqual(addProof([ASSERTED], { ...LOGIN, scope: 'S' }).length, 2)
  },
  withReplaced: (proof) =>
    assert.deepEqual(withReplaced([proof], { replaced: 'link', by: 'password' }), [proof]),
  choiceScope: (proof) => {
    const rules = { hasOwnFactor: false, withoutCredentials: true }
    for (const systemId of [null, 'S']) assert.equal(choiceScope([LOGIN, proof], rules, systemId), undefined)
  },
}

/** Whether it has all parts of a login by a connection. */
const isComplete = ({ method, account, connection, scope, primary }: Proof): boolean =>
  method === 'connection' && account === 'A' && connection === 'a1' && scope === 'S' && primary

for (const name of Object.keys(functions) as (keyof typeof functions)[])
  test(`P69: ${name} makes nothing of an organization's login that is valid outside its account`, () => {
    assert.ok(CHECKS[name], 'a function of proofs.ts is checked here')
    for (const proof of TRACES) CHECKS[name](proof)
  })

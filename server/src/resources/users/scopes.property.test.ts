/**
 * Random interleavings of everything that sets or verifies something about a user: by two systems, an account
 * administrator of each, the platform, an anonymous visitor, and the owner of the mailbox.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ACTS as BY_API } from '../../../test/support/scopes-acts.ts'
import { ACTS as BY_PAGES } from '../../../test/support/scopes-acts-by-pages.ts'
import {
  type Author,
  acceptedAt,
  acceptsOwnFactor,
  asksCode,
  asksFactor,
  claimsIn,
  hiddenFrom,
  keyOf,
  newModel,
  other,
  PLACES,
  type Place,
  readGlobally,
  readIn,
  usesOwnFactor,
} from '../../../test/support/scopes-model.ts'
import {
  type App,
  enter,
  enterAccount,
  newWorld,
  type Run,
  type Visit,
  visit,
  type World,
} from '../../../test/support/scopes-world.ts'
import {
  authUrl,
  codeFields,
  newPkce,
  startTestApp,
  type TestBrowser,
} from '../../../test/support/testing.ts'

/** The number of interleavings. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 60)
const SEED = Number(process.env.PROPERTY_SEED ?? 15)
/** Interleavings with the same two systems, whose tokens expire. */
const PER_WORLD = 100
/** Interleavings at the same time. */
const LANES = 6
/** Trusts the test as a proxy: each browser is of another network. */
const PROXIED = { TRUST_PROXY: '127.0.0.1,::1' }

const ACTS = { ...BY_API, ...BY_PAGES }

type Step = { act: string; at: Place }

/** Most interleavings begin with a user who has a password and memberships. */
const BEGINNINGS: Step[][] = [
  [],
  [{ act: 'create', at: 'S' }],
  [
    { act: 'platformImports', at: 'S' },
    { act: 'add', at: 'S' },
  ],
  ...[[], ['S'], ['T'], ['S', 'T']].map((places): Step[] => [
    { act: 'platformCreates', at: 'S' },
    { act: 'platformSetsPassword', at: 'S' },
    ...places.map((at) => ({ act: 'add', at: at as Place })),
  ]),
]
/** Acts of which the later ones do nothing without the first. */
const CHAINS = [
  ['forgotPassword', 'openResetLink'],
  ['register', 'openRegistrationLink'],
  ['sendVerification', 'openVerificationLink'],
  ['adminInvites', 'acceptInvitation'],
  ['adminAdds', 'adminUsesPages'],
  ['setTemporary', 'changeTemporary'],
  ['setPassword', 'enrollInSystem'],
  ['enroll', 'platformMoves'],
  ['enroll', 'disableMfa'],
]
const place = fc.constantFrom(...PLACES)
const one = fc.record({ act: fc.constantFrom(...Object.keys(ACTS)), at: place }).map((step) => [step])
const several = fc
  .tuple(fc.constantFrom(...CHAINS), place)
  .map(([acts, at]) => acts.map((act): Step => ({ act, at })))
const more = fc.array(fc.oneof({ weight: 3, arbitrary: one }, { weight: 1, arbitrary: several }), {
  minLength: 3,
  maxLength: 7,
})
const steps: fc.Arbitrary<Step[]> = fc
  .tuple(fc.constantFrom(...BEGINNINGS), more)
  .map(([beginning, next]) => [...beginning, ...next.flat()])

/** Performs an act. A system ends sessions of its own only, the platform and the user those of any system. */
async function perform(run: Run, { act: name, at }: Step): Promise<void> {
  const act = ACTS[name]!
  const { live } = run.model
  const own = act.by === 'system' || act.by === 'admin' || name === 'signIn'
  const ends = act.by === 'visitor' ? [] : own ? [at] : PLACES
  for (const each of ends) delete live[each]
  await act.run(run, at)
}

/** The newest password of each author that must not be valid here; of all passwords, the likeliest to be. */
function wrongAt({ model }: Run, right: string | undefined, at: Place | 'account'): string[] {
  const newest = new Map<Author, string>()
  for (const { by, password } of model.passwords) if (by !== at && by !== 'platform') newest.set(by, password)
  return [...newest.values()].filter((password) => password !== right)
}

/** Asserts who signs in to a system, and what its tokens say. */
async function assertOpens(run: Run, at: Place): Promise<void> {
  const { app, model } = run
  const [accepted, right] = [acceptedAt(model, at), keyOf(model, at)]
  const open = await refuse(run, at, await visit(run, at), wrongAt(run, accepted, at))
  if (accepted === undefined) return
  const needsCode = asksCode(model, at, accepted)
  const { visitor, back, pkce, asked, askedCode } = await enter(run, at, accepted, open)
  assert.equal(back.code !== undefined, right !== undefined, `whether ${accepted} opens ${at}`)
  if (right === undefined) return
  assert.equal(asked, asksFactor(model, at), `whether ${at} asks for the factor`)
  assert.equal(askedCode, needsCode, `whether ${at} asks for an emailed code`)
  const { body } = await app.token(run[at].system, codeFields(run[at].system, { back, pkce }))
  if (right === model.global.password) model.stated[at]!.entered = true
  const { name, email_verified } = (await app.me(body.access_token)).body
  assert.deepEqual({ name, email_verified }, claimsIn(model, at), `the claims of ${at}`)
  const isOwn = { password: right === model.global.password, factor: asked && usesOwnFactor(model, at) }
  await assertWithin(run, at, visitor, isOwn)
}

/** Asserts where a browser is signed in after a sign-in to a system. `isOwn`: what is valid everywhere. */
async function assertWithin(
  run: Run,
  at: Place,
  visitor: TestBrowser,
  isOwn: { password: boolean; factor: boolean },
): Promise<void> {
  const { model } = run
  const reaches = (place: Place | 'account') =>
    isOwn.password &&
    (place === 'account' || model.stated[place]?.password === undefined) &&
    (!asksFactor(model, place) || (isOwn.factor && acceptsOwnFactor(model, place)))
  const elsewhere = other(at)
  const url = authUrl(run[elsewhere].system, newPkce().challenge, { prompt: 'none' })
  const location = (await visitor.get(url)).headers.get('location') ?? ''
  const account = await visitor.get('/account')
  if (!reaches(elsewhere)) assert.doesNotMatch(location, /[?&]code=/, `a sign-in to ${at} opens ${elsewhere}`)
  assert.equal(account.status === 200, reaches('account'), `whether a sign-in to ${at} opens /account`)
}

/** Asserts that passwords are rejected. */
async function refuse({ model }: Run, where: string, open: Visit, wrong: string[]): Promise<Visit> {
  let { page } = open
  for (const password of wrong) {
    page = await open.visitor.submit(page, { email: model.email, password })
    assert.equal(page.status, 401, `${password} opens ${where}`)
  }
  return { ...open, page }
}

async function assertAccount(run: Run): Promise<void> {
  const right = keyOf(run.model, 'account')
  const open = await refuse(run, '/account', await visit(run, 'account'), wrongAt(run, right, 'account'))
  if (right === undefined) return
  const needsCode = asksCode(run.model, 'account', right)
  const { visitor, asked, askedCode } = await enterAccount(run, right, open)
  assert.equal(asked, asksFactor(run.model, 'account'))
  assert.equal(askedCode, needsCode, 'whether /account asks for an emailed code')
  assert.equal((await visitor.get('/account')).status, 200, `${right} opens /account`)
}

const pick = (body: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((field) => [field, body[field]]))

/** Asserts what a system reads: what it has written, and nothing of the other system. */
async function assertReads({ model, since, ...world }: Run, at: Place): Promise<void> {
  const { service, admin } = world[at]
  const id = model.id ?? crypto.randomUUID()
  const one = await service.get(`/admin/users/${id}`)
  const expected = readIn(model, at)
  assert.equal(one.status, expected ? 200 : 404)
  if (expected) assert.deepEqual(pick(one.body, expected), expected, `what ${at} reads`)
  const [found] = (await service.get(`/admin/users?email=${encodeURIComponent(model.email)}`)).body.data
  if (model.id && !expected) assert.deepEqual(found, { id, email: model.email })
  const others = [
    service.get(`/admin/memberships?userId=${id}`),
    service.get(`/admin/sessions?userId=${id}`),
    service.get(`/admin/audit?targetId=${id}`),
    service.get(`/admin/events?limit=1000&after=${since}`),
    admin.get(`/admin/memberships?userId=${id}`),
  ]
  const bodies = [one, found, ...(await Promise.all(others)).map(({ body }) => body)]
  const text = JSON.stringify(bodies)
  assert.deepEqual(
    hiddenFrom(model, at).filter((mark) => text.includes(mark)),
    [],
    `what ${at} reads`,
  )
}

async function assertAll(run: Run): Promise<void> {
  const { app, model } = run
  for (const at of PLACES) {
    const token = model.live[at]
    if (token) assert.equal((await app.me(token)).status, 200, `the session of ${at}`)
    await assertReads(run, at)
  }
  const everywhere = await app.platform.get(`/admin/users/${model.id ?? crypto.randomUUID()}`)
  assert.equal(everywhere.status, model.id ? 200 : 404)
  if (model.id) {
    const expected = readGlobally(model)
    assert.deepEqual(pick(everywhere.body, expected), expected, 'what the platform reads')
    const { hasPassword } = everywhere.body
    const listed = (await app.platform.get(`/admin/users?ids=${model.id}&hasPassword=${hasPassword}`)).body
    assert.equal(listed.total, 1, 'the stored hasPassword')
  }
  for (const at of PLACES) await assertOpens(run, at)
  await assertAccount(run)
}

async function assertInterleaving(world: World, interleaving: Step[]): Promise<void> {
  const model = newModel(`${crypto.randomUUID()}@x.test`)
  const run = { ...world, since: new Date().toISOString(), model }
  for (const step of interleaving) await perform(run, step)
  await assertAll(run)
}

const inWorld = (world: World, runs: number, seed: number, failed: AbortSignal) =>
  fc.assert(
    fc.asyncProperty(steps, async (interleaving) => {
      if (!failed.aborted) await assertInterleaving(world, interleaving)
    }),
    { numRuns: runs, seed, endOnFailure: process.env.PROPERTY_SHRINK === undefined },
  )

test('P09: whatever others do, a credential and a statement count only where their author has authority', {
  timeout: 21_600_000,
}, async (t) => {
  for (let done = 0; done < RUNS; done += PER_WORLD) {
    const app: App = await startTestApp(t, PROXIED) // the same server, with a new token of the platform
    const world = await newWorld(app)
    const share = Math.ceil(Math.min(PER_WORLD, RUNS - done) / LANES)
    const stop = new AbortController()
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      inWorld(world, share, SEED + done + lane, stop.signal).catch((error) => {
        stop.abort()
        throw error
      }),
    )
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason
  }
})

/** Interleavings in which the model and the service once differed: acts, each with its system. */
const FOUND = {
  'the own second factor after a password of a system and a change of the address':
    'platformCreates S, platformSetsPassword S, add S, add T, enroll T, setPassword S, platformMoves T, remove T',
  'the own second factor where a system has one of its own':
    'platformCreates S, platformSetsPassword S, add S, add T, setPassword S, enrollInSystem S, ' +
    'forgotPassword S, openResetLink S, enroll S',
  'a registration, by which the user enters the system':
    'create S, register T, openRegistrationLink S, disableMfa S',
}

for (const [what, acts] of Object.entries(FOUND))
  test(`P09: a credential and a statement count only where their author has authority: ${what}`, async (t) => {
    const world = await newWorld(await startTestApp(t, PROXIED))
    const interleaving = acts.split(', ').map((each): Step => {
      const [act, at] = each.split(' ')
      return { act: act!, at: at as Place }
    })
    await assertInterleaving(world, interleaving)
  })

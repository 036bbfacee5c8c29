/** The explanation of a sign-in is what happens: both are compared from random states. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Ended,
  type SignInState,
  signInFrom,
  signInState,
  store,
  systemsOf,
} from '../../test/support/sign-in-states.ts'
import { startTestApp } from '../../test/support/testing.ts'
import type { ExplainedStep } from './situation.ts'

/** The number of states. */
const RUNS = Math.max(40, Number(process.env.PROPERTY_RUNS ?? 40))
const SEED = Number(process.env.PROPERTY_SEED ?? 17)
/** States at the same time. */
const LANES = 4
/** States that are compared with the same token, which expires. */
const PER_TOKEN = 400

type Said = Pick<Ended, 'steps' | 'outcome'>
type Explained = { steps: ExplainedStep[]; outcome: string; token: Record<string, unknown> | null }

/**
 * What the explanation says about a sign-in from a new browser, in the terms of one. With a requested account
 * the application gets the refusal, whatever it is.
 */
function expected({ steps, outcome }: Explained, isRequested: boolean): Said {
  const named = steps
    .filter(({ verdict }) => verdict === 'asked')
    .map(({ step, code }) =>
      step === 'factor' ? `factor:${code}` : step === 'membership' ? 'membership:join' : step,
    )
  const all = ['login', ...named]
  const refusal = steps.find(({ verdict }) => verdict === 'refused')
  if (!refusal)
    return {
      steps: all,
      outcome: all.some((each) => each === 'membership:join' || each === 'account') ? 'page' : 'code',
    }
  if (refusal.step === 'user' || refusal.step === 'credential') return { steps: ['login'], outcome: 'wrong' }
  const isShown = refusal.step === 'membership' && refusal.code !== 'none' && !isRequested
  assert.equal(outcome, 'refused')
  return isShown
    ? { steps: [...all, 'membership:refused'], outcome: 'page' }
    : { steps: all, outcome: 'access_denied' }
}

/** A sign-in that is left at the first step after the login. */
const untilLeft = ({ steps, outcome }: Said): Said =>
  steps.length > 1 ? { steps: steps.slice(0, 2), outcome: 'page' } : { steps, outcome }

/**
 * A user without a membership who has not logged in in this sign-in gets a page, at which they can continue
 * as another user. With a requested account only a stranger gets it who has done nothing.
 */
function shown({ steps }: Explained, isRequested: boolean, ended: Ended, said: Said): Said {
  const isRefused = said.outcome === 'access_denied' && steps.some(isRefusedMembership)
  const hasActed = isRequested ? ended.steps.length > 1 : ended.steps.includes('login')
  if (!isRefused || hasActed || (isRequested && ended.outcome !== 'page')) return said
  return { steps: [...said.steps, 'membership:refused'], outcome: 'page' }
}

const isRefusedMembership = ({ step, verdict }: ExplainedStep) =>
  verdict === 'refused' && (step === 'membership' || step === 'account')

/** A browser that is signed in skips what it has done; with `max_age` it logs in again. */
function assertShorter(state: SignInState, ended: Ended, whole: Said, verdicts: string): void {
  const skippable = new Set(['login', 'factor:verify', 'code', 'address'])
  assert.deepEqual(
    ended.steps.filter((each) => !skippable.has(each)),
    whole.steps.filter((each) => !skippable.has(each)),
    verdicts,
  )
  assert.ok(ended.steps.every((each) => whole.steps.includes(each)))
  assert.equal(ended.outcome, whole.outcome)
  if (state.browser === 'signedIn:0') assert.equal(ended.steps[0], 'login')
}

test('an explanation names the steps at which a real sign-in stops, and the claims of its token', async (t) => {
  const app = await startTestApp(t)
  const systems = systemsOf(app)
  let { platform } = app
  let compared = 0
  const compare = async (state: SignInState) => {
    compared += 1
    if (compared % PER_TOKEN === 0) platform = (await startTestApp(t)).platform
    const stored = await store(app, systems, state)
    const query = new URLSearchParams({
      userId: stored.userId,
      systemId: stored.system.id,
      ...(stored.accountId && { accountId: stored.accountId }),
      ...(state.acr && { acr: state.acr }),
    })
    const { status, body } = await platform.get(`/admin/explain?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    const explained = body as Explained
    const ended = await signInFrom(app, systems, state, stored)
    const said = expected(explained, stored.accountId !== undefined)
    const whole = state.isFinished || state.browser !== 'new' ? said : untilLeft(said)
    const verdicts = JSON.stringify(explained.steps.filter(({ verdict }) => verdict !== 'unreached'))
    if (state.browser === 'new')
      assert.deepEqual({ steps: ended.steps, outcome: ended.outcome }, whole, verdicts)
    else if (ended.outcome !== 'wrong' || whole.outcome !== 'wrong')
      assertShorter(state, ended, shown(explained, stored.accountId !== undefined, ended, whole), verdicts)
    if (ended.claims)
      for (const [name, value] of Object.entries(explained.token ?? { missing: true }))
        assert.deepEqual(ended.claims[name], value, `the claim ${name}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(signInState, { minLength: LANES, maxLength: LANES }), (states) =>
      Promise.all(states.map(compare)).then(() => {}),
    ),
    { numRuns: Math.ceil(RUNS / LANES), seed: SEED },
  )
})

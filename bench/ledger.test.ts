/** The verdicts of `npm run bench -- --check`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, readLedger } from './ledger.ts'
import { PATHS } from './paths.ts'
import type { Run } from './results.ts'

/** A run without a doubt. */
const run = (serverCpu: number, more: Partial<Run> = {}): Run => ({
  count: 1_000,
  failed: 0,
  perSecond: 500,
  p50: 1,
  p99: 2,
  serverCpu,
  postgresCpu: 0,
  statements: 1,
  brackets: 0,
  wal: 0,
  driverCores: 0.2,
  foreignCores: 0,
  before: 20_000,
  calibration: 40,
  ...more,
})

/** Rounds with these ratios. The cost of both servers doubles in every other round, as on a busy machine. */
function roundsOf(ratios: number[], ofProvider: (round: number) => Partial<Run> = () => ({})) {
  const cost = (round: number) => 1 + (round % 2)
  return {
    ours: ratios.map((ratio, round) => run(ratio * cost(round))),
    provider: ratios.map((_, round) => run(cost(round), ofProvider(round))),
  }
}

/** Compares with a recorded ratio of 0.8, whose bound is 0.84. */
const verdictOf = (ratios: number[], ofProvider?: (round: number) => Partial<Run>) => {
  const { ours, provider } = roundsOf(ratios, ofProvider)
  return compare(0.8, ours, provider)
}

test('a path is within the bound up to 1.05 times its recorded ratio, whatever single rounds are', () => {
  assert.equal(verdictOf([0.8, 0.81, 0.79, 0.8]).verdict, 'within')
  assert.equal(verdictOf([0.835, 0.83, 0.835, 0.83]).verdict, 'within')
  assert.equal(verdictOf([0.5, 0.5, 0.5, 0.5]).verdict, 'within')
  const { verdict, median, least, most } = verdictOf([1.6, 0.8, 0.8, 0.75])
  assert.deepEqual([verdict, median, least, most], ['within', 0.8, 0.75, 1.6])
})

test('a path is slower if the median and three quarters of the rounds are beyond the bound', () => {
  assert.equal(verdictOf([0.85, 0.86, 0.85, 0.87]).verdict, 'slower')
  assert.equal(verdictOf([0.9, 0.8, 0.9, 0.9]).verdict, 'slower')
})

test('there is no verdict if the rounds are on both sides of the bound and the median is beyond it', () => {
  assert.equal(verdictOf([0.9, 0.78, 0.9, 0.79]).verdict, 'unclear')
})

test('doubtful rounds are left out, and fewer than three others give no verdict', () => {
  const foreign = (until: number) => (round: number) => ({ foreignCores: round < until ? 0.5 : 0 })

  const some = verdictOf([2, 2, 2, 0.8, 0.8, 0.8], foreign(3))
  const many = verdictOf([0.8, 0.8, 0.8, 0.8], foreign(2))
  const all = verdictOf([0.8, 0.8, 0.8, 0.8], foreign(4))

  assert.deepEqual([some.verdict, some.median, some.usable, some.rounds], ['within', 0.8, 3, 6])
  assert.deepEqual([many.verdict, many.usable, many.doubts], ['unclear', 2, ['foreign']])
  assert.deepEqual([all.verdict, all.usable], ['unclear', 0])
})

test('failed operations on either side give no verdict', () => {
  assert.equal(verdictOf([0.8, 0.8, 0.8, 0.8], () => ({ failed: 1 })).verdict, 'unclear')
})

test('the cost of PostgreSQL is a part of the ratio', () => {
  const ours = [1, 2, 3].map(() => run(0.4, { postgresCpu: 0.5 }))
  const provider = [1, 2, 3].map(() => run(0.5, { postgresCpu: 0.5 }))

  assert.equal(compare(0.8, ours, provider).verdict, 'slower')
  assert.equal(compare(0.9, ours, provider).verdict, 'within')
})

test('a path without a recorded ratio is within any bound', () => {
  const { ours, provider } = roundsOf([5, 5, 5])
  assert.equal(compare(undefined, ours, provider).verdict, 'within')
})

test('each path that oidc-provider has as well has a recorded ratio', () => {
  const checked = Object.keys(PATHS).filter((path) => PATHS[path]!.of.includes('provider'))

  assert.deepEqual(Object.keys(readLedger()).sort(), checked.sort())
})

/** The verdicts of `npm run bench -- --check`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Batch, compare, readLedger } from './ledger.ts'
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
function batchOf(ratios: number[], ofProvider: (round: number) => Partial<Run> = () => ({})): Batch {
  const cost = (round: number) => 1 + (round % 2)
  return {
    ours: ratios.map((ratio, round) => run(ratio * cost(round))),
    provider: ratios.map((_, round) => run(cost(round), ofProvider(round))),
  }
}

/** Rounds of which the first ones are doubtful. */
const disturbed = (ratios: number[], until: number) =>
  batchOf(ratios, (round) => ({ foreignCores: round < until ? 0.5 : 0 }))

/** Compares with a recorded ratio of 0.8, whose bound is 0.84. */
const verdictOf = (...batches: number[][]) =>
  compare(
    0.8,
    batches.map((ratios) => batchOf(ratios)),
  )

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

test('all batches are judged together', () => {
  const beyond = [0.9, 0.9, 0.9, 0.9]
  assert.equal(verdictOf(beyond, [0.8, 0.8, 0.8, 0.8], [0.8, 0.8, 0.8, 0.8]).verdict, 'within')
  assert.equal(verdictOf(beyond, beyond, [0.8, 0.9, 0.9, 0.9]).verdict, 'slower')
})

test('a doubtful round does not count, nor does a batch with more than a quarter of them', () => {
  const one = compare(0.8, [disturbed([2, 0.8, 0.8, 0.8], 1)])
  const two = compare(0.8, [disturbed([0.8, 0.8, 0.8, 0.8], 2)])
  const later = compare(0.8, [disturbed([2, 2, 2, 2], 2), batchOf([0.8, 0.8, 0.8, 0.8])])

  assert.deepEqual([one.verdict, one.median, one.counted], ['within', 0.8, 3])
  assert.deepEqual([two.verdict, two.counted, two.doubts], ['noisy', 0, ['foreign']])
  assert.deepEqual([later.verdict, later.counted, later.rounds], ['within', 4, 8])
})

test('failed operations on either side give no verdict', () => {
  const failing = batchOf([0.8, 0.8, 0.8, 0.8], () => ({ failed: 1 }))

  assert.equal(compare(0.8, [failing]).verdict, 'noisy')
})

test('the cost of PostgreSQL is a part of the ratio', () => {
  const ours = [1, 2, 3].map(() => run(0.4, { postgresCpu: 0.5 }))
  const provider = [1, 2, 3].map(() => run(0.5, { postgresCpu: 0.5 }))

  assert.equal(compare(0.8, [{ ours, provider }]).verdict, 'slower')
  assert.equal(compare(0.9, [{ ours, provider }]).verdict, 'within')
})

test('a path without a recorded ratio is within any bound', () => {
  assert.equal(compare(undefined, [batchOf([5, 5, 5, 5])]).verdict, 'within')
})

test('each path that oidc-provider has as well has a recorded ratio', () => {
  const checked = Object.keys(PATHS).filter((path) => PATHS[path]!.of.includes('provider'))

  assert.deepEqual(Object.keys(readLedger()).sort(), checked.sort())
})

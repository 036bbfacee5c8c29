/**
 * Numbers of sign-ins, tokens, deliveries and active users. Mounted at /admin/stats, behind the admin guard.
 */
import type { FastifyPluginAsync } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Static, Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { ofScope, ofSystem, type Reach, reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { momentOf } from '../../http/query-values.ts'
import { Id, oneOf, timeOf } from '../../http/schemas.ts'
import { ALL_SYSTEMS, DIMENSIONS } from './count.ts'
import { DOCS } from './docs.ts'
import {
  type ActiveUsers,
  type Bucket,
  countActive,
  countMembers,
  countPresent,
  readRecent,
  readSeries,
} from './queries.ts'

const METRICS = { ...DIMENSIONS, active_users: 'window' } as const
/** In seconds. */
const STEPS = { hour: 3_600, day: 86_400 }
/** The greatest and the default number of buckets. */
const BUCKETS = { hour: { max: 744, usual: 24 }, day: { max: 400, usual: 30 } }
const SYSTEMS_MAX = 20

const Metric = oneOf(Object.keys(METRICS) as (keyof typeof METRICS)[], {
  title: 'Metric',
  description: 'What is counted.',
})
const Step = oneOf(['hour', 'day'], { title: 'SeriesStep', description: 'The length of a bucket.' })
const Series = Type.Object(
  {
    metric: Metric,
    step: Step,
    times: Type.Array(Type.Integer()),
    until: timeOf('The end of the last bucket.'),
    series: Type.Array(
      Type.Object({ key: Type.String(), values: Type.Array(Type.Number()) }, { title: 'SeriesValues' }),
    ),
  },
  { title: 'Series' },
)

const Count = Type.Number()
const Pair = Type.Object({ day: Count, weekBefore: Count }, { title: 'NumbersOfDay' })
const Summary = Type.Object(
  {
    scope: oneOf(['platform', 'system', 'account'], { description: 'Whose numbers these are.' }),
    signIns: Type.Optional(Pair),
    failures: Type.Optional(Pair),
    tokens: Type.Optional(Pair),
    failuresByReason: Type.Optional(
      Type.Array(Type.Object({ key: Type.String(), count: Count }, { title: 'NumberOfReason' })),
    ),
    activeUsers: Type.Optional(Type.Object({ today: Count, days30: Count }, { title: 'ActiveUsers' })),
    members: Type.Optional(Type.Number({ description: 'Of an account.' })),
    activeMembers: Type.Optional(
      Type.Number({
        description: 'Of an account: members who have used a session in it in the last 30 days.',
      }),
    ),
    activeSessions: Count,
    pendingMemberships: Count,
    failingWebhooks: Type.Optional(
      Type.Number({ description: 'That fail, or that the server has disabled.' }),
    ),
  },
  { title: 'StatsSummary' },
)
type Summary = Static<typeof Summary>

type Parts = { db: Db }
type Asked = { step: 'hour' | 'day'; from?: string | undefined; to?: string | undefined }

/** Whole buckets. Throws `invalid_request`. */
function periodOf({ step, from, to }: Asked): { from: Date; to: Date } {
  const length = STEPS[step] * 1_000
  const end = Math.ceil((to === undefined ? Date.now() : momentOf('to', to).getTime()) / length) * length
  const { max, usual } = BUCKETS[step]
  const start =
    from === undefined ? end - usual * length : Math.floor(momentOf('from', from).getTime() / length) * length
  if (start >= end) throw invalid('/query/from', 'must be before `to`')
  if (end - start > max * length)
    throw invalid('/query/from', `must be at most ${max} ${step}s before \`to\``)
  return { from: new Date(start), to: new Date(end) }
}

function columnsOf(buckets: Bucket[], { from, to }: { from: Date; to: Date }, step: 'hour' | 'day') {
  const [first, length] = [from.getTime() / 1_000, STEPS[step]]
  const size = (to.getTime() / 1_000 - first) / length
  const values = new Map<string, number[]>()
  for (const { time, key, count } of buckets) {
    const line = values.get(key) ?? Array<number>(size).fill(0)
    values.set(key, line)
    const at = (time - first) / length
    if (at >= 0 && at < size) line[at]! += count
  }
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  return {
    times: Array.from({ length: size }, (_, at) => first + at * length),
    series: [...values]
      .map(([key, line]) => ({ key, values: line }))
      .sort((one, other) => sum(other.values) - sum(one.values) || (one.key < other.key ? -1 : 1)),
  }
}

const getSeries = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/series',
    config: { authority: ['platform', 'system'], docs: DOCS.getSeries },
    schema: {
      querystring: Type.Object({
        metric: Metric,
        step: Type.Optional({ ...Step, default: 'hour' }),
        from: Type.Optional(timeOf('The first bucket contains this time.')),
        to: Type.Optional(timeOf('The last bucket ends at this time or contains it.')),
        systemId: Type.Optional(Id),
        by: Type.Optional(
          oneOf([...new Set(Object.values(METRICS)), 'system'] as const, {
            title: 'SeriesBy',
            description:
              'What distinguishes the series: `system`, or by default the dimension of the metric.',
          }),
        ),
      }),
      response: { 200: Series, ...failures('invalid_request', 'insufficient_authority') },
    },
    handler: async (request) => {
      const { metric, step = 'hour', systemId, by = METRICS[metric], ...period } = request.query
      const { systemId: own } = reachOf(request.caller)
      if (by !== 'system' && by !== METRICS[metric])
        throw invalid('/query/by', `must be ${METRICS[metric]} or system for ${metric}`)
      if (metric === 'active_users' && (step !== 'day' || by === 'system'))
        throw invalid('/query/step', 'must be day for active_users, by window')
      if (by === 'system' && own !== undefined)
        throw new Failure('insufficient_authority', { detail: 'By system requires platform authority.' })
      const bounds = periodOf({ step, ...period })
      const isOther = own !== undefined && systemId !== undefined && systemId.toLowerCase() !== own
      const of = by === 'system' && systemId === undefined ? null : (own ?? systemId ?? ALL_SYSTEMS)
      const buckets = isOther ? [] : await readSeries(db, { name: metric, systemId: of, step, ...bounds })
      const { times, series } = columnsOf(buckets, bounds, step)
      const until = bounds.to.toISOString()
      return { metric, step, times, until, series: of === null ? series.slice(0, SYSTEMS_MAX) : series }
    },
  })

/** 30 s and 5 minutes, in ms. */
const FRESH = 30_000
const ACTIVE_FRESH = 300_000

type Caches = {
  summaries: LRUCache<string, Promise<Summary>>
  active: LRUCache<string, Promise<ActiveUsers>>
}

const newCaches = (): Caches => ({
  summaries: new LRUCache({ max: 1_000, ttl: FRESH }),
  active: new LRUCache({ max: 1_000, ttl: ACTIVE_FRESH }),
})

/** From the cache, or read; a failure is not cached. */
function cached<Value>(
  cache: LRUCache<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const known = cache.get(key)
  if (known) return known
  const value = read()
  cache.set(key, value)
  value.catch(() => cache.peek(key) === value && cache.delete(key))
  return value
}

async function summaryOf(db: Db, { active }: Caches, reach: Reach): Promise<Summary> {
  const { systemId, accountId } = reach
  if (accountId !== undefined) {
    const [{ activeSessions, pendingMemberships }, members] = [
      await countPresent(db, reach),
      await countMembers(db, accountId),
    ]
    return { scope: 'account', ...members, activeSessions, pendingMemberships }
  }
  const recent = await readRecent(db, systemId ?? ALL_SYSTEMS)
  const pair = (name: string) => {
    const found = recent.filter((each) => each.name === name)
    const sum = (of: 'day' | 'weekBefore') => found.reduce((total, each) => total + each[of], 0)
    return { day: sum('day'), weekBefore: sum('weekBefore') }
  }
  return {
    scope: systemId === undefined ? 'platform' : 'system',
    signIns: pair('sign_ins'),
    failures: pair('failures'),
    tokens: pair('tokens'),
    failuresByReason: recent
      .filter(({ name, day }) => name === 'failures' && day > 0)
      .map(({ key, day }) => ({ key, count: day })),
    activeUsers: await cached(active, systemId ?? '', () => countActive(db, systemId)),
    ...(await countPresent(db, ofScope(systemId ?? null))),
  }
}

const getSummary = ({ db }: Parts) => {
  const caches = newCaches()
  return operation({
    method: 'GET',
    url: '/summary',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.getSummary },
    schema: {
      querystring: Type.Object({ systemId: Type.Optional(Id) }),
      response: { 200: Summary, ...failures('invalid_request', 'system_not_found') },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      const asked = request.query.systemId?.toLowerCase()
      if (asked !== undefined && reach.systemId !== undefined && reach.systemId !== asked)
        throw new Failure('system_not_found')
      const of = reach.of === 'everything' && asked !== undefined ? ofSystem(asked) : reach
      const key = `${of.systemId ?? ''} ${of.accountId ?? ''}`
      return cached(caches.summaries, key, () => summaryOf(db, caches, of))
    },
  })
}

export const statsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [getSeries, getSummary])

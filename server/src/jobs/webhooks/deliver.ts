/**
 * Sends events to webhooks, at least once. A process leases webhooks and sends at most 200 deliveries of each
 * in a round; if it dies, another one continues after the lease. An event is sent twice, with the same
 * `webhook-id`, if the process or the database fails after the receiver has accepted it and before that is
 * stored.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { SERVER } from '../../http/authority.ts'
import { type Connections, call, keepConnections } from '../../http/outbound.ts'
import { record } from '../../journal/audit/record.ts'
import { written } from '../../journal/events/enqueue.ts'
import { numberEvents } from '../../journal/events/queries.ts'
import { answerOf } from '../../journal/events/schemas.ts'
import { count } from '../../journal/stats/count.ts'
import { startWorker, type Worker } from '../queue.ts'
import { DOWN, healthAfter, type Outcome, outcomeOf, verdictOn } from './outcomes.ts'
import {
  type AttemptResult,
  claimWebhooks,
  type Due,
  disableWebhook,
  insertAttempts,
  type LeasedWebhook,
  lockWebhook,
  queueEvents,
  readDue,
  releaseWebhook,
} from './queries.ts'
import { openSecrets, queued } from './secrets.ts'
import { signedHeaders } from './signature.ts'

/** Webhooks served at the same time: as many receivers may hang before others have to wait. */
const CONCURRENCY = 32
/** Concurrent calls to one receiver, over all processes. */
const PER_RECEIVER = 8
/** Deliveries of one webhook in a round. */
const ROUND = 200
/**
 * 5 s, in ms: no call of a round starts later. With the 15 s of a call, a round ends within the lease of 30
 * s.
 */
const ROUND_MAX = 5_000

/** 5 s: until a webhook with too many pending deliveries, none of which is due, is served again. */
const FULL_PAUSE = 5

type Parts = {
  db: Db
  seal: Seal
  config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_RETRY_SCHEDULE'>
  log: FastifyBaseLogger
}
type Sender = Parts & { connections: Connections; stopping: () => boolean }

export function startWebhookWorker(parts: Parts): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const connections = keepConnections()
  const state = { stopping: false }
  const sender = { ...parts, connections, stopping: () => state.stopping }
  const worker = startWorker<LeasedWebhook>({
    name: 'webhook',
    concurrency: CONCURRENCY,
    async claim(limit) {
      await numberEvents(db)
      return claimWebhooks(db, limit)
    },
    run: (webhook, ending) => serve(sender, webhook, ending),
    log,
  })
  written.on('event', worker.wake)
  queued.on('delivery', worker.wake)
  return {
    async stop() {
      state.stopping = true
      written.off('event', worker.wake)
      queued.off('delivery', worker.wake)
      await worker.stop()
      connections.close()
    },
  }
}

/** Sends one round of a webhook and stores the results. Never throws. */
async function serve(sender: Sender, webhook: LeasedWebhook, ending: AbortSignal): Promise<void> {
  const { log } = sender
  try {
    const from = performance.now()
    const limit = webhook.failures >= DOWN ? 1 : ROUND
    const { due, isFull } = await dueOf(sender, webhook, limit)
    const sent = await sendRound(sender, webhook, due, from + ROUND_MAX, ending)
    const waits = isFull && due.length === 0
    await storeResults(sender, webhook, sent, { more: due.length === limit, pause: waits ? FULL_PAUSE : 0 })
    const failed = sent.filter(({ outcome }) => !outcome.delivered)
    const about = { webhook: webhook.id, delivered: sent.length - failed.length, failed: failed.length }
    if (failed.length > 0)
      log.warn({ ...about, reason: failed.at(-1)?.outcome.error }, 'webhook deliveries failed')
    else if (sent.length > 0) log.debug(about, 'webhook deliveries sent')
  } catch (error) {
    if (failureOf(error)?.code === 'webhook_not_found') return // deleted concurrently
    log.error(
      { webhook: webhook.id, err: error },
      'cannot store the results of webhook deliveries; they are sent again',
    )
  }
}

/**
 * Queues further events only if the queued ones can be sent: for a receiver that is down they stay in the
 * log.
 */
async function dueOf(
  { db, config }: Sender,
  webhook: LeasedWebhook,
  limit: number,
): Promise<{ due: Due[]; isFull: boolean }> {
  const due = await readDue(db, webhook.id, limit)
  if (due.length === limit) return { due, isFull: false }
  const isFull = await queueEvents(db, webhook, config.WEBHOOK_RETRY_SCHEDULE[0] ?? 0)
  return { due: await readDue(db, webhook.id, limit), isFull }
}

/** Events that end access. */
const URGENT = new Set(['user.access_blocked', 'user.access_revoked', 'user.deleted', 'session.ended'])

/** The lists of an ordering key that contain the end of an access, then the others. */
function urgentFirst(lists: Due[][]): Due[][] {
  const isUrgent = (list: Due[]) => list.some(({ event }) => URGENT.has(event.type))
  return [...lists.filter(isUrgent), ...lists.filter((list) => !isUrgent(list))]
}

type Sent = { delivery: Due; outcome: Outcome; began: number; ended: number }

/**
 * Sends until none is left, time is up, or the receiver seems to be down. Deliveries with the same ordering
 * key are sent in sequence, up to the first failure.
 */
async function sendRound(
  sender: Sender,
  webhook: LeasedWebhook,
  due: Due[],
  until: number,
  ending: AbortSignal,
): Promise<Sent[]> {
  const secrets = openSecrets(sender.seal, webhook)
  const byKey = urgentFirst([...Map.groupBy(due, ({ orderedBy }) => orderedBy).values()]).values()
  const sent: Sent[] = []
  const isOver = () =>
    sender.stopping() ||
    performance.now() > until ||
    sent.at(-1)?.outcome.status === 410 ||
    healthAfter(
      0,
      sent.slice(-DOWN).map(({ outcome }) => outcome),
    ).failures >= DOWN
  const sendByKey = async () => {
    for (const deliveries of byKey) {
      for (const delivery of deliveries) {
        if (isOver()) return
        const began = performance.now()
        const outcome = await attempt(sender, webhook.url, secrets, delivery, ending)
        if (ending.aborted && !outcome.delivered) return // not counted as an attempt
        sent.push({ delivery, outcome, began, ended: performance.now() })
        if (!outcome.delivered) break
      }
    }
  }
  await Promise.all(Array.from({ length: PER_RECEIVER }, sendByKey))
  return sent
}

/**
 * `webhook-id` is the id of the event, the same at every attempt, so that a receiver can detect duplicates.
 */
async function attempt(
  sender: Sender,
  url: string,
  secrets: string[],
  { event }: Due,
  signal: AbortSignal,
): Promise<Outcome> {
  const body = JSON.stringify(answerOf(event))
  const answered = await call(url, {
    purpose: 'webhook',
    method: 'POST',
    headers: signedHeaders(secrets, event.id, Math.floor(Date.now() / 1_000), body),
    body,
    allowPrivate: sender.config.WEBHOOK_ALLOW_PRIVATE,
    connections: sender.connections,
    signal,
  })
  return outcomeOf(answered, Date.now())
}

/** `none`: there was no response. */
const classOf = (status: number | null) => (status === null ? 'none' : `${Math.floor(status / 100)}xx`)

async function storeResults(
  { db, config, log }: Sender,
  webhook: LeasedWebhook,
  sent: Sent[],
  { more, pause }: { more: boolean; pause: number },
): Promise<void> {
  const outcomes = sent.map(({ outcome }) => outcome)
  for (const { status } of outcomes) count('deliveries', webhook.systemId, classOf(status))
  const now = performance.now()
  const results = sent.map(
    ({ delivery, outcome, began, ended }): AttemptResult => ({
      id: delivery.id,
      ...verdictOn(outcome, delivery.attempts + 1, config.WEBHOOK_RETRY_SCHEDULE),
      http: outcome.status,
      error: outcome.error,
      answer: outcome.answer,
      agoMs: now - began,
      durationMs: Math.round(ended - began),
    }),
  )
  await inTransaction(db, async (tx) => {
    await lockWebhook(tx, webhook.id)
    await insertAttempts(tx, results)
    const health = healthAfter(webhook.failures, outcomes)
    health.pause = Math.max(health.pause, pause)
    const reason = await releaseWebhook(tx, webhook, health, more)
    if (!reason) return
    await disableWebhook(tx, webhook.id, reason)
    await record(tx, SERVER, {
      action: 'webhook.disabled',
      target: { type: 'webhook', id: webhook.id },
      systemId: webhook.systemId,
      changes: { enabled: [true, false], disabledReason: [null, reason] },
    })
    log.error({ webhook: webhook.id, reason }, 'webhook disabled')
  })
}

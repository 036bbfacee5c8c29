/**
 * Sends events to webhooks. Any number of processes share the work: each takes webhooks, one at a time for a round of at
 * most 200 deliveries, and what a dead process held is sent by another when its lease is over. An event arrives twice when
 * a process or the database is lost between the receiver's yes and our note of it, with the same `webhook-id`.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failureOf } from '../../errors.ts'
import { SERVER } from '../../http/authority.ts'
import { type Connections, call, keepConnections } from '../../http/outbound.ts'
import { record } from '../../resources/audit/record.ts'
import { written } from '../../resources/events/enqueue.ts'
import { answerOf } from '../../resources/events/log.ts'
import { numberEvents } from '../../resources/events/queries.ts'
import { startWorker, type Worker } from '../queue.ts'
import { DOWN, healthAfter, type Outcome, outcomeOf, verdictOn } from './outcomes.ts'
import {
  claimWebhooks,
  type Due,
  disableWebhook,
  type Held,
  holdWebhook,
  type Noted,
  noteAttempts,
  queueEvents,
  readDue,
  releaseWebhook,
} from './queries.ts'
import { openSecrets, queued } from './secrets.ts'
import { signedHeaders } from './signature.ts'

/** Webhooks in hand at a time: so many receivers have to hang before another waits for them. */
const PARALLEL = 32
/** Calls to one receiver at a time, over all processes. */
const PER_RECEIVER = 8
/** Deliveries of one webhook in a round. */
const ROUND = 200
/** 5 s, in ms: nothing is begun later in a round. With the 15 s of a call that is within the lease of 30 s. */
const ROUND_MAX = 5_000

type Parts = {
  db: Db
  seal: Seal
  config: Pick<Config, 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_RETRY_SCHEDULE'>
  log: FastifyBaseLogger
}
type Desk = Parts & { connections: Connections; stopping: () => boolean }

export function startWebhooks(parts: Parts): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const connections = keepConnections()
  const state = { stopping: false }
  const desk = { ...parts, connections, stopping: () => state.stopping }
  const worker = startWorker<Held>({
    name: 'webhook',
    parallel: PARALLEL,
    async claim(limit) {
      await numberEvents(db)
      return claimWebhooks(db, limit)
    },
    work: (webhook, ending) => serve(desk, webhook, ending),
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

/** A round of one webhook, and a note of what came of it. Never throws. */
async function serve(desk: Desk, webhook: Held, ending: AbortSignal): Promise<void> {
  const { log } = desk
  try {
    const from = performance.now()
    const limit = webhook.failures >= DOWN ? 1 : ROUND
    const due = await dueOf(desk, webhook, limit)
    const sent = await sendRound(desk, webhook, due, from + ROUND_MAX, ending)
    await note(desk, webhook, sent, due.length === limit)
    const failed = sent.filter(({ outcome }) => !outcome.delivered)
    const about = { webhook: webhook.id, delivered: sent.length - failed.length, failed: failed.length }
    if (failed.length > 0)
      log.warn({ ...about, reason: failed.at(-1)?.outcome.error }, 'webhook deliveries failed')
    else if (sent.length > 0) log.debug(about, 'webhook deliveries made')
  } catch (error) {
    if (failureOf(error)?.code === 'webhook_not_found') return // deleted meanwhile
    log.error(
      { webhook: webhook.id, err: error },
      'what became of webhook deliveries can not be noted; they are sent again',
    )
  }
}

/** More of the log is queued only when what is queued can be sent: what waits for a receiver that is away waits in the log. */
async function dueOf({ db, config }: Desk, webhook: Held, limit: number): Promise<Due[]> {
  const due = await readDue(db, webhook.id, limit)
  if (due.length === limit) return due
  await queueEvents(db, webhook, config.WEBHOOK_RETRY_SCHEDULE[0] ?? 0)
  return readDue(db, webhook.id, limit)
}

type Sent = { delivery: Due; outcome: Outcome; began: number; ended: number }

/** Sends until all is sent, time is up, or the receiver seems to be down. Of one kin one after the other, until one fails. */
async function sendRound(
  desk: Desk,
  webhook: Held,
  due: Due[],
  until: number,
  ending: AbortSignal,
): Promise<Sent[]> {
  const secrets = openSecrets(desk.seal, webhook)
  const kin = Map.groupBy(due, ({ orderedBy }) => orderedBy).values()
  const sent: Sent[] = []
  const isOver = () =>
    desk.stopping() ||
    performance.now() > until ||
    sent.at(-1)?.outcome.status === 410 ||
    healthAfter(
      0,
      sent.slice(-DOWN).map(({ outcome }) => outcome),
    ).failures >= DOWN
  const sendKin = async () => {
    for (const deliveries of kin) {
      for (const delivery of deliveries) {
        if (isOver()) return
        const began = performance.now()
        const outcome = await attempt(desk, webhook.url, secrets, delivery, ending)
        if (ending.aborted && !outcome.delivered) return // as if it had not been tried
        sent.push({ delivery, outcome, began, ended: performance.now() })
        if (!outcome.delivered) break
      }
    }
  }
  await Promise.all(Array.from({ length: PER_RECEIVER }, sendKin))
  return sent
}

/** The time is of each attempt, the id of the event: a receiver knows by it what it has had. */
async function attempt(
  desk: Desk,
  url: string,
  secrets: string[],
  { event }: Due,
  signal: AbortSignal,
): Promise<Outcome> {
  const body = JSON.stringify(answerOf(event))
  const answered = await call(url, {
    method: 'POST',
    headers: signedHeaders(secrets, event.id, Math.floor(Date.now() / 1_000), body),
    body,
    allowPrivate: desk.config.WEBHOOK_ALLOW_PRIVATE,
    connections: desk.connections,
    signal,
  })
  return outcomeOf(answered, Date.now())
}

async function note({ db, config, log }: Desk, webhook: Held, sent: Sent[], more: boolean): Promise<void> {
  const outcomes = sent.map(({ outcome }) => outcome)
  const now = performance.now()
  const noted = sent.map(
    ({ delivery, outcome, began, ended }): Noted => ({
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
    await holdWebhook(tx, webhook.id)
    await noteAttempts(tx, noted)
    const reason = await releaseWebhook(tx, webhook, healthAfter(webhook.failures, outcomes), more)
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

/**
 * Sends events to webhooks, at least once. A process leases webhooks and sends at most 200 deliveries of each
 * in a round; if it dies, another one continues after the lease. An event is sent twice, with the same
 * `webhook-id`, if the process or the database fails after the receiver has accepted it and before that is
 * stored.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { SERVER } from '../../http/authority.ts'
import {
  call,
  keepConnections,
  type OutboundConnections,
  type Targets,
  targetsOf,
} from '../../http/outbound.ts'
import { record } from '../../journal/audit/record.ts'
import { written } from '../../journal/events/enqueue.ts'
import { numberEvents } from '../../journal/events/queries.ts'
import { answerOf } from '../../journal/events/schemas.ts'
import { count } from '../../journal/stats/count.ts'
import { startWorker, type Worker } from '../queue.ts'
import { type DeliveryOutcome, DOWN, healthAfter, outcomeOf, verdictOn } from './outcomes.ts'
import {
  type AttemptResult,
  claimWebhooks,
  type Due,
  disableWebhook,
  insertAttempts,
  type LeasedWebhook,
  lockWebhookRow,
  queueEvents,
  queueUrgent,
  readDue,
  releaseWebhook,
} from './queries.ts'
import { openSecrets, queuedDeliveries } from './secrets.ts'
import { signedHeaders } from './signature.ts'

/** Webhooks served at the same time: as many receivers may hang before others have to wait. */
const SERVED = 32
/** Further ones that have an urgent event: they wait for no receiver that hangs. */
const SERVED_URGENTLY = 16
/** Concurrent calls to one receiver, over all processes: for urgent events, and for the others. */
const URGENT_CALLS = 2
const OTHER_CALLS = 6
/** 200 ms: how often a round looks for urgent events while it lasts. */
const URGENT_PAUSE = 200
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
  config: Pick<Config, 'BASE_URL' | 'WEBHOOK_ALLOW_PRIVATE' | 'WEBHOOK_RETRY_SCHEDULE'>
  log: FastifyBaseLogger
}
type Sender = Parts & { connections: OutboundConnections; targets: Targets; stopping: () => boolean }
type Claimed = { webhook: LeasedWebhook; isUrgent: boolean }

export function startWebhookWorker(parts: Parts): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const connections = keepConnections()
  const state = { stopping: false }
  const targets = targetsOf(parts.config)
  const sender = { ...parts, connections, targets, stopping: () => state.stopping }
  let others = 0
  const worker = startWorker<Claimed>({
    name: 'webhook',
    concurrency: SERVED + SERVED_URGENTLY,
    async claim(limit) {
      await numberEvents(db)
      const urgent = await claimWebhooks(db, limit, 'urgent')
      const room = Math.min(limit - urgent.length, SERVED - others)
      const rest = room > 0 ? await claimWebhooks(db, room) : []
      others += rest.length
      return [
        ...urgent.map((webhook) => ({ webhook, isUrgent: true })),
        ...rest.map((webhook) => ({ webhook, isUrgent: false })),
      ]
    },
    async run({ webhook, isUrgent }, ending) {
      await serve(sender, webhook, { ending, onlyUrgent: isUrgent || webhook.isPaused })
      if (!isUrgent) others -= 1
    },
    log,
  })
  written.on('event', worker.wake)
  queuedDeliveries.on('delivery', worker.wake)
  return {
    async stop() {
      state.stopping = true
      written.off('event', worker.wake)
      queuedDeliveries.off('delivery', worker.wake)
      await worker.stop()
      connections.close()
    },
  }
}

/** `onlyUrgent`: other events are not sent in this round. */
type Round = { ending: AbortSignal; onlyUrgent: boolean }

/** Sends one round of a webhook and stores the results. Never throws. */
async function serve(sender: Sender, webhook: LeasedWebhook, { ending, onlyUrgent }: Round): Promise<void> {
  const { log } = sender
  try {
    const round = new SharedRound(sender, webhook, ending)
    const others = onlyUrgent ? undefined : sendOthers(sender, round)
    const [urgent, rest] = await Promise.all([sendUrgent(sender, round, others), others])
    await storeResults(sender, webhook, { urgent, others: rest?.sent }, rest)
    const sent = [...urgent, ...(rest?.sent ?? [])]
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

/** What the senders of a round share: the webhook, and which deliveries an urgent event has made void. */
class SharedRound {
  readonly webhook: LeasedWebhook
  readonly ending: AbortSignal
  readonly #sender: Sender
  readonly #secrets: string[]
  readonly #calls = new Map<string, AbortController>()
  readonly #voided = new Set<string>()

  constructor(sender: Sender, webhook: LeasedWebhook, ending: AbortSignal) {
    this.#sender = sender
    this.#secrets = openSecrets(sender.seal, webhook)
    this.webhook = webhook
    this.ending = ending
  }

  /** They are not sent any more; a call in progress is given up. */
  void(ids: string[]): void {
    for (const id of ids) {
      this.#voided.add(id)
      this.#calls.get(id)?.abort()
    }
  }

  /** One attempt; undefined if it does not count: the process stops, or the delivery is void. */
  async attempt(delivery: Due): Promise<Sent | undefined> {
    if (this.#voided.has(delivery.id)) return undefined
    const call = new AbortController()
    this.#calls.set(delivery.id, call)
    const began = performance.now()
    const signal = AbortSignal.any([this.ending, call.signal])
    const outcome = await attempt(this.#sender, this.webhook.url, this.#secrets, delivery, signal)
    this.#calls.delete(delivery.id)
    if (signal.aborted && !outcome.delivered) return undefined
    return { delivery, outcome, began, ended: performance.now() }
  }

  isVoid({ id }: Due): boolean {
    return this.#voided.has(id)
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
  const due = await readDue(db, webhook.id, limit, { urgent: false })
  if (due.length === limit) return { due, isFull: false }
  const isFull = await queueEvents(db, webhook, config.WEBHOOK_RETRY_SCHEDULE[0] ?? 0)
  return { due: await readDue(db, webhook.id, limit, { urgent: false }), isFull }
}

type Sent = { delivery: Due; outcome: DeliveryOutcome; began: number; ended: number }
type Rest = { sent: Sent[]; more: boolean; pause: number }

const byKey = (due: Due[]): Due[][] => [...Map.groupBy(due, ({ orderedBy }) => orderedBy).values()]

/** Whether the receiver is gone, or seems to be down. */
const isLost = (sent: Sent[]): boolean =>
  sent.at(-1)?.outcome.status === 410 ||
  healthAfter(
    0,
    sent.slice(-DOWN).map(({ outcome }) => outcome),
  ).failures >= DOWN

/** Sends deliveries with the same ordering key in sequence, up to the first failure. */
async function sendList(round: SharedRound, list: Due[], sent: Sent[], isOver: () => boolean): Promise<void> {
  for (const delivery of list) {
    if (isOver()) return
    const done = await round.attempt(delivery)
    if (!done && !round.isVoid(delivery)) return
    if (done) sent.push(done)
    if (done && !done.outcome.delivered) return
  }
}

/** Sends what is not urgent until none is left, time is up, or the receiver seems to be down. */
async function sendOthers(sender: Sender, round: SharedRound): Promise<Rest> {
  const { webhook } = round
  const until = performance.now() + ROUND_MAX
  const limit = webhook.failures >= DOWN ? 1 : ROUND
  const { due, isFull } = await dueOf(sender, webhook, limit)
  const lists = byKey(due).values()
  const sent: Sent[] = []
  const isOver = () => sender.stopping() || performance.now() > until || isLost(sent)
  const sendLists = async () => {
    for (const list of lists) await sendList(round, list, sent, isOver)
  }
  await Promise.all(Array.from({ length: OTHER_CALLS }, sendLists))
  return { sent, more: due.length === limit, pause: isFull && due.length === 0 ? FULL_PAUSE : 0 }
}

/**
 * Sends urgent events, also those that are written while the round lasts: a call of another membership that
 * hangs does not delay them.
 */
async function sendUrgent(
  { db, stopping }: Sender,
  round: SharedRound,
  others: Promise<unknown> | undefined,
): Promise<Sent[]> {
  const { webhook } = round
  const sent: Sent[] = []
  const [tried, busy] = [new Set<string>(), new Set<string>()]
  const state = { lists: [] as Due[][], isLast: others === undefined }
  const rest = Promise.resolve(others).then(
    () => (state.isLast = true),
    () => (state.isLast = true),
  )
  const isOver = () => stopping() || isLost(sent)
  const sendLists = async () => {
    for (let list = state.lists.shift(); list && !isOver(); list = state.lists.shift()) {
      const { orderedBy } = list[0]!
      busy.add(orderedBy)
      for (const { id } of list) tried.add(id)
      await sendList(round, list, sent, isOver)
      busy.delete(orderedBy)
    }
  }
  const running = new Set<Promise<void>>()
  const readAndSend = async () => {
    round.void(await queueUrgent(db, webhook))
    const due = await readDue(db, webhook.id, ROUND, { urgent: true })
    state.lists = byKey(due.filter(({ id, orderedBy }) => !tried.has(id) && !busy.has(orderedBy)))
    while (running.size < URGENT_CALLS && state.lists.length > 0) {
      const done = sendLists().finally(() => running.delete(done))
      running.add(done)
    }
  }
  await readAndSend()
  for (;;) {
    await Promise.race([pause(URGENT_PAUSE), state.isLast ? Promise.all(running) : rest])
    if (isOver() || (state.isLast && state.lists.length + running.size === 0)) break
    await numberEvents(db)
    await readAndSend()
  }
  await Promise.all(running)
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
): Promise<DeliveryOutcome> {
  const body = JSON.stringify(answerOf(event))
  const answered = await call(url, {
    purpose: 'webhook',
    method: 'POST',
    headers: signedHeaders(secrets, event.id, Math.floor(Date.now() / 1_000), body),
    body,
    targets: sender.targets,
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
  { urgent, others }: { urgent: Sent[]; others: Sent[] | undefined },
  { more = false, pause: fullPause = 0 }: Partial<Rest> = {},
): Promise<void> {
  const sent = [...urgent, ...(others ?? [])]
  const outcomesOf = (all: Sent[]) => all.map(({ outcome }) => outcome)
  for (const { status } of outcomesOf(sent)) count('deliveries', webhook.systemId, classOf(status))
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
    await lockWebhookRow(tx, webhook.id)
    await insertAttempts(tx, results)
    const health = others && healthAfter(webhook.failures, outcomesOf(others))
    if (health) health.pause = Math.max(health.pause, fullPause)
    const ofUrgent = healthAfter(webhook.urgentFailures, outcomesOf(urgent))
    const reason = await releaseWebhook(tx, webhook, { urgent: ofUrgent, others: health }, more)
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

/** Sends the requests of a chaos run, and counts what became of them. */
import { setTimeout as pause } from 'node:timers/promises'
import { answerOf, type Body } from '../support/http.ts'

/** In ms: within 5 s a request is answered, whatever PostgreSQL does, and 1 s for a busy machine. */
const ANSWER_MAX = 6_000
/** In ms, after a response that says nothing. */
const PAUSE = 100

/** `status` 0: no response. With 0 or 503 the caller does not know whether the request took effect. */
export type Reply = { status: number; body: Body }

export type Count = { done: number; refused: number; unavailable: number; unanswered: number }

export type Ledger = {
  counts: Map<string, Count>
  /** What must not happen. */
  violations: string[]
  /** Ids of created users and memberships, and of changes that must have an audit entry. */
  audited: { action: string; id: string }[]
  /** When the last change was acknowledged, by `performance.now()`. */
  acknowledgedAt: number
  /** Whether requests are answered within a time: those of the embedded database wait for each other. */
  isPunctual: boolean
  /** Whether a fault delays answers at the moment. */
  isSlow: boolean
  stopping: boolean
}

export const createLedger = (isPunctual: boolean): Ledger => ({
  counts: new Map(),
  violations: [],
  audited: [],
  acknowledgedAt: performance.now(),
  isPunctual,
  isSlow: false,
  stopping: false,
})

export const isUnknown = ({ status }: Reply): boolean => status === 0 || status === 503

type Request = {
  method?: string
  url: string
  token?: string | undefined
  body?: object
  form?: object
  authorization?: string
}

/** Sends one request of the operation `name`. */
export async function send(ledger: Ledger, name: string, request: Request): Promise<Reply> {
  const { method = 'GET', url, token, body, form } = request
  const count = ledger.counts.get(name) ?? { done: 0, refused: 0, unavailable: 0, unanswered: 0 }
  ledger.counts.set(name, count)
  const authorization = request.authorization ?? (token && `Bearer ${token}`)
  const wasSlow = ledger.isSlow
  const begin = performance.now()
  const reply = await fetch(url, {
    method,
    headers: { ...(authorization && { authorization }), ...(body && { 'content-type': 'application/json' }) },
    body: form ? new URLSearchParams(form as Record<string, string>) : body ? JSON.stringify(body) : null,
  })
    .then(answerOf)
    .catch((error): Reply => ({ status: 0, body: String(error) }))
  const took = performance.now() - begin
  const { status } = reply
  if (status === 0) count.unanswered += 1
  else if (status === 503) count.unavailable += 1
  else if (status < 300) count.done += 1
  else count.refused += 1
  if (status >= 500 && status !== 503)
    ledger.violations.push(`${name}: ${status} ${JSON.stringify(reply.body)}`)
  if (took > ANSWER_MAX && ledger.isPunctual && !wasSlow && !ledger.isSlow && status !== 0)
    ledger.violations.push(`${name}: answered after ${Math.round(took)} ms`)
  if (status >= 200 && status < 300 && method !== 'GET') ledger.acknowledgedAt = performance.now()
  if (isUnknown(reply)) await pause(PAUSE)
  return reply
}

/** Repeats a request that may be repeated until there is an answer; undefined at the end of the run. */
export async function settle(ledger: Ledger, ask: () => Promise<Reply>): Promise<Reply | undefined> {
  while (!ledger.stopping) {
    const reply = await ask()
    if (!isUnknown(reply)) return reply
  }
  return undefined
}

/** A response that is neither expected nor a sign of a fault. */
export function expectOnly(ledger: Ledger, name: string, reply: Reply, ...statuses: number[]): void {
  if (!isUnknown(reply) && !statuses.includes(reply.status))
    ledger.violations.push(`${name}: unexpected ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`)
}

/** Notifications that a limit does not allow: counted, and reported in the log of the process. */
import type { FastifyBaseLogger } from 'fastify'
import { afterCommit } from '../../database/transaction.ts'
import { count } from '../../journal/stats/count.ts'

/** A minute, in ms: between two lines. */
const EVERY = 60_000

const state = { count: 0 }

/** Call it in the transaction that would have added the email. */
export const noteLeftOut = (systemId: string): void =>
  afterCommit(() => {
    count('emails', systemId, 'left_out')
    state.count += 1
  })

/** Logs how many were left out since the last line: one line a minute at most. Returns what stops it. */
export function reportLeftOut(log: FastifyBaseLogger, every = EVERY): () => void {
  const report = () => {
    if (state.count > 0) log.warn({ count: state.count }, 'notifications not sent: the limit is reached')
    state.count = 0
  }
  const timer = setInterval(report, every).unref()
  return () => {
    clearInterval(timer)
    report()
  }
}

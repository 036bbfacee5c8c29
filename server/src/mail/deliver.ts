/**
 * Sends what send.ts queued. Any number of processes share the work: a letter is claimed for the length of a lease, so
 * one whose process died is sent by another. A letter arrives twice only when the process or the database is lost
 * between the mail server's yes and our note of it. No transaction is open while a mail server is spoken to.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db.ts'
import type { Seal } from '../seal.ts'
import { type ClaimedLetter, claimLetters, markExpired, markRefused, markSent, postpone } from './queries.ts'
import { openLetter, queued } from './send.ts'
import { faultOf, isRefused, type MailConfig, outboxTransport, smtpTransport, type Transport } from './transport.ts'

/** Letters in hand at a time, each on a connection of its own. */
const PARALLEL = 4
/** Between two looks into the table, in ms: soon after something was queued, then less and less often. */
const REST = { min: 20, max: 1_000 }
/** 1 minute, in ms, for one attempt: no timeout of the socket notices a server that trickles its answers. */
const SEND_MAX = 60_000
/** 5 s, in ms: letters in hand have this long once we are asked to stop. */
const STOP_MAX = 5_000
/** 5 minutes, in seconds: the longest wait between two attempts. They start at 2 s and double. */
const RETRY_MAX = 300

export type Mailer = {
  /** Ends the letters in hand and takes no more. What waits stays in the table. */
  stop(): Promise<void>
}

type Parts = { db: Db; seal: Seal; log: FastifyBaseLogger }

export function startMailer({ config, ...parts }: Parts & { config: MailConfig }): Mailer {
  const { db, log } = parts
  const transport = config.MAIL_URL ? smtpTransport(config.MAIL_URL, config, PARALLEL) : outboxTransport(config, log)
  const inHand = new Set<Promise<void>>()
  const ending = new AbortController()
  const state = { stopped: false, reachable: true, rest: REST.min, wake: () => {} }

  /** The transaction of a letter commits after we are told of it: looking often for a moment finds it at once. */
  const nudge = () => {
    state.rest = REST.min
    state.wake()
  }

  async function run() {
    while (!state.stopped) {
      const letters = inHand.size < PARALLEL ? await claim(PARALLEL - inHand.size) : []
      for (const letter of letters) {
        const work = deliver({ ...parts, transport, ending: ending.signal }, letter).finally(() => {
          inHand.delete(work)
          state.wake()
        })
        inHand.add(work)
      }
      if (letters.length > 0) state.rest = REST.min
      else await rest()
    }
  }

  function rest(): Promise<void> {
    if (state.stopped) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, state.rest)
      state.rest = Math.min(state.rest * 2, REST.max)
      state.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Nothing while the database is away; said once, not every second. */
  async function claim(limit: number): Promise<ClaimedLetter[]> {
    try {
      const letters = await claimLetters(db, limit)
      state.reachable = true
      return letters
    } catch (error) {
      if (state.reachable) log.warn({ err: error }, 'the mail queue can not be read; it is tried again')
      state.reachable = false
      return []
    }
  }

  queued.on('letter', nudge)
  const running = run()
  return {
    async stop() {
      state.stopped = true
      queued.off('letter', nudge)
      state.wake()
      const late = setTimeout(() => ending.abort(), STOP_MAX)
      await running
      await Promise.all(inHand)
      clearTimeout(late)
      transport.close()
    },
  }
}

type Desk = Parts & { transport: Transport; ending: AbortSignal }

/** One attempt, and a note of what came of it. Never throws. */
async function deliver(desk: Desk, letter: ClaimedLetter): Promise<void> {
  const { db, log } = desk
  const about = { mail: letter.id, kind: letter.kind, attempts: letter.attempts }
  try {
    if (letter.expired) {
      await markExpired(db, letter)
      log.error(about, 'mail given up: it expired')
      return
    }
    const fault = await attempt(desk, letter)
    if (fault === undefined) {
      await markSent(db, letter)
      log.info(about, 'mail sent')
    } else if (fault.refused) {
      await markRefused(db, letter, fault.reason)
      log.error({ ...about, reason: fault.reason }, 'mail given up: the address is refused')
    } else {
      const retryIn = Math.min(2 ** letter.attempts, RETRY_MAX)
      await postpone(db, letter, retryIn, fault.reason)
      log.warn({ ...about, reason: fault.reason, retryIn }, 'mail not sent; it is tried again')
    }
  } catch (error) {
    log.error({ ...about, err: error }, 'what became of a mail can not be noted; it is sent again when its lease ends')
  }
}

async function attempt(
  { seal, transport, ending }: Desk,
  letter: ClaimedLetter,
): Promise<{ reason: string; refused: boolean } | undefined> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(SEND_MAX), ending])
    await transport.send(letter, openLetter(seal, letter), signal)
    return undefined
  } catch (error) {
    return { reason: faultOf(error), refused: isRefused(error) }
  }
}

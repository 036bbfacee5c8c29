/**
 * Sends what send.ts queued. Any number of processes share the work (worker.ts). An email arrives twice only when the
 * process or the database is lost between the mail server's yes and our note of it. No transaction is open while a mail
 * server is spoken to.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { startWorker, type Worker } from '../queue.ts'
import { openEmail, queued } from './enqueue.ts'
import { type ClaimedEmail, claimEmails, markExpired, markRefused, markSent, postpone } from './queries.ts'
import {
  faultOf,
  isRefused,
  type MailConfig,
  outboxTransport,
  smtpTransport,
  type Transport,
} from './transport.ts'

/** Emails in hand at a time, each on a connection of its own. */
const PARALLEL = 4
/** 1 minute, in ms, for one attempt: no timeout of the socket notices a server that trickles its answers. */
const SEND_MAX = 60_000
/** 5 minutes, in seconds: the longest wait between two attempts. They start at 2 s and double. */
const RETRY_MAX = 300

export type Mailer = Pick<Worker, 'stop'>

type Parts = { db: Db; seal: Seal; log: FastifyBaseLogger }

export function startMailer({ config, ...parts }: Parts & { config: MailConfig }): Mailer {
  const { db, log } = parts
  const transport = config.MAIL_URL
    ? smtpTransport(config.MAIL_URL, config, PARALLEL)
    : outboxTransport(config, log)
  const worker = startWorker({
    name: 'mail',
    parallel: PARALLEL,
    claim: (limit) => claimEmails(db, limit),
    work: (email, ending) => deliver({ ...parts, transport, ending }, email),
    log,
  })
  queued.on('email', worker.wake)
  return {
    async stop() {
      queued.off('email', worker.wake)
      await worker.stop()
      await transport.close()
    },
  }
}

type Desk = Parts & { transport: Transport; ending: AbortSignal }

/** One attempt, and a note of what came of it. Never throws. */
async function deliver(desk: Desk, email: ClaimedEmail): Promise<void> {
  const { db, log } = desk
  const about = { mail: email.id, kind: email.kind, attempts: email.attempts }
  try {
    if (email.expired) {
      await markExpired(db, email)
      log.error(about, 'mail given up: it expired')
      return
    }
    const fault = await attempt(desk, email)
    if (fault === undefined) {
      await markSent(db, email)
      log.info(about, 'mail sent')
    } else if (fault.refused) {
      await markRefused(db, email, fault.reason)
      log.error({ ...about, reason: fault.reason }, 'mail given up: the address is refused')
    } else {
      const retryIn = Math.min(2 ** email.attempts, RETRY_MAX)
      await postpone(db, email, retryIn, fault.reason)
      log.warn({ ...about, reason: fault.reason, retryIn }, 'mail not sent; it is tried again')
    }
  } catch (error) {
    log.error(
      { ...about, err: error },
      'what became of a mail can not be noted; it is sent again when its lease ends',
    )
  }
}

async function attempt(
  { seal, transport, ending }: Desk,
  email: ClaimedEmail,
): Promise<{ reason: string; refused: boolean } | undefined> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(SEND_MAX), ending])
    await transport.send(email, openEmail(seal, email), signal)
    return undefined
  } catch (error) {
    return { reason: faultOf(error), refused: isRefused(error) }
  }
}

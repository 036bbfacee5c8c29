/**
 * Sends queued email. It is sent twice only if the process or the database fails after the mail server has
 * accepted it and before that is stored. No transaction is open meanwhile.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { count } from '../../journal/stats/count.ts'
import { startWorker, type Worker } from '../queue.ts'
import { openEmail, queuedEmails } from './enqueue.ts'
import { faultOf, isRefused } from './faults.ts'
import { reportLeftOut } from './left-out.ts'
import { type ClaimedEmail, claimEmails, markExpired, markRefused, markSent, postpone } from './queries.ts'
import { type MailConfig, outboxTransport, smtpTransport, type Transport } from './transport.ts'

/** Emails sent at the same time, each on its own connection. */
const CONCURRENCY = 4
/**
 * The most that are sent at once of each kind, emails that a person waits for and others: a connection is
 * left to the other kind.
 */
const OF_ONE_KIND = 3
/**
 * 1 minute, in ms, for one attempt: a socket timeout does not detect a server that answers slowly byte by
 * byte.
 */
const SEND_MAX = 60_000
/** 5 minutes, in seconds: the longest wait between two attempts. They start at 2 s and double. */
const RETRY_MAX = 300

type Parts = { db: Db; seal: Seal; log: FastifyBaseLogger }

export function startEmailWorker({ config, ...parts }: Parts & { config: MailConfig }): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const transport = config.MAIL_URL
    ? smtpTransport(config.MAIL_URL, config, CONCURRENCY)
    : outboxTransport(config, log)
  const running = { awaited: 0, others: 0 }
  const kindOf = ({ isAwaited }: ClaimedEmail) => (isAwaited ? 'awaited' : 'others')
  const claim = async (kind: keyof typeof running, limit: number) => {
    const most = Math.min(limit, OF_ONE_KIND - running[kind])
    const claimed = most > 0 ? await claimEmails(db, kind === 'awaited', most) : []
    running[kind] += claimed.length
    return claimed
  }
  const worker = startWorker<ClaimedEmail>({
    name: 'email',
    concurrency: CONCURRENCY,
    async claim(limit) {
      const awaited = await claim('awaited', limit)
      return [...awaited, ...(await claim('others', limit - awaited.length))]
    },
    async run(email, ending) {
      await deliver({ ...parts, transport, ending }, email)
      running[kindOf(email)] -= 1
    },
    log,
  })
  queuedEmails.on('email', worker.wake)
  const stopReports = reportLeftOut(log)
  return {
    async stop() {
      queuedEmails.off('email', worker.wake)
      stopReports()
      await worker.stop()
      await transport.close()
    },
  }
}

type Delivery = Parts & { transport: Transport; ending: AbortSignal }

/** Makes one attempt and stores its outcome. Never throws. */
async function deliver(delivery: Delivery, email: ClaimedEmail): Promise<void> {
  const { db, log } = delivery
  const about = { email: email.id, kind: email.kind, attempts: email.attempts }
  try {
    if (email.expired) {
      await markExpired(db, email)
      count('emails', null, 'expired')
      log.error(about, 'email not delivered: expired')
      return
    }
    const fault = await attempt(delivery, email)
    if (fault === undefined) {
      await markSent(db, email)
      count('emails', null, 'sent')
      log.info(about, 'email sent')
    } else if (fault.refused) {
      await markRefused(db, email, fault.reason)
      count('emails', null, 'refused')
      log.error({ ...about, reason: fault.reason }, 'email not delivered: recipient rejected')
    } else {
      const retryIn = Math.min(2 ** email.attempts, RETRY_MAX)
      await postpone(db, email, retryIn, fault.reason)
      count('emails', null, 'postponed')
      log.warn({ ...about, reason: fault.reason, retryIn }, 'email not sent; retrying')
    }
  } catch (error) {
    log.error(
      { ...about, err: error },
      'cannot store the outcome of an email; it is sent again when its lease ends',
    )
  }
}

async function attempt(
  { seal, transport, ending }: Delivery,
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

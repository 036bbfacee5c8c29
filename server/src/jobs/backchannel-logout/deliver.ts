/**
 * Sends what notice.ts queued (OpenID Connect Back-Channel Logout 1.0). Any number of processes share the work (worker.ts).
 * A notice arrives twice only when the process or the database is lost between the receiver's yes and our note of it; the
 * second then speaks of a session that is gone there already, which is no fault.
 */
import type { FastifyBaseLogger } from 'fastify'
import { importJWK, type JWK, SignJWT } from 'jose'
import type { Config } from '../../config.ts'
import type { Db } from '../../database/database.ts'
import { call } from '../../http/outbound.ts'
import { startWorker, type Worker } from '../queue.ts'
import { queued } from './enqueue.ts'
import { claimNotices, deleteNotice, type Notice, postponeNotices } from './queries.ts'

/** Notices in hand at a time, each on a connection of its own. */
const PARALLEL = 8
/** Of these for one system: one whose receiver never answers keeps no other waiting, whatever addresses it gives. */
const PER_SYSTEM = 2
/** 5 minutes, in seconds: the longest wait between two attempts. They start at 2 s and double. */
const RETRY_MAX = 300
/** In seconds; section 2.4 wants two minutes at most. */
const TOKEN_LIFE = 120

/** A key as keys.ts of the protocol holds it. */
type Key = { kid: string; alg: string; state: string; privateJwk: JWK }

type Parts = {
  db: Db
  config: Pick<Config, 'BASE_URL' | 'WEBHOOK_ALLOW_PRIVATE'>
  /** The keys as they are now: what waited through a change of keys is signed by the new one. */
  keys: () => Promise<readonly Key[]>
  log: FastifyBaseLogger
}

type Work = { notice: Notice; keys: readonly Key[] }

export function startBackchannel(parts: Parts): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const busy: string[] = [] // client ids
  const worker = startWorker<Work>({
    name: 'back-channel logout',
    parallel: PARALLEL,
    async claim(limit) {
      const notices = await claimNotices(db, Math.min(limit, PER_SYSTEM), busy)
      const keys = notices.length > 0 ? await parts.keys() : []
      busy.push(...notices.map(({ clientId }) => clientId))
      return notices.map((notice) => ({ notice, keys }))
    },
    async work(work, ending) {
      await deliver(parts, work, ending)
      busy.splice(busy.indexOf(work.notice.clientId), 1)
    },
    log,
  })
  queued.on('notice', worker.wake)
  return {
    async stop() {
      queued.off('notice', worker.wake)
      await worker.stop()
    },
  }
}

/** One attempt, and a note of what came of it. Never throws. */
async function deliver(parts: Parts, { notice, keys }: Work, ending: AbortSignal): Promise<void> {
  const { db, log } = parts
  const about = { notice: notice.id, clientId: notice.clientId, attempts: notice.attempts }
  try {
    if (notice.expired) {
      await deleteNotice(db, notice)
      log.error(about, 'back-channel logout given up: it expired')
      return
    }
    const fault = await attempt(parts.config, notice, keys, ending)
    if (fault === undefined) {
      await deleteNotice(db, notice)
      log.info(about, 'back-channel logout sent')
    } else if (fault.refused) {
      await deleteNotice(db, notice)
      log.error({ ...about, reason: fault.reason }, 'back-channel logout given up: it is refused')
    } else {
      const retryIn = Math.min(2 ** notice.attempts, RETRY_MAX)
      await postponeNotices(db, notice, retryIn)
      log.warn({ ...about, reason: fault.reason, retryIn }, 'back-channel logout not sent; it is tried again')
    }
  } catch (error) {
    log.error(
      { ...about, err: error },
      'what became of a back-channel logout can not be noted; it is sent again',
    )
  }
}

/** Section 2.8: 400 says that this logout will never be taken. */
async function attempt(
  { BASE_URL, WEBHOOK_ALLOW_PRIVATE }: Parts['config'],
  notice: Notice,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<{ reason: string; refused: boolean } | undefined> {
  const outcome = await call(notice.uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: await logoutToken(BASE_URL, notice, keys) }).toString(),
    allowPrivate: WEBHOOK_ALLOW_PRIVATE,
    signal,
  })
  if ('fault' in outcome) return { reason: `${outcome.fault}: ${outcome.reason}`, refused: false }
  const { status } = outcome
  return status >= 200 && status < 300 ? undefined : { reason: `status ${status}`, refused: status === 400 }
}

/** Section 2.4. Made anew for each attempt: it lives for two minutes, and a receiver may refuse a `jti` it has seen. */
async function logoutToken(
  issuer: string,
  { alg, userId, sid, clientId }: Notice,
  keys: readonly Key[],
): Promise<string> {
  const key = keys.find((each) => each.alg === alg && each.state === 'active')
  if (!key) throw new Error(`there is no active key for ${alg}`)
  const now = Math.floor(Date.now() / 1_000)
  return new SignJWT({ sid, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
    .setProtectedHeader({ alg, typ: 'logout+jwt', kid: key.kid })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setSubject(userId)
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + TOKEN_LIFE)
    .sign(await importJWK(key.privateJwk, alg))
}

/**
 * Sends logout tokens (OpenID Connect Back-Channel Logout 1.0). A logout is sent twice only if the process or
 * the database fails after the receiver has accepted it and before that is stored; the session has ended
 * there already, so the second has no effect.
 */
import type { FastifyBaseLogger } from 'fastify'
import { importJWK, type JWK, SignJWT } from 'jose'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../database/database.ts'
import { call, targetsOf } from '../../http/outbound.ts'
import { startWorker, type Worker } from '../queue.ts'
import { queuedLogouts } from './enqueue.ts'
import { claimLogouts, deleteLogout, postponeLogouts, type QueuedLogout } from './queries.ts'

/** Logouts sent at the same time, each on its own connection. */
const CONCURRENCY = 8
/**
 * The calls to one system by all processes at once: a receiver that never responds does not delay others,
 * whatever its addresses.
 */
const PER_SYSTEM = 2
/** 5 minutes, in seconds: the longest wait between two attempts. They start at 2 s and double. */
const RETRY_MAX = 300
/** In seconds; section 2.4 recommends two minutes at most. */
const TOKEN_LIFETIME = 120

/** A signing key, as oidc/provider/keys.ts returns it. */
type Key = { kid: string; alg: string; state: string; privateJwk: JWK }

type Parts = {
  db: Db
  config: Pick<Config, 'BASE_URL' | 'WEBHOOK_ALLOW_PRIVATE'>
  /** The current keys. They are read at each claim, since they may have been rotated. */
  keys: () => Promise<readonly Key[]>
  log: FastifyBaseLogger
}

type Job = { logout: QueuedLogout; keys: readonly Key[] }

export function startLogoutWorker(parts: Parts): Pick<Worker, 'stop'> {
  const { db, log } = parts
  const worker = startWorker<Job>({
    name: 'back-channel logout',
    concurrency: CONCURRENCY,
    async claim(limit) {
      const logouts = await claimLogouts(db, limit, PER_SYSTEM)
      const keys = logouts.length > 0 ? await parts.keys() : []
      return logouts.map((logout) => ({ logout, keys }))
    },
    run: (job, ending) => deliver(parts, job, ending),
    log,
  })
  queuedLogouts.on('logout', worker.wake)
  return {
    async stop() {
      queuedLogouts.off('logout', worker.wake)
      await worker.stop()
    },
  }
}

/** Makes one attempt and stores its outcome. Never throws. */
async function deliver(parts: Parts, { logout, keys }: Job, ending: AbortSignal): Promise<void> {
  const { db, log } = parts
  const about = { logout: logout.id, clientId: logout.clientId, attempts: logout.attempts }
  try {
    if (logout.expired) {
      await deleteLogout(db, logout)
      log.error(about, 'back-channel logout not delivered: expired')
      return
    }
    const fault = await attempt(parts.config, logout, keys, ending)
    if (fault === undefined) {
      await deleteLogout(db, logout)
      log.info(about, 'back-channel logout sent')
    } else if (fault.refused) {
      await deleteLogout(db, logout)
      log.error({ ...about, reason: fault.reason }, 'back-channel logout not delivered: rejected')
    } else {
      const retryIn = Math.min(2 ** logout.attempts, RETRY_MAX)
      await postponeLogouts(db, logout, retryIn)
      log.warn({ ...about, reason: fault.reason, retryIn }, 'back-channel logout not sent; retrying')
    }
  } catch (error) {
    log.error({ ...about, err: error }, 'cannot store the outcome of a back-channel logout; it is sent again')
  }
}

/** Returns why it failed. Status 400 is permanent (section 2.8). */
async function attempt(
  config: Parts['config'],
  logout: QueuedLogout,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<{ reason: string; refused: boolean } | undefined> {
  const outcome = await call(logout.uri, {
    purpose: 'logout',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: await logoutToken(config.BASE_URL, logout, keys) }).toString(),
    targets: targetsOf(config),
    signal,
  })
  if ('fault' in outcome) return { reason: `${outcome.fault}: ${outcome.reason}`, refused: false }
  const { status } = outcome
  return status >= 200 && status < 300 ? undefined : { reason: `status ${status}`, refused: status === 400 }
}

/**
 * Section 2.4. Signed for each attempt: it expires after two minutes, and a receiver may reject a repeated
 * `jti`.
 */
async function logoutToken(
  issuer: string,
  { alg, userId, sid, clientId }: QueuedLogout,
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
    .setExpirationTime(now + TOKEN_LIFETIME)
    .sign(await importJWK(key.privateJwk, alg))
}

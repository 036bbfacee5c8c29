/**
 * Adds audit entries to the chain of hashes (journal/audit/chain), at intervals and when the process stops.
 * Every process tries; one succeeds. Before its first block, and after a fault, a process verifies the end of
 * the chain: what was changed while no server was running is not signed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { openCheckpointKey } from '../journal/audit/chain/checkpoint.ts'
import { ChainBroken } from '../journal/audit/chain/extend.ts'
import type { Block } from '../journal/audit/chain/queries.ts'
import { resumeChain } from '../journal/audit/chain/resume.ts'
import type { Worker } from './queue.ts'

/** 1 minute, in ms, plus or minus half of it at random so that processes do not run together. */
const INTERVAL = 60_000
/**
 * 2 s, in ms, plus or minus half of it: until the first block of a process. A server that was killed has left
 * entries without a block.
 */
const FIRST = 2_000
/** 1 hour, in ms: the interval of the log lines. */
const LOGGED = 3_600_000

type Parts = { db: Db; seal: Seal; config: Config; log: FastifyBaseLogger }

export function startAuditChain({ db, seal, config, log }: Parts): Pick<Worker, 'stop'> {
  const ending = new AbortController()
  const { signal } = ending

  async function loop(): Promise<void> {
    const key = await openCheckpointKey(seal)
    const parts = { db, key, retentionDays: config.RETENTION_AUDIT_DAYS }
    let known: Block | undefined
    let wait = FIRST
    let loggedAt = -LOGGED
    const isDue = () => performance.now() - loggedAt >= LOGGED
    do {
      await pause(wait * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
      wait = INTERVAL
      try {
        const newest = (await resumeChain(parts, known, signal)) ?? known
        if (newest && newest.number !== known?.number && isDue()) {
          log.info({ block: newest.number, hash: newest.hash.toString('hex') }, 'checkpoint of the audit log')
          loggedAt = performance.now()
        }
        known = newest
      } catch (error) {
        if (error instanceof ChainBroken) known = undefined
        if (error instanceof ChainBroken && !isDue()) continue
        loggedAt = performance.now()
        log[error instanceof ChainBroken ? 'error' : 'warn']({ err: error }, 'cannot extend the audit chain')
      }
    } while (!signal.aborted)
  }

  const looping = loop()
  return {
    async stop() {
      ending.abort()
      await looping
    },
  }
}

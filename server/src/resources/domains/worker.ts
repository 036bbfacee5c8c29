/**
 * Looks for the TXT records of domains: new ones several times, verified ones daily. No transaction is open
 * meanwhile. The name servers asked are those of the domain, through a resolver; a tenant that has slow ones
 * occupies its own few places only.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { type ResolveTexts, textResolverOf } from '../../http/text-records.ts'
import { startWorker, type Worker } from '../../jobs/queue.ts'
import { requestedChecks } from './changes.ts'
import { type CheckResult, claimDomains, type DueDomain } from './due-queries.ts'
import { askedNames, foundIn, isOwnRecord } from './record.ts'
import { noteResult } from './result.ts'

/** Domains that a process checks at the same time. */
const CONCURRENCY = 20

type Parts = {
  db: Db
  seal: Seal
  config: Pick<Config, 'BASE_URL' | 'DNS_RESOLVERS'>
  log: FastifyBaseLogger
}

export function startDomainWorker(parts: Parts): Pick<Worker, 'stop'> {
  const { db, config, log } = parts
  const resolve = textResolverOf(config.DNS_RESOLVERS)
  const worker = startWorker<DueDomain>({
    name: 'domain',
    concurrency: CONCURRENCY,
    claim: (limit) => claimDomains(db, limit),
    async run(due, ending) {
      try {
        const result = await look(resolve, due, ending)
        if (!ending.aborted) await inTransaction(db, (tx) => noteResult(tx, parts, due, result))
      } catch (error) {
        log.error(
          { domain: due.id, err: error },
          'cannot store the result of the check of a domain; it is repeated when its lease ends',
        )
      }
    },
    log,
  })
  requestedChecks.on('check', worker.wake)
  return {
    async stop() {
      requestedChecks.off('check', worker.wake)
      await worker.stop()
    },
  }
}

/**
 * Asks for one name after the other until one has the token. It is missing only if each has answered without
 * it: a name server that does not answer says nothing.
 */
async function look(resolve: ResolveTexts, due: DueDomain, ending: AbortSignal): Promise<CheckResult> {
  const values: string[] = []
  let isAnswered = true
  for (const name of askedNames(due)) {
    const answer = await resolve(name, ending)
    if (answer?.some((value) => isOwnRecord(value, due))) return { outcome: 'verified', found: null }
    if (answer) values.push(...answer)
    else isAnswered = false
  }
  if (!isAnswered) return { outcome: 'failing', found: null }
  return { outcome: 'missing', found: foundIn(values, due) }
}

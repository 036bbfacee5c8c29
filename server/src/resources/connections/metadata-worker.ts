/**
 * Reads the metadata of SAML providers from its addresses: daily, when an address is set, and when a response
 * is signed with another key. No transaction is open meanwhile. It also looks at the ends of the certificates
 * of enabled connections without such an address.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { call } from '../../http/outbound.ts'
import { startWorker, type Worker } from '../../jobs/queue.ts'
import { createSamlReader, type SamlReader } from '../../saml/reader.ts'
import { claimConnections, type DueConnection } from './metadata-queries.ts'
import { noteReading, type Refused } from './metadata-result.ts'
import { readStated, type StatedSettings } from './saml.ts'
import { connectionTargets } from './settings.ts'

/** Connections that a process reads at the same time. */
const CONCURRENCY = 20
/** 1 MB and a byte: what is longer is refused for its length. */
const BODY_MAX = 1_000_001

type Parts = {
  db: Db
  seal: Seal
  config: Pick<Config, 'BASE_URL' | 'CONNECTIONS_ALLOW_PRIVATE' | 'SAML'>
  log: FastifyBaseLogger
}

/** With `SAML=false` nothing is read: the switch is for faults of the reader. */
export function startMetadataWorker(parts: Parts): Pick<Worker, 'stop'> {
  const { db, config, log } = parts
  if (!config.SAML) return { stop: async () => {} }
  // Another thread than that of the sign-ins, which wait for no metadata.
  const saml = createSamlReader()
  const worker = startWorker<DueConnection>({
    name: 'metadata',
    concurrency: CONCURRENCY,
    claim: (limit) => claimConnections(db, limit),
    async run(due, ending) {
      try {
        const read =
          due.metadataUrl === null ? undefined : await readAt(config, saml, due, due.metadataUrl, ending)
        if (ending.aborted) return
        const refused = await inTransaction(db, (tx) => noteReading(tx, parts, due, read))
        if (refused) log.info({ connection: due.id, ...refused }, 'the metadata of a provider was not taken')
      } catch (error) {
        log.error(
          { connection: due.id, err: error },
          'cannot read or store the metadata of a provider; it is read again when its lease ends',
        )
      }
    },
    log,
  })
  return {
    async stop() {
      await worker.stop()
      await saml.close()
    },
  }
}

/** What the metadata at an address states. Throws `unavailable` if too much waits for the reader. */
async function readAt(
  config: Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE'>,
  saml: SamlReader,
  due: DueConnection,
  address: string,
  signal: AbortSignal,
): Promise<StatedSettings | Refused> {
  const answer = await call(address, {
    purpose: 'connection',
    targets: connectionTargets(config),
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml, */*' },
    bodyMax: BODY_MAX,
    signal,
  })
  if ('fault' in answer) return { code: 'metadata_unavailable', reason: answer.reason }
  if (answer.status !== 200) return { code: 'metadata_unavailable', reason: `status ${answer.status}` }
  const read = await readStated(answer.body, (metadata) => saml.read(due, { metadata }))
  return 'message' in read ? { code: 'metadata_invalid', reason: read.message } : read
}

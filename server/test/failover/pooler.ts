/** PgBouncer between the servers and HAProxy, with the settings of `ops/high-availability`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPgbouncer } from '../support/pgbouncer.ts'

const FILE = join(import.meta.dirname, '../../../ops/high-availability/pgbouncer.ini')
/** `startPgbouncer` sets its own. */
const OWN = /^(listen_addr|listen_port|auth_type|auth_file|pool_mode) /
/** In ms, as in docs/availability.md. */
const TIMEOUTS = {
  statement_timeout: 4_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
}

/** `url`: of the cluster, as the role whose timeouts are set. */
export async function startPooler(url: string): Promise<{ url: string; close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [name, ms] of Object.entries(TIMEOUTS))
      await client.query(`alter role ${client.escapeIdentifier(client.user!)} set ${name} = ${ms}`)
  } finally {
    await client.end()
  }
  const [, section] = readFileSync(FILE, 'utf8').split('[pgbouncer]\n')
  if (!section) throw new Error('ops/high-availability/pgbouncer.ini has changed')
  const settings = section.split('\n').filter((line) => line && !line.startsWith(';') && !OWN.test(line))
  return startPgbouncer(url, settings)
}

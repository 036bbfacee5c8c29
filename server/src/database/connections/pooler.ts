/** What the server needs of a connection pooler, checked at the start. */
import type pg from 'pg'
import { isStaleStatement } from '../faults.ts'
import { type Servers, tryEach } from './servers.ts'

type Timeouts = Record<string, number>

/** A pooler answers with it to a parameter that it does not pass on. */
const REFUSED_PARAMETER = /unsupported startup parameter: \w+/

/** Any prepared statement, with a name as the driver gives one. */
const NAMED = { name: 'check_pooler', text: 'select 1' }

/**
 * Throws an Error whose message tells the operator what to set. A pooler ignores or refuses the timeouts of a
 * connection, and in transaction mode an old one has no prepared statements.
 */
export async function checkPooler(
  servers: Servers,
  settings: pg.ClientConfig,
  timeouts: Timeouts,
): Promise<void> {
  const opened: pg.Client[] = []
  const open = async () => {
    const client = await tryEach(servers, () => new servers.Client(settings).connect())
    opened.push(client)
    return client
  }
  try {
    const first = await open()
    await checkTimeouts(first, timeouts)
    await checkPreparedStatements([first, await open()])
  } catch (error) {
    const refused = REFUSED_PARAMETER.exec((error as Error).message)
    throw refused ? new Error(poolerRefusal(refused[0], timeouts), { cause: undefined }) : error
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => {})))
  }
}

const poolerRefusal = (refusal: string, timeouts: Timeouts) =>
  `the connection pooler refuses the timeouts (${refusal}). ` +
  `Set its ignore_startup_parameters to ${Object.keys(timeouts).join(',')}, and the timeouts for the role`

async function checkTimeouts(client: pg.Client, timeouts: Timeouts): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string; role: string; db: string }>(
    `select name, setting, quote_ident(current_user) as role, quote_ident(current_database()) as db
      from pg_settings where name = any($1)`,
    [Object.keys(timeouts)],
  )
  const isKept = ({ name, setting }: (typeof rows)[number]) => {
    const limit = timeouts[name] ?? 0
    return Number(setting) > 0 && Number(setting) <= limit
  }
  const missing = rows.filter((row) => !isKept(row))
  if (missing.length === 0) return
  const statements = missing.map(
    ({ name, role, db }) => `ALTER ROLE ${role} IN DATABASE ${db} SET ${name} = ${timeouts[name]};`,
  )
  throw new Error(
    `the connection pooler does not pass the timeouts on. ` +
      `Set them for the role, then close the connections of the pooler: ${statements.join(' ')}`,
  )
}

/**
 * In transaction mode, both clients get the same idle connection one after the other. Without support for
 * prepared statements the second one finds the statement of the first.
 */
async function checkPreparedStatements(clients: pg.Client[]): Promise<void> {
  try {
    for (const client of [...clients, ...clients]) await client.query(NAMED)
  } catch (error) {
    if (!isStaleStatement(error)) throw error
    throw new Error(
      'the connection pooler does not support prepared statements in transaction mode. ' +
        'Set its max_prepared_statements to 200 (PgBouncer 1.21 or newer), or use session mode',
    )
  }
}

/** A PostgreSQL server and its streaming standby. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

export type Pair = {
  primary: Postgres
  standby: Postgres
  /** Stops the primary when the standby has all changes, and runs `meanwhile` before the promotion. */
  failOver(meanwhile: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** The standby is a copy of the folder of the stopped primary. */
export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-pair-'))
  execFileSync('chmod', ['a+rx', folder])
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  await (await startPostgres({ keep: first })).close()
  execFileSync('cp', ['-a', first, second])
  const signal = join(second, 'data', 'standby.signal')
  execFileSync('cp', ['-a', join(second, 'data', 'PG_VERSION'), signal]) // only its existence counts
  const primary = await startPostgres({ keep: first, durable: true })
  const { port, password } = new URL(primary.url)
  const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${password}`
  const standby = await startPostgres({ keep: second, durable: true, settings: [source] })
  return {
    primary,
    standby,
    async failOver(meanwhile) {
      const [{ at }] = await rows(primary, 'select pg_current_wal_flush_lsn() as at')
      await until(standby, `select pg_last_wal_replay_lsn() >= '${at}' as done`)
      await primary.stop('immediate')
      await meanwhile()
      await rows(standby, 'select pg_promote()')
    },
    async close() {
      await standby.close()
      await primary.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function rows({ url }: Postgres, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const result = await client.query(statement).finally(() => client.end())
  return result.rows as [Record<string, unknown>]
}

/** Up to 10 s in steps of 50 ms. */
async function until(server: Postgres, statement: string): Promise<void> {
  for (let step = 0; step < 200; step += 1) {
    if ((await rows(server, statement))[0].done === true) return
    await new Promise((passed) => setTimeout(passed, 50))
  }
  throw new Error(`not in time: ${statement}`)
}

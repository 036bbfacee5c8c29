/** A short form of `npm run chaos`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runChaos } from '../chaos/run.ts'

/** One of each kind: of the server, of the database, and between them. */
const SOME = ['server killed (kill -9)', 'server frozen', 'PostgreSQL killed (kill -9)', 'network cut']

test('no acknowledged change is lost or happens twice while servers, database and network fail', async () => {
  const engine = process.env.DATABASE_URL ? 'postgres' : 'embedded'

  const { ledger, happened } = await runChaos({ engine, minutes: 0, only: SOME })

  assert.deepEqual(ledger.violations, [])
  assert.equal(happened.length, engine === 'postgres' ? 4 : 2)
  assert.ok(ledger.audited.length > 0)
})

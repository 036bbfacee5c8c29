/** How many entries a filter of the audit log reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertInParts } from '../../../test/support/many-rows.ts'
import { rowsRead } from '../../../test/support/read-rows.ts'
import { startTestApp } from '../../../test/support/testing.ts'
import { sql } from '../../database/drizzle.ts'
import { SERVER } from '../../http/authority.ts'
import { record } from './record.ts'

const MANY = 3_000

test('a rare reason of refused sign-ins is found without reading the frequent ones', {
  skip: !process.env.DATABASE_URL,
}, async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const service = await app.serviceOf(system)
  await insertInParts(app.db, MANY, (from, to) =>
    app.db.execute(sql`insert into audit (action, outcome, actor_type, system_id, changes)
      select 'user.login', 'failure', 'anonymous', ${system.id}::uuid, '{"reason": [null, "password"]}'
      from generate_series(${from}::int, ${to}::int)`),
  )
  const refused = (changes: Record<string, [unknown, unknown]>) =>
    record(app.db, SERVER, { action: 'user.login', outcome: 'failure', systemId: system.id, changes })
  await refused({ reason: [null, 'passkey'] })
  await refused({ provider: [null, 'google'], code: [null, 'provider_refused'] })
  await app.db.execute(sql`vacuum (analyze) audit`)

  for (const client of [app.platform, service])
    for (const reason of ['passkey', 'other', 'provider']) {
      const path = `/admin/audit?reason=${reason}&systemId=${system.id}`
      let total = 0
      const read = await rowsRead(async () => {
        total = (await client.get(path)).body.total
      })

      assert.equal(total, 1, path)
      assert.ok(read < MANY / 10, `${path} reads ${read} entries`)
    }
})

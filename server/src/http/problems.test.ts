import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { sql } from '../database/drizzle.ts'
import { users } from '../database/schema.ts'
import { loggedError } from './problems.ts'

test('P45: a failed query is logged without its statement and its values', async (t) => {
  const { db } = await startTestApp(t)
  const secret = 'a-hash-nobody-may-read'
  const id = crypto.randomUUID()
  const insert = () => db.insert(users).values({ id, email: 'twice@example.test', locale: secret })
  await insert()

  const error = await insert().then(
    () => assert.fail('the second was taken'),
    (refused: unknown) => refused,
  )
  const logged = JSON.stringify(loggedError(error))

  assert.match(
    String((error as Error).message),
    new RegExp(secret),
    'Drizzle no longer says it: this guard can go',
  )
  assert.doesNotMatch(logged, new RegExp(`${secret}|twice@|insert into`))
  assert.match(logged, /"code":"23505".*"constraint":"/)
  assert.match(logged, /problems\.test\.ts/)
})

/** The answer to a second role of the same name, while the constraint has another name. */
async function secondRole(t: TestContext, constraint: string): Promise<[number, string]> {
  const { db, platform, newSystem, newRole } = await startTestApp(t, { LOG_LEVEL: 'silent' })
  const system = await newSystem()
  const { name } = await newRole(system.id)
  const rename = (from: string, to: string) =>
    db.execute(sql`alter table roles rename constraint ${sql.identifier(from)} to ${sql.identifier(to)}`)
  await rename('role_name_taken', constraint)
  try {
    const { status, body } = await platform.post(`/admin/systems/${system.id}/roles`, { name })
    return [status, body.code]
  } finally {
    await rename(constraint, 'role_name_taken')
  }
}

test('a constraint with the number of a shard has the same error code', async (t) => {
  assert.deepEqual(await secondRole(t, 'role_name_taken_102170'), [409, 'role_name_taken'])
})

test('a constraint without an error code is an internal error, also with a number', async (t) => {
  assert.deepEqual(await secondRole(t, 'role_name_unique_102170'), [500, 'internal'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
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

/** `npm run keys:rotate`, run while servers run or are stopped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../support/postgres.ts'
import { startServer, startToEnd } from '../support/servers.ts'

const SECRET_KEY = 'a key for tests, 32 characters or more'

const publishedBy = async (url: string): Promise<string[]> => {
  const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid).sort()
}

test('keys:rotate publishes two new keys; with another SECRET_KEY it changes nothing', async (t) => {
  const server = process.env.DATABASE_URL
  const database = server ? await createDatabase(server) : undefined
  const env = { SECRET_KEY, ...(database && { DATABASE_URL: database.url }) }
  const running = await startServer({ env })
  t.after(() => running.close().then(() => database?.drop()))
  const before = await publishedBy(running.url)
  await running.kill('SIGTERM')
  const rotate = (more = {}) =>
    startToEnd({ DATA_DIR: running.dataDir, ...env, ...more }, { args: ['keys', 'rotate'] })

  const refused = await rotate({ SECRET_KEY: 'another key, also of 32 characters or more' })
  const done = await rotate()

  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^SECRET_KEY is not the key of this database\.[^\n]*\n$/)
  assert.deepEqual([done.code, done.stderr], [0, ''])
  await running.restart()
  const after = await publishedBy(running.url)
  assert.deepEqual(
    before.filter((kid) => !after.includes(kid)),
    [],
  )
  const added = after.filter((kid) => !before.includes(kid))
  assert.equal(added.length, 2)
  for (const kid of added) assert.match(done.stdout, new RegExp(kid))
})

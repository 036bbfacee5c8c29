import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startTestApp } from '../../../test/support/testing.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

test('/health reports the state, the version and the checks', async (t) => {
  const { url } = await startTestApp(t)

  const answer = await fetch(`${url}/health`)

  assert.equal(answer.status, 200)
  assert.deepEqual(await answer.json(), { status: 'ok', version, checks: { database: 'ok' } })
})

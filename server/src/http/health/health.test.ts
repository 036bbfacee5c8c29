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

test('/metrics is 404 unless METRICS_ENABLED is true', async (t) => {
  const { url } = await startTestApp(t)

  const answer = await fetch(`${url}/metrics`)

  const { code } = (await answer.json()) as { code: string }
  assert.deepEqual([answer.status, code], [404, 'not_found'])
})

test('/metrics counts requests by route pattern: protocol, admin API, unknown paths', async (t) => {
  const { url, platform } = await startTestApp(t, { METRICS_ENABLED: 'true' })
  const unknownId = crypto.randomUUID()
  await platform.get(`/admin/users/${unknownId}`)
  await fetch(`${url}/token`, { method: 'POST' })
  await fetch(`${url}/nowhere-${unknownId}`)

  const answer = await fetch(`${url}/metrics`)

  const text = await answer.text()
  const counted = (labels: string) =>
    new RegExp(`^http_request_duration_seconds_count\\{worker="1",${labels}\\} [1-9]`, 'm').test(text)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  assert.ok(counted('method="GET",route="/admin/users/:userId",status="404"'), text)
  assert.ok(counted('method="POST",route="/token",status="40[01]"'), text)
  assert.ok(counted('method="GET",route="none",status="404"'), text)
  assert.match(text, /^process_resident_memory_bytes\{/m)
  assert.ok(!text.includes(unknownId))
})

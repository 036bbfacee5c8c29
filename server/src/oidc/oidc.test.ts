import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../testing.ts'

test('smoke', async (t) => {
  const { platform, url } = await startTestApp(t)
  console.log((await platform.get('/admin/systems')).status, await (await fetch(url + '/.well-known/openid-configuration')).text())
  assert.ok(true)
})

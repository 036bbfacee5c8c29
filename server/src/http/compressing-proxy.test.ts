/** Versions of resources behind nginx with `gzip`. Skipped without nginx. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNginx, withoutNginx } from '../../test/support/nginx.ts'
import { adminClient, startTestApp } from '../../test/support/testing.ts'

const GZIP = ['gzip on;', 'gzip_types application/json;', 'gzip_min_length 1;', 'gzip_proxied any;']

test('behind nginx with gzip a change with the ETag that was received is made, a later one is refused', {
  skip: withoutNginx(),
}, async (t) => {
  const { url, platform, newUser } = await startTestApp(t)
  const proxy = await startNginx(url, GZIP)
  t.after(proxy.close)
  const caller = adminClient(proxy.url, platform.token)
  const path = `/admin/users/${(await newUser()).id}`

  const read = await caller.get(path, { 'accept-encoding': 'gzip' })
  const tag = read.headers.get('etag') ?? ''
  const again = await caller.get(path, { 'accept-encoding': 'gzip', 'if-none-match': tag })
  const changed = await caller.patch(path, { name: 'Ana' }, { 'accept-encoding': 'gzip', 'if-match': tag })
  const late = await caller.patch(path, { name: 'Bob' }, { 'accept-encoding': 'gzip', 'if-match': tag })

  assert.match(tag, /^W\//)
  assert.deepEqual(
    [read, again, changed, late].map(({ status }) => status),
    [200, 304, 200, 412],
  )
  assert.equal((await platform.get(path)).body.name, 'Ana')
})

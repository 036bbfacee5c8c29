/** A stream ends with the authority of its token. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEventStream } from '../../../test/support/event-reader.ts'
import { basicAuth, type Driver, startTestApp } from '../../../test/support/testing.ts'

/** Every 15 s. */
const HEARTBEAT = /^: still here$/m

type System = Awaited<ReturnType<Driver['newSystem']>>

const ENDS: Record<string, (app: Driver, system: System, token: string) => Promise<unknown>> = {
  'its secret was rotated': ({ platform }, { id }) => platform.post(`/admin/systems/${id}/rotate-secret`, {}),
  'its client credentials were disabled': ({ platform }, { id }) =>
    platform.patch(`/admin/systems/${id}`, { allowClientCredentials: false }),
  'its system was deleted': ({ platform }, { id }) => platform.delete(`/admin/systems/${id}`),
  'its token was revoked': ({ url }, system, token) =>
    fetch(`${url}/token/revocation`, {
      method: 'POST',
      headers: { authorization: basicAuth(system as never) },
      body: new URLSearchParams({ token }),
    }),
}

for (const [cause, act] of Object.entries(ENDS))
  test(`P35: a stream ends before its next heartbeat after ${cause}, and others continue`, async (t) => {
    const app = await startTestApp(t)
    const [system, other] = [
      await app.newSystem({ allowClientCredentials: true }),
      await app.newSystem({ allowClientCredentials: true }),
    ]
    const [service, second] = [await app.serviceOf(system), await app.serviceOf(other)]
    const reader = await openEventStream(app.url, service.token)
    const kept = await openEventStream(app.url, second.token)
    t.after(kept.close)
    let isKeptOpen = true
    void kept.ended.then(() => {
      isKeptOpen = false
    })

    await act(app, system, service.token)
    const end = await reader.ended

    assert.equal(end, 'done')
    assert.doesNotMatch(reader.text(), HEARTBEAT)
    assert.equal(isKeptOpen, true)
  })

test('the stream of a secret within its grace period continues', async (t) => {
  const app = await startTestApp(t)
  const [system, other] = [
    await app.newSystem({ allowClientCredentials: true }),
    await app.newSystem({ allowClientCredentials: true }),
  ]
  const reader = await openEventStream(app.url, (await app.serviceOf(system)).token)
  const checked = await openEventStream(app.url, (await app.serviceOf(other)).token)
  t.after(reader.close)

  await app.platform.post(`/admin/systems/${system.id}/rotate-secret`, { graceSeconds: 60 })
  await app.platform.post(`/admin/systems/${other.id}/rotate-secret`, {})
  await checked.ended // all streams are checked together
  const end = await Promise.race([reader.ended, new Promise((resolve) => setTimeout(resolve, 100, 'open'))])

  assert.equal(end, 'open')
})

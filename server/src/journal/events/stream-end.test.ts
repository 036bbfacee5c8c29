/** A stream ends with the authority of its token. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEventStream } from '../../../test/support/event-reader.ts'
import { basicAuth, type Driver, startTestApp } from '../../../test/support/testing.ts'

/** In ms: a check every 500 ms, on a busy machine. */
const SOON = 2_000

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
  test(`P35: a stream ends within about a second after ${cause}, and others continue`, async (t) => {
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
    const acted = performance.now()
    const end = await reader.ended
    const lasted = performance.now() - acted

    t.diagnostic(`ended after ${lasted.toFixed()} ms`)
    assert.equal(end, 'done')
    assert.ok(lasted < SOON, `${lasted}`)
    assert.equal(isKeptOpen, true)
  })

test('the stream of a secret within its grace period continues', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowClientCredentials: true })
  const reader = await openEventStream(app.url, (await app.serviceOf(system)).token)
  t.after(reader.close)

  await app.platform.post(`/admin/systems/${system.id}/rotate-secret`, { graceSeconds: 60 })
  const end = await Promise.race([reader.ended, new Promise((resolve) => setTimeout(resolve, SOON, 'open'))])

  assert.equal(end, 'open')
})

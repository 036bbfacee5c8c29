/** Requests of a tenant that are executed at the same time. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serviceToken, startTestApp } from '../../../test/support/testing.ts'

const newLine = () => `${JSON.stringify({ email: `${crypto.randomUUID()}@example.test` })}\n`

/** Imports of two systems. One that is opened goes on until it is closed. */
async function given(t: TestContext) {
  const app = await startTestApp(t)
  const importer = async () => {
    const { clientId, clientSecret } = await app.newSystem({ allowClientCredentials: true })
    const token = await serviceToken(app.url, clientId, clientSecret)
    const send = (body: BodyInit, signal?: AbortSignal) =>
      fetch(`${app.url}/admin/users/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body,
        duplex: 'half',
        signal,
      } as RequestInit)
    const open = async () => {
      const { readable, writable } = new TransformStream()
      const answer = send(readable)
      const writer = writable.getWriter()
      await writer.write(new TextEncoder().encode(newLine()))
      return { answer, close: () => writer.close() }
    }
    return { send, open }
  }
  const systems = { busy: await importer(), quiet: await importer() }
  // The tests share a server, and a system of the test before keeps its share for a second.
  await sleep(1_100)
  return systems
}

/** Two imports of one system, once both are executed: each has its own connection and can arrive late. */
async function occupy({ open, send }: Awaited<ReturnType<typeof given>>['busy']) {
  const running = [await open(), await open()]
  let third = await send(newLine())
  for (let tries = 0; third.status === 200 && tries < 50; tries += 1) third = await send(newLine())
  const finish = async () => {
    for (const { close } of running) await close()
    return Promise.all(running.map(async ({ answer }) => (await answer).status))
  }
  return { third, finish }
}

test('P54: a system imports twice at the same time; a third gets 503, and another system imports', async (t) => {
  const { busy, quiet } = await given(t)
  const { third, finish } = await occupy(busy)

  const other = await quiet.send(newLine())

  assert.deepEqual([third.status, third.headers.get('retry-after')], [503, '2'])
  assert.equal(other.status, 200)
  assert.deepEqual(await finish(), [200, 200])
})

test('a request whose connection is closed while it waits takes no slot', async (t) => {
  const { busy } = await given(t)
  const { finish } = await occupy(busy)
  const left = busy.send(newLine(), AbortSignal.timeout(200)).catch(() => 'left')
  const gone = await left
  await sleep(200) // the server reads that the connection is closed
  await finish()

  const { third, finish: finishLater } = await occupy(busy)

  assert.equal(gone, 'left')
  assert.equal(third.status, 503)
  assert.deepEqual(await finishLater(), [200, 200])
})

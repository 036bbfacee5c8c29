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
  return { busy: await importer(), quiet: await importer() }
}

test('P54: a system imports twice at the same time; a third gets 503, and another system imports', async (t) => {
  const { busy, quiet } = await given(t)
  const running = [await busy.open(), await busy.open()]

  // The two are sent on connections of their own: a third can arrive before them.
  let third = await busy.send(newLine())
  for (let tries = 0; third.status === 200 && tries < 50; tries += 1) third = await busy.send(newLine())
  const other = await quiet.send(newLine())
  for (const { close } of running) await close()

  assert.deepEqual([third.status, third.headers.get('retry-after')], [503, '2'])
  assert.equal(other.status, 200)
  for (const { answer } of running) assert.equal((await answer).status, 200)
})

test('a request whose connection is closed while it waits takes no slot', async (t) => {
  const { busy } = await given(t)
  const running = [await busy.open(), await busy.open()]
  const left = busy.send(newLine(), AbortSignal.timeout(200)).catch(() => 'left')
  await sleep(400)
  for (const { close } of running) await close()
  for (const { answer } of running) await (await answer).text()

  const later = [await busy.open(), await busy.open()]
  for (const { close } of later) await close()

  assert.equal(await left, 'left')
  for (const { answer } of later) assert.equal((await answer).status, 200)
})

/** Kept-alive connections of calls to addresses given by tenants. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SOON } from '../../test/support/waiting.ts'
import { call, keepConnections } from './outbound.ts'

async function serve(t: TestContext, answer: RequestListener) {
  const sockets: Socket[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, answer)
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, sockets }
}

function kept(t: TestContext) {
  const connections = keepConnections()
  t.after(() => connections.close())
  return connections
}

const at = (address: string) => async () => [{ address, family: 4 }]
const statusOf = (outcome: Awaited<ReturnType<typeof call>>) =>
  'fault' in outcome ? outcome.fault : outcome.status

test('P48: a kept-alive connection keeps its checked address; a new one resolves again', async (t) => {
  const { port, sockets } = await serve(t, async (request, response) => {
    await request.toArray()
    response.end('yes')
  })
  const connections = kept(t)
  const url = `http://receiver.example:${port}/`

  const statuses = []
  for (let count = 0; count < 20; count++)
    statuses.push(
      statusOf(
        await call(url, {
          method: 'POST',
          body: 'x',
          targets: 'private',
          connections,
          lookup: at('127.0.0.1'),
        }),
      ),
    )
  const rebound = () => call(url, { targets: 'private', connections, lookup: at('169.254.169.254') })
  const together = await Promise.all([rebound(), rebound()])

  assert.deepEqual([...new Set(statuses)], [200])
  assert.equal(sockets.length, 1)
  assert.deepEqual(
    together.map(statusOf).sort(),
    [200, 'address'],
    'one went over the kept connection, the other nowhere',
  )
})

test('a kept-alive connection closed by the receiver does not fail a call', async (t) => {
  let asked = 0
  const { port, sockets } = await serve(t, (request, response) => {
    asked += 1
    if (asked === 2) request.socket.resetAndDestroy()
    else response.end()
  })
  const connections = kept(t)
  const ask = async () =>
    statusOf(await call(`http://127.0.0.1:${port}/`, { method: 'POST', targets: 'private', connections }))

  const statuses = [await ask(), await ask(), await ask()]

  assert.deepEqual([statuses, asked, sockets.length], [[200, 200, 200], 4, 3])
})

test('a kept-alive connection has the same timeouts, and closes after 4 s idle', async (t) => {
  let wait = 0
  const { port, sockets } = await serve(
    t,
    (_request, response) => void setTimeout(() => response.end(), wait),
  )
  const connections = kept(t)
  const ask = async () =>
    statusOf(await call(`http://127.0.0.1:${port}/`, { targets: 'private', connections }))

  const first = await ask()
  wait = 6_000
  const slow = await ask()
  const open = sockets.length
  await t.waitFor(() => assert.ok(sockets[0]!.destroyed || sockets[0]!.readableEnded), SOON)

  assert.deepEqual([first, slow, open], [200, 200, 1])
})

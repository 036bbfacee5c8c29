import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp } from '../../../test/support/testing.ts'

test('a request whose connection was reset before its address was read is not executed', async (t) => {
  const { url, platform, newSystem, audited } = await startTestApp(t)
  const { port } = new URL(url)
  const name = `Reset ${crypto.randomUUID()}`
  const request = (nth: number) => {
    const body = JSON.stringify({ name: `${name} ${nth}` })
    const head = [
      'POST /admin/systems HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${platform.token}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    return [...head, '', body].join('\r\n')
  }

  for (let nth = 0; nth < 30; nth += 1) {
    const socket = connect(Number(port), 'localhost')
    await once(socket, 'connect')
    await sleep(5)
    socket.write(request(nth))
    socket.resetAndDestroy()
  }
  await newSystem({ name }) // the server is up and has finished the requests before
  await sleep(200)

  const made = await audited({ action: 'system.created' })
  assert.ok(made.length > 0)
  assert.deepEqual(
    made.filter(({ actorIp, actorType }) => actorIp === null && actorType !== 'server'),
    [],
  )
})

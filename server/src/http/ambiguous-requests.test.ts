/** HTTP requests that a proxy and a server could parse differently, sent on raw sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'

/** A second request that a desynchronized server would answer. */
const SMUGGLED = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

const AMBIGUOUS: Record<string, string[]> = {
  'Content-Length and Transfer-Encoding': [
    'POST /token HTTP/1.1',
    'Host: localhost',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    '',
    `0\r\n\r\n${SMUGGLED}`,
  ],
  'two values of Content-Length': [
    'POST /token HTTP/1.1',
    'Host: localhost',
    'Content-Length: 0',
    `Content-Length: ${SMUGGLED.length}`,
    '',
    SMUGGLED,
  ],
  'a space before the colon': [
    'POST /token HTTP/1.1',
    'Host: localhost',
    'Transfer-Encoding : chunked',
    '',
    `0\r\n\r\n${SMUGGLED}`,
  ],
  'an unknown transfer coding': [
    'POST /token HTTP/1.1',
    'Host: localhost',
    'Transfer-Encoding: xchunked',
    '',
    `0\r\n\r\n${SMUGGLED}`,
  ],
  'a folded header': ['GET /health HTTP/1.1', 'Host: localhost', 'X-Folded: a', ' b: c', '', SMUGGLED],
  'no Host header': ['GET /health HTTP/1.1', '', ''],
}

/** Sends bytes and returns everything the server sends until it closes the connection. */
async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  socket.write(bytes)
  await once(socket, 'close')
  return received
}

for (const [what, lines] of Object.entries(AMBIGUOUS))
  test(`P44: a request with ${what} is refused and closes the connection`, async (t) => {
    const { url } = await startTestApp(t)

    const received = await sendRaw(url, lines.join('\r\n'))

    assert.match(received, /^HTTP\/1\.1 400 /)
    assert.equal(received.match(/HTTP\/1\.1 \d/g)?.length, 1, 'one response only')
  })

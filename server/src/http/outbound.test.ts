/** Calls to addresses given by tenants: to real servers on this machine, and to forbidden ones. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { SOON } from '../../test/support/waiting.ts'
import { type Answer, call, type Fault } from './outbound.ts'

const asAnswer = (outcome: Answer | Fault): Answer => {
  assert.ok(!('fault' in outcome), JSON.stringify(outcome))
  return outcome
}
const faultOf = (outcome: Answer | Fault) => ('fault' in outcome ? outcome.fault : `status ${outcome.status}`)
const resolvesTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: net.isIP(address) }))

async function listen(t: TestContext, server: net.Server) {
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => (server as Partial<http.Server>).closeAllConnections?.())
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, connections: () => connections }
}
const serve = (t: TestContext, answer: RequestListener) => listen(t, http.createServer(answer))

test('a call sends its method, headers and body, and returns the response', async (t) => {
  const seen: unknown[] = []
  const { url } = await serve(t, async (request, response) => {
    const body = (await request.toArray()).join('')
    seen.push([
      request.method,
      request.url,
      request.headers.host,
      request.headers['x-kind'],
      request.headers.connection,
      body,
    ])
    response.writeHead(418, { 'x-answer': 'yes' }).end('short and stout')
  })

  const answer = asAnswer(
    await call(`${url}/tea?n=1`, {
      method: 'POST',
      headers: { 'x-kind': 'green' },
      body: 'água',
      targets: 'private',
    }),
  )

  assert.deepEqual(seen, [['POST', '/tea?n=1', new URL(url).host, 'green', 'close', 'água']])
  assert.deepEqual(
    [answer.status, answer.headers['x-answer'], answer.body.toString()],
    [418, 'yes', 'short and stout'],
  )
})

test('P48: a name is resolved once and the connection goes to the checked address', async (t) => {
  const { port, connections } = await serve(t, (request, response) => response.end(request.headers.host))
  const answers = [['127.0.0.1'], ['169.254.169.254']]
  let asked = 0
  const lookup = async (name: string) => {
    assert.equal(name, 'rebinding.example')
    return resolvesTo(...(answers[asked++] ?? []))()
  }

  const first = await call(`http://rebinding.example:${port}/`, { targets: 'private', lookup })
  const second = await call(`http://rebinding.example:${port}/`, { targets: 'private', lookup })

  assert.equal(asAnswer(first).body.toString(), `rebinding.example:${port}`)
  assert.deepEqual([faultOf(second), asked, connections()], ['address', 2, 1])
})

test('P48: a redirect is returned, not followed', async (t) => {
  const inner = await serve(t, (_request, response) => response.end('secret'))
  const { url } = await serve(t, (_request, response) =>
    response.writeHead(302, { location: inner.url }).end(),
  )

  const answer = asAnswer(await call(url, { targets: 'private' }))

  assert.deepEqual([answer.status, inner.connections()], [302, 0])
})

test('of a long response 64 kB are read, then the connection is closed', async (t) => {
  let sent = 0
  const closed = Promise.withResolvers<void>()
  const { url } = await serve(t, (_request, response) => {
    response.on('close', closed.resolve).on('error', () => {})
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x'))) sent += 16_384
    }
    response.on('drain', more)
    more()
  })

  const answer = asAnswer(await call(url, { targets: 'private' }))
  await closed.promise

  assert.deepEqual([answer.status, answer.body.length], [200, 65_536])
  assert.ok(sent < 50_000_000, `${sent} bytes were sent`)
})

test('connecting times out after 5 s and the response after 15 s, closing the connection', async (t) => {
  const ended = new Set<string>()
  const silent = await listen(
    t,
    net.createServer((socket) => socket.resume().on('close', () => ended.add('silent'))),
  )
  const dripping = await serve(t, (_request, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('x'), 50)
    response.on('close', () => {
      clearInterval(drip)
      ended.add('dripping')
    })
  })
  const slowHead = await listen(
    t,
    net.createServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x-a: b\r\n'), 100)
      socket.on('close', () => {
        clearInterval(drip)
        ended.add('slowHead')
      })
    }),
  )
  const timer5 = async () => {
    const from = performance.now()
    await sleep(5_000)
    return performance.now() - from
  }
  const timed = async (url: string, options = {}) => {
    const from = performance.now()
    const fault = faultOf(await call(url, { targets: 'private', ...options }))
    return { fault, took: performance.now() - from }
  }

  const [timer, ...calls] = await Promise.all([
    timer5(),
    timed(`https://127.0.0.1:${silent.port}/`),
    timed(silent.url),
    timed(dripping.url),
    timed(slowHead.url),
    timed('https://app.example/', { lookup: () => new Promise(() => {}) }),
  ])

  assert.deepEqual(
    calls.map(({ fault }) => fault),
    Array(5).fill('timeout'),
  )
  // In relation to a timer of 5 s that ran at the same time: a busy machine delays all of them.
  assert.deepEqual(
    calls.map(({ took }) => Math.round(took / timer)),
    [1, 3, 3, 3, 1],
  )
  const areAllEnded = () => assert.deepEqual([...ended].sort(), ['dripping', 'silent', 'slowHead'])
  await t.waitFor(areAllEnded, SOON)
})

test('every server failure ends the call with an error that names it', async (t) => {
  const raw = (answer: string) =>
    listen(
      t,
      net.createServer((socket) => socket.end(answer)),
    )
  const cut = await raw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
  const garbage = await raw('SSH-2.0-OpenSSH\r\n')
  const nothing = await raw('')
  const upgraded = await raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
  const wide = await raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)
  const gone = await serve(t, () => {})
  const calls = [cut, garbage, nothing, upgraded, wide].map(({ url }) => call(url, { targets: 'private' }))
  const ending = new AbortController()
  setTimeout(() => ending.abort(), 50)

  assert.deepEqual(
    (await Promise.all(calls)).map(faultOf),
    calls.map(() => 'connection'),
  )
  assert.equal(faultOf(await call('http://127.0.0.1:1/', { targets: 'private' })), 'connection')
  assert.equal(faultOf(await call('https://no-such-name.invalid/')), 'name')
  assert.equal(faultOf(await call(gone.url, { targets: 'private', signal: ending.signal })), 'aborted')
  assert.equal(faultOf(await call(gone.url, { targets: 'private', signal: AbortSignal.abort() })), 'aborted')
  assert.equal(
    faultOf(await call(gone.url, { targets: 'private', headers: { 'x-a': 'b\r\nx-c: d' } })),
    'connection',
  )
})

test('TLS verifies the host name and the chain whatever the environment says', async (t) => {
  const names: unknown[] = []
  const server = https.createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    names.push([(request.socket as tls.TLSSocket).servername, request.headers.host])
    response.end()
  })
  const { port } = await listen(t, server)
  const options = { targets: 'private' as const, lookup: resolvesTo('127.0.0.1') }
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  t.after(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

  const unknown = await call(`https://receiver.example:${port}/`, options)
  const trusted = tls.getCACertificates('default')
  t.after(() => tls.setDefaultCACertificates(trusted))
  tls.setDefaultCACertificates([...trusted, CERTIFICATE])
  const known = await call(`https://receiver.example:${port}/`, options)
  const other = await call(`https://another.example:${port}/`, options)

  assert.deepEqual(unknown, { fault: 'connection', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  assert.deepEqual(other, { fault: 'connection', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  assert.equal(asAnswer(known).status, 200)
  assert.deepEqual(names, [['receiver.example', `receiver.example:${port}`]])
})

/** Certificate of receiver.example, made for this test, valid until 2126. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqzCCAVCgAwIBAgIUNA6eCkFFr5kqyvV4xwJ1Yp/6wiMwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjExMjU4MjJaGA8y
MTI2MTAyODEyNTgyMlowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABEcev3tw2oJvlA/fTCmFVtkcKwUNLyHaj7Xj
9k0umqfiT6NYhI0wgn21eyS688ochGmHH6SSQ0NIDTZeoo4iep+jcDBuMB0GA1Ud
DgQWBBQg4DFj2F0fq2VC78q0NCdHUEzs2zAfBgNVHSMEGDAWgBQg4DFj2F0fq2VC
78q0NCdHUEzs2zAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCEHJlY2VpdmVy
LmV4YW1wbGUwCgYIKoZIzj0EAwIDSQAwRgIhALzEGXUiPeu9CYv3l1VI3ptfG4JR
i2TMoTlMaA7U7qZJAiEAr5xtA7gTvpJf5BkegrwtzBtAWTJM5vG6gaU0n5rdJyw=
-----END CERTIFICATE-----`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCIinyjCZXSd81yun
ignHT+u4nxWRHCLTlS/s2OMH6HehRANCAARHHr97cNqCb5QP30wphVbZHCsFDS8h
2o+14/ZNLpqn4k+jWISNMIJ9tXskuvPKHIRphx+kkkNDSA02XqKOInqf
-----END PRIVATE KEY-----`

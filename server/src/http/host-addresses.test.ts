/** Host names of registered URLs are resolved without a thread, within a time limit. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { hashPassword } from '../crypto/password-hash.ts'
import { resolverOf } from './host-addresses.ts'

const HOSTS = `127.0.0.1 localhost
# 192.0.2.9 commented.example
192.0.2.1 Shop.example www.shop.example # the shop
2001:db8::1 shop.example
not-an-address broken.example
`

/** A name server that receives queries and answers as `answer` says: never if it returns undefined. */
async function startNameServer(t: TestContext, answer: (query: Buffer) => Buffer | undefined) {
  const queries: Buffer[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port }) => {
    queries.push(query)
    const reply = answer(query)
    if (reply) socket.send(reply, port, '127.0.0.1')
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { queries, address: `127.0.0.1:${(socket.address() as AddressInfo).port}` }
}

/** RFC 1035 section 4: the question with one A record, or with none for other types. */
function withAddress(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5
  const question = query.subarray(12, end)
  const isA = question.readUInt16BE(question.length - 4) === 1
  const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0])
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7])
  return Buffer.concat([header, question, ...(isA ? [record] : [])])
}

async function newHostsFile(t: TestContext): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantry-hosts-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'hosts')
  await writeFile(path, HOSTS)
  return path
}

test('a host name is resolved by the hosts file, then by DNS', async (t) => {
  const { address, queries } = await startNameServer(t, withAddress)
  const resolve = resolverOf({ servers: [address], hostsFile: await newHostsFile(t) })

  const local = [await resolve('SHOP.example.'), await resolve('www.shop.example')]
  const loopback = [await resolve('localhost'), await resolve('app.localhost')]
  const queriesBefore = queries.length
  const remote = await resolve('commented.example')

  assert.deepEqual(local, [
    [
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ],
    [{ address: '192.0.2.1', family: 4 }],
  ])
  assert.deepEqual(
    loopback.map((each) => each.map((one) => one.address)),
    [['127.0.0.1'], ['127.0.0.1', '::1']],
  )
  assert.equal(queriesBefore, 0)
  assert.deepEqual(remote, [{ address: '203.0.113.7', family: 4 }])
})

test('lookups at a silent name server time out and delay no password hash', async (t) => {
  const { address, queries } = await startNameServer(t, () => undefined)
  const resolve = resolverOf({ servers: [address] })
  const ended: string[] = []

  const lookups = Array.from({ length: 32 }, (_, n) =>
    assert
      .rejects(resolve(`silent-${n}.example`), { name: 'Error', code: 'ETIMEOUT' })
      .then(() => ended.push('lookup')),
  )
  await hashPassword('a password that is hashed meanwhile', null)
  ended.push('hash')
  await Promise.all(lookups)

  assert.equal(ended[0], 'hash')
  assert.ok(queries.length >= 32)
})

/** Allowed target addresses, by number and by spelling. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { call, isForbidden, type Targets, targetsOf, urlFault } from './outbound.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Private and loopback addresses as a resolver prints them. */
const PRIVATE = words(`
  127.0.0.1 127.255.0.9 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255 ::1
  fc00::1 fd12:3456::1 64:ff9b::7f00:1 64:ff9b::a00:1 ::ffff:127.0.0.1 ::ffff:a00:1
`)
/** Refused with any settings. */
const SPECIAL = words(`
  0.0.0.0 0.1.2.3 169.254.169.254 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16 :: fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1
  2001:db8::1 3fff::1 100::1 64:ff9b:1::1 64:ff9b::a9fe:a9fe fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe 2002:7f00:1:: 2002:808:808::1
  2001::1 2001:0:7f00:1::1 ::7f00:1 ::192.0.2.1 ::8.8.8.8 192.31.196.1 192.52.193.1 192.175.48.1 2620:4f:8000::1 ::ffff:0:7f00:1 5f00::1 4000::1 x 1.2.3 1.2.3.4.5
`)
const PUBLIC = words(`
  8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.0.1 192.169.0.1 169.253.0.1
  223.255.255.255 2606:4700::1111 2a00::1 2001:4860::8888 64:ff9b::808:808 ::ffff:8.8.8.8
`)

test('P48: only public addresses are called; private ones with the setting, special never', () => {
  assert.deepEqual(forbidden([...PRIVATE, ...SPECIAL], 'public'), [...PRIVATE, ...SPECIAL])
  assert.deepEqual(forbidden(PUBLIC, 'public'), [])
  assert.deepEqual(forbidden([...PRIVATE, ...PUBLIC], 'private'), [])
  assert.deepEqual(forbidden(SPECIAL, 'private'), SPECIAL)
})

const forbidden = (addresses: string[], targets: Targets) =>
  addresses.filter((address) => isForbidden(address, targets))

test('P48: with a loopback issuer this machine is called, also over http, and no private network', () => {
  const here = ['127.0.0.1', '[::1]', 'localhost', 'localhost.', 'app.localhost']
  const loopback = words('127.0.0.1 127.255.0.9 ::1 64:ff9b::7f00:1 ::ffff:127.0.0.1')
  const others = ['10.0.0.1', '192.168.0.1', '100.64.0.1', '[fd00::1]', 'app.example']
  const issuers = ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'https://localhost']
  const targetsAt = (BASE_URL: string, WEBHOOK_ALLOW_PRIVATE = false) =>
    targetsOf({ BASE_URL, WEBHOOK_ALLOW_PRIVATE })

  assert.deepEqual(
    [...issuers, 'https://id.example', 'https://localhost.example'].map((issuer) => targetsAt(issuer)),
    [...issuers.map(() => 'loopback'), 'public', 'public'],
  )
  assert.equal(targetsAt('https://id.example', true), 'private')
  const refused = [...PRIVATE.filter((address) => !loopback.includes(address)), ...SPECIAL]
  assert.deepEqual(forbidden([...PRIVATE, ...SPECIAL, ...PUBLIC], 'loopback'), refused)
  for (const host of here) {
    for (const scheme of ['http', 'https'])
      assert.equal(urlFault(`${scheme}://${host}:8080/hook`, 'loopback'), undefined, host)
    assert.match(urlFault(`https://${host}/`, 'public') ?? '', /WEBHOOK_ALLOW_PRIVATE/, host)
  }
  for (const host of others)
    assert.match(urlFault(`http://${host}/`, 'loopback') ?? '', /WEBHOOK_ALLOW_PRIVATE/, host)
  for (const url of [...ODD, 'http://169.254.169.254/'])
    assert.doesNotMatch(urlFault(url, 'loopback') ?? '', /WEBHOOK_ALLOW_PRIVATE|^$/, url)
  assert.match(urlFault('https://10.0.0.1/', 'public', 'identity_provider') ?? '', /SOCIAL_ALLOW_PRIVATE/)
})

/** Spellings of loopback addresses that URL parsers or C libraries accept. */
const ODD = [
  'http://0x7f.1',
  'http://2130706433',
  'http://017700000001',
  'http://127.1',
  'http://0',
  'http://0x7f000001/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://%31%32%37.0.0.1/',
  'http://127.0.0.1\\@app.example/',
  'http://127.0.0.1\t/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]',
  'http://[fe80::1%25eth0]/',
  'http://[::1',
  'http://0177.0.0.1/',
  'http://127.0.0.0x1/',
]
const PLAIN = [
  '127.0.0.1',
  '10.0.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '[::1]',
  '[fd00::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  'app.localhost.',
]

test('P48: a URL with a forbidden address is refused at registration in every spelling', () => {
  const spellings = [
    ...ODD,
    ...ODD.map((url) => url.replace('http:', 'https:')),
    ...PLAIN.map((host) => `https://${host}/hook`),
    ...PLAIN.map((host) => `http://${host}:5432/`),
  ]
  const others = [
    'https://[::ffff:7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://169.254.169.254/latest',
    'https://0.0.0.0/',
    'http://app.example/',
    'file:///etc/passwd',
    'gopher://app.example/',
    'ftp://app.example/',
    'https://user:pw@app.example/',
    'https://user@app.example/',
    'https://@app.example/',
    'https://app.example/#x',
    'https:app.example',
    '//app.example',
    '',
    'x',
    `https://app.example/${'x'.repeat(10_000)}`,
  ]

  for (const url of [...spellings, ...others]) assert.equal(typeof urlFault(url, 'public'), 'string', url)
})

test('P48: with private addresses allowed only their plain spelling is accepted, special ones never', () => {
  const special = [
    'http://169.254.169.254/',
    'http://0.0.0.0/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'ftp://10.0.0.1/',
    'http://u:p@10.0.0.1/',
  ]

  for (const host of PLAIN) assert.equal(urlFault(`http://${host}:8080/hook`, 'private'), undefined, host)
  for (const url of [...ODD, ...special]) assert.equal(typeof urlFault(url, 'private'), 'string', url)
})

test('public names and addresses are accepted up to 2,000 characters', () => {
  const good = [
    'https://app.example/hook?x=1',
    'https://xn--bcher-kva.example',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    'https://app.example./',
    `https://app.example/${'x'.repeat(1_980)}`,
  ]

  assert.deepEqual(
    good.map((url) => urlFault(url, 'public')),
    good.map(() => undefined),
  )
  assert.match(urlFault(`https://app.example/${'x'.repeat(1_981)}`, 'public') ?? '', /longer than 2000/)
})

test('P48: a name that resolves to any private address is refused without a connection', async (t) => {
  let connections = 0
  const server = http
    .createServer((_request, response) => response.end())
    .on('connection', () => connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const resolvesTo = (addresses: string[]) => async () =>
    addresses.map((address) => ({ address, family: net.isIP(address) }))
  const faultOf = async (...asked: Parameters<typeof call>) => {
    const outcome = await call(...asked)
    return 'fault' in outcome ? outcome.fault : outcome.status
  }

  for (const address of [...PRIVATE, ...SPECIAL.filter(net.isIP)])
    for (const found of [[address], ['8.8.8.8', address]])
      assert.equal(
        await faultOf(`https://app.example:${port}/`, { lookup: resolvesTo(found) }),
        'address',
        found.join(),
      )
  for (const address of [
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `http://app.example:${port}/`,
  ])
    assert.equal(await faultOf(address), 'address', address)

  assert.equal(connections, 0)
})

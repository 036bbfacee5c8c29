import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepAddresses, networkOf, networksOf } from './ip-address.ts'

test('the network is an IPv4 address, the /64 of IPv6, none of loopback, and one for all other texts', () => {
  const networks = {
    '203.0.113.9': '203.0.113.9',
    '::ffff:203.0.113.9': '203.0.113.9',
    '::ffff:cb00:7109': '203.0.113.9',
    '2001:db8::1': '2001:db8:0:0::/64',
    '2001:DB8:0:0:ffff:1:2:3': '2001:db8:0:0::/64',
    '2001:db8:0:1::1': '2001:db8:0:1::/64',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '::203.0.113.9': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '1::': '1:0:0:0::/64',
    '127.0.0.1': undefined,
    '127.8.9.1': undefined,
    '::1': undefined,
    '::ffff:127.0.0.1': undefined,
    unknown: 'unknown',
    '': 'unknown',
    'any other text': 'unknown',
    '1.2.3.4.5': 'unknown',
  }

  assert.deepEqual(Object.fromEntries(Object.keys(networks).map((ip) => [ip, networkOf(ip)])), networks)
  assert.equal(networkOf(null), undefined)
})

test('the networks of an IPv6 address are its /64, /56 and /48', () => {
  assert.deepEqual(networksOf('2001:db8:1:2fe::9'), [
    '2001:db8:1:2fe::/64',
    '2001:db8:1:200::/56',
    '2001:db8:1::/48',
  ])
  assert.deepEqual(networksOf('2001:db8::1'), ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0::/48'])
  assert.deepEqual(
    [networksOf('203.0.113.9'), networksOf('::1'), networksOf(null)],
    [['203.0.113.9'], [], []],
  )
})

test('X-Forwarded-For has addresses only: without ports and zones, and one text for what is none', () => {
  const long = 'x'.repeat(9_000)
  const headers = {
    'x-forwarded-for': `203.0.113.7:51234, [2001:db8::1]:443,[2001:db8::2] ,fe80::1%eth0, ,${long}, a b, 1.2.3.4 x,_z:1`,
  }

  keepAddresses(headers)

  assert.equal(
    headers['x-forwarded-for'],
    `203.0.113.7, 2001:db8::1, 2001:db8::2, fe80::1${', unknown'.repeat(4)}`,
  )
})

/** Which responses of a provider are read: those that come with a ticket of ours. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSeal } from '../crypto/seal.ts'
import { newTicket, readTicket } from './ticket.ts'

const seal = createSeal('a key for tickets, 32 characters or more')
const now = new Date('2026-03-01T12:00:00.000Z')
const LIFETIME = 3_600
const read = (relayState: string, connection = 'con_1', at = now, by = seal) =>
  readTicket(by, connection, relayState, { now: at, lifetime: LIFETIME })
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

test('a ticket names its request, and has the characters that SAML allows', () => {
  for (const kind of ['sign-in', 'test'] as const) {
    const { relayState, requestId } = newTicket(seal, 'con_1', kind, now)

    assert.match(relayState, /^[\w-]{60}$/)
    assert.match(requestId, /^_[\da-f]{32}$/)
    assert.deepEqual(read(relayState), { kind, requestId, issuedAt: now })
  }
})

test('a ticket counts for its connection, under our key and for its lifetime only', () => {
  const { relayState } = newTicket(seal, 'con_1', 'sign-in', now)
  const other = createSeal('another key for tickets, 32 characters or more')

  assert.equal(read(relayState, 'con_2'), undefined)
  assert.equal(read(relayState, 'con_1', now, other), undefined)
  assert.ok(read(relayState, 'con_1', later(LIFETIME - 1)))
  assert.equal(read(relayState, 'con_1', later(LIFETIME)), undefined)
  assert.ok(read(relayState, 'con_1', later(-30)))
  assert.equal(read(relayState, 'con_1', later(-120)), undefined)
})

test('P81: a text that differs from a ticket in any way is none, also in its kind and time', () => {
  const bits = fc.record({ at: fc.nat(44), bit: fc.nat(7) })

  fc.assert(
    fc.property(bits, ({ at, bit }) => {
      const bytes = Buffer.from(newTicket(seal, 'con_1', 'test', now).relayState, 'base64url')
      bytes[at]! ^= 1 << bit
      assert.equal(read(bytes.toString('base64url')), undefined)
    }),
    { numRuns: 400 },
  )
  const { relayState } = newTicket(seal, 'con_1', 'test', now)
  for (const text of ['', relayState.slice(1), `${relayState}A`, `${relayState}=`, ` ${relayState}`])
    assert.equal(read(text), undefined, JSON.stringify(text))
})

import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSeal } from './seal.ts'

test('a keyed hash is HMAC-SHA-256 under a key derived for its purpose', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '\ud800', 'a\udfff', 'a'.repeat(64), 'é'.repeat(5_000)),
  )

  fc.assert(
    fc.property(fc.string({ minLength: 32 }), text, fc.string(), (secretKey, value, context) => {
      const key = Buffer.from(hkdfSync('sha256', secretKey, 'tenantry', `hash:${context}`, 32))
      const expected = createHmac('sha256', key).update(value).digest('hex')

      assert.equal(createSeal(secretKey).hash(value, context).toString('hex'), expected)
    }),
    { numRuns: 300 },
  )
})

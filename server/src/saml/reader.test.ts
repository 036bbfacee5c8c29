/** The thread that reads responses: nobody fills it, and what takes too long ends it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSamlKey } from '../../test/support/saml-keys.ts'
import { samlField, samlResponse } from '../../test/support/saml-provider.ts'
import { GENERIC_SHAPE } from '../../test/support/saml-shapes.ts'
import { createSamlReader } from './reader.ts'
import type { ReadingTask } from './reading.ts'

const key = newSamlKey()
const rules = { subjectAttribute: null, groupAttribute: null, mfaAcr: [], closedIssuer: false }
const task = (field = samlField(samlResponse(GENERIC_SHAPE, key))): ReadingTask => {
  const { issuer, entityId, acsUrl, requestId, now } = GENERIC_SHAPE
  return { field, pems: [key.pem], expected: { issuer, entityId, acsUrl, requestId, now }, rules }
}
const own = { systemId: 's', accountId: 'a', id: '1' }

test('a response is read in the thread, and a refused one has its code', async (t) => {
  const reader = createSamlReader()
  t.after(() => reader.close())

  const read = await reader.read(own, task())
  const refused = await reader.read(own, task('x'))

  assert.equal('facts' in read && read.facts.subject, '["nameid","ada@example.com"]')
  assert.equal('code' in refused && refused.code, 'saml_invalid')
})

test('P169: of one connection 20 responses wait, and another one has its turn', async (t) => {
  const reader = createSamlReader()
  t.after(() => reader.close())
  await reader.read(own, task())

  const many = Array.from({ length: 30 }, () =>
    reader.read(own, task()).then(
      () => 'read',
      (error) => error.code,
    ),
  )
  const other = await reader.read({ systemId: 's', accountId: 'b', id: '2' }, task())
  const outcomes = await Promise.all(many)

  assert.ok('facts' in other)
  const refused = outcomes.filter((each) => each === 'unavailable').length
  assert.ok(refused >= 10 && refused < 30, `${refused}: on a slow machine some wait for too long`)
})

test('P169: many accounts of one system delay another system by one response', async (t) => {
  const reader = createSamlReader()
  t.after(() => reader.close())
  await reader.read(own, task())
  const order: string[] = []
  const readAs = async (systemId: string, id: string) => {
    await reader.read({ systemId, accountId: id, id }, task())
    order.push(systemId)
  }

  await Promise.all([
    ...Array.from({ length: 15 }, (_, at) => readAs('many', `${at}`)),
    readAs('other', 'account of the other'),
  ])

  assert.ok(order.indexOf('other') <= 2, order.join())
})

test('metadata is read in the thread', async (t) => {
  const reader = createSamlReader()
  t.after(() => reader.close())

  const refused = await reader.read(own, { metadata: Buffer.from('<a/>') })

  assert.deepEqual(refused, { message: 'not one EntityDescriptor' })
})

test('P169: a reading that takes too long ends with its thread, and the next one has another', async (t) => {
  const reader = createSamlReader(0)
  t.after(() => reader.close())

  const outcomes = [await reader.read(own, task()), await reader.read(own, task())]

  for (const outcome of outcomes) assert.equal('code' in outcome && outcome.message, 'it takes too long')
})

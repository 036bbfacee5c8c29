import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, signedHeaders } from '../../server/src/jobs/webhooks/signature.ts'
import { verifyWebhook } from '../src/index.ts'
import { refusalOf } from './product.ts'

const EVENT = {
  id: crypto.randomUUID(),
  type: 'user.access_revoked',
  timestamp: new Date().toISOString(),
  data: { status: 'active' },
}
const BODY = JSON.stringify(EVENT)
const SECRET = newWebhookSecret()
const now = () => Math.floor(Date.now() / 1_000)

test('a webhook signed by the server verifies with the old and the new secret of a rotation', () => {
  const next = newWebhookSecret()
  const rotating = signedHeaders([next, SECRET], EVENT.id, now(), BODY)

  assert.deepEqual(verifyWebhook(signedHeaders([SECRET], EVENT.id, now(), BODY), BODY, SECRET), EVENT)
  assert.deepEqual(verifyWebhook(rotating, Buffer.from(BODY), SECRET), EVENT)
  assert.deepEqual(verifyWebhook(new Headers(rotating), BODY, next), EVENT)
  assert.deepEqual(verifyWebhook(signedHeaders([next], EVENT.id, now(), BODY), BODY, [SECRET, next]), EVENT)
})

test('a webhook signed by the Standard Webhooks library verifies', () => {
  const at = new Date()
  const signature = new Webhook(SECRET).sign(EVENT.id, at, BODY)

  const headers = {
    'webhook-id': EVENT.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  }

  assert.deepEqual(verifyWebhook(headers, BODY, SECRET), EVENT)
})

test('P49: an altered, old or wrongly signed webhook is rejected', async () => {
  const genuine = signedHeaders([SECRET], EVENT.id, now(), BODY)
  const signature = genuine['webhook-signature']!
  const at = (seconds: number) => signedHeaders([SECRET], EVENT.id, now() + seconds, BODY)
  const refused: Record<string, [Record<string, string | undefined>, string]> = {
    'one byte of the body': [genuine, BODY.replace('active', 'activf')],
    'another id': [{ ...genuine, 'webhook-id': crypto.randomUUID() }, BODY],
    'another time': [{ ...genuine, 'webhook-timestamp': String(now() - 1) }, BODY],
    'six minutes old': [at(-360), BODY],
    'six minutes ahead': [at(360), BODY],
    'no time': [{ ...genuine, 'webhook-timestamp': undefined }, BODY],
    'a time that is none': [signedHeaders([SECRET], EVENT.id, Number.NaN, BODY), BODY],
    'another secret': [signedHeaders([newWebhookSecret()], EVENT.id, now(), BODY), BODY],
    'no signature': [{ ...genuine, 'webhook-signature': undefined }, BODY],
    'an empty signature': [{ ...genuine, 'webhook-signature': 'v1,' }, BODY],
    'half of the signature': [{ ...genuine, 'webhook-signature': signature.slice(0, 20) }, BODY],
    'a signature of another version': [
      { ...genuine, 'webhook-signature': signature.replace('v1,', 'v1a,') },
      BODY,
    ],
    'no headers': [{}, BODY],
  }

  for (const [about, [headers, body]] of Object.entries(refused))
    assert.equal(await refusalOf(() => verifyWebhook(headers, body, SECRET)), 'invalid_webhook', about)
  assert.deepEqual(verifyWebhook(at(-360), BODY, SECRET, { tolerance: 600 }), EVENT)
})

test('verification without a secret or with an empty secret is rejected', () => {
  const headers = signedHeaders(['whsec_'], EVENT.id, now(), BODY)

  for (const secret of ['', 'whsec_', [], undefined as never])
    assert.throws(() => verifyWebhook(headers, BODY, secret), TypeError)
})

/** The slots of /auth: a browser with many requests leaves time to the other browsers of its client. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authUrl, newPkce, startTestApp } from '../../../test/support/testing.ts'

const MANY = 100

test('P54: of many requests of one browser to /auth most wait for one of another browser', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor: busy } = await app.signIn(system, { email: user.email })
  const { visitor: quiet } = await app.signIn(system, { email: user.email })
  const silent = () => authUrl(system, newPkce().challenge, { prompt: 'none' })
  const codes: (string | null)[] = []
  const send = async (visitor: typeof busy) => {
    const { headers } = await visitor.get(silent())
    codes.push(new URL(headers.get('location') ?? '').searchParams.get('code'))
    return codes.length
  }

  const all = Array.from({ length: MANY }, () => send(busy))
  const place = await send(quiet)
  await Promise.all(all)

  assert.ok(codes.every((code) => code !== null))
  assert.ok(place < MANY / 2, `answered as number ${place}`)
})

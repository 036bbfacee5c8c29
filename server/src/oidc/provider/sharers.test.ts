/** The slots of /auth and /token: a sender with many requests leaves time to the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '../../../test/support/http.ts'
import { newOrganization } from '../../../test/support/invitations.ts'
import { authUrl, basicAuth, newPkce, startTestApp } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { eq } from '../../database/drizzle.ts'
import { artifacts } from '../../database/schema.ts'
import type { SigningKey } from '../keys/signing-keys.ts'
import { createTokenVerifier } from '../keys/token-verifier.ts'
import { tenantOf } from './sharers.ts'

const MANY = 100
/** Requests of a client at once: more than its slots and the 200 that may wait, by this number at least. */
const TOO_MANY = 400
const REFUSED = 50

test('P54: of many requests of one browser to /auth most wait for one of another browser', async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ skipConsent: true })
  const { visitor: busy } = await app.signIn(system, { email: user.email })
  const { visitor: quiet } = await app.signIn(system, { email: user.email })
  const silent = () => authUrl(system, newPkce().challenge, { prompt: 'none' })
  const answers: string[] = []
  /** The place among the answers. A request that waits too long is refused. */
  const send = async (visitor: typeof busy) => {
    const { status, headers } = await visitor.get(silent())
    const location = headers.get('location')
    const hasCode = location !== null && new URL(location).searchParams.has('code')
    answers.push(hasCode ? 'code' : `${status} ${location}`)
    return answers.length
  }

  const all = Array.from({ length: MANY }, () => send(busy))
  const place = await send(quiet)
  await Promise.all(all)

  assert.equal(answers[place - 1], 'code')
  assert.ok(place < MANY / 2, `answered as number ${place}`)
  assert.deepEqual(
    answers.filter((answer) => answer !== 'code' && answer !== '503 null'),
    [],
  )
})

test('P54: of the requests of one client that its body names at /token 200 wait, and others are refused', {
  skip: process.env.DATABASE_URL === undefined, // the embedded database does not wait for row locks
}, async (t) => {
  const app = await startTestApp(t)
  const { system, user } = await app.newMember({ clientType: 'public', skipConsent: true })
  const parameters = { scope: 'openid offline_access' }
  const { refresh_token: token = '' } = await app.signIn(system, { email: user.email, parameters })
  const fields = { client_id: system.clientId, grant_type: 'refresh_token', refresh_token: token }
  const refused: Response[] = []
  const send = async () => {
    const answer = await fetch(`${app.url}/token`, { method: 'POST', body: new URLSearchParams(fields) })
    if (answer.status === 503) refused.push(answer)
  }

  const all = await app.db.transaction(async (tx) => {
    await tx.select().from(artifacts).where(eq(artifacts.userId, user.id)).for('update')
    const all = Array.from({ length: TOO_MANY }, send)
    await t.waitFor(() => assert.ok(refused.length >= REFUSED), SOON)
    return all
  })
  const [first] = refused
  await Promise.all(all)

  assert.ok(Number(first!.headers.get('retry-after')) >= 1)
})

test('P54: the service accounts of an account share what the account has of its system, at /me and at /token', async (t) => {
  const app = await startTestApp(t)
  const org = await newOrganization(app, { allowServiceAccounts: true })
  const { system, accountId, account, admin } = org
  const { keys } = (await (await fetch(`${app.url}/jwks`)).json()) as { keys: { kid: string; alg: string }[] }
  const known = keys.map((key) => ({ kid: key.kid, alg: key.alg, publicJwk: key })) as unknown as SigningKey[]
  const tokens = createTokenVerifier(app.url, { current: () => known, refresh: async () => {} })
  const sharer = (authorization: string) =>
    tenantOf(tokens, { headers: { authorization }, ip: '192.0.2.1', body: undefined } as never)
  const newProgram = async () => {
    const list = `/admin/accounts/${accountId}/service-accounts`
    const { id, clientId } = expectStatus(await account.post(list, { name: 'Export' }), 201).body
    const { secret } = expectStatus(await account.post(`${list}/${id}/keys`, {}), 201).body
    const authorization = basicAuth({ clientId, clientSecret: secret } as never)
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const answer = await fetch(`${app.url}/token`, { method: 'POST', headers: { authorization }, body })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return { authorization, token }
  }
  const programs = [await newProgram(), await newProgram()]
  const { access_token: ofUser } = await app.signIn(system, { email: admin.email })

  const atMe = await Promise.all(
    [...programs.map(({ token }) => token), ofUser].map((each) => sharer(`Bearer ${each}`)),
  )
  const atToken = await Promise.all(programs.map(({ authorization }) => sharer(authorization)))

  const proven = { name: system.clientId, within: accountId, isProven: true }
  assert.deepEqual(atMe, [proven, proven, proven])
  const named = { name: `${system.clientId} 192.0.2.1`, within: accountId, isProven: false }
  assert.deepEqual(atToken, [named, named])
})

/** What ends the sessions that a connection has opened reaches the application. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { pino } from 'pino'
import { expectStatus } from '../../../test/support/http.ts'
import { signInAs, startConnection, tokensOf } from '../../../test/support/sso-sign-in.ts'
import type { Answer } from '../../../test/support/testing.ts'
import { SOON } from '../../../test/support/waiting.ts'
import { startLogoutWorker } from '../../jobs/backchannel-logout/deliver.ts'
import { loadSigningKeys } from '../../oidc/keys/signing-keys.ts'

/** An application that receives logout tokens. */
async function startApplication(t: TestContext) {
  const tokens: string[] = []
  const server = createServer(async (request, response) => {
    tokens.push(new URLSearchParams((await request.toArray()).join('')).get('logout_token') ?? '')
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  return { tokens, uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/out` }
}

test('P155: the end of a connection, of its sessions or of a link logs the members out of the application', async (t) => {
  const application = await startApplication(t)
  const place = await startConnection(t, {
    jit: true,
    system: { backchannelLogoutUri: application.uri },
  })
  const { app, service, accountId, connection, person } = place
  const config = { BASE_URL: app.url, WEBHOOK_ALLOW_PRIVATE: true }
  const log = pino({ level: 'silent' })
  const worker = startLogoutWorker({ db: app.db, config, log, keys: () => loadSigningKeys(app.db, app.seal) })
  t.after(() => worker.stop())
  const path = `/admin/accounts/${accountId}/connections/${connection.id}`
  const enter = async (name: string) => {
    const tokens = await tokensOf(place, await signInAs(place, person(name)))
    const { sid, sub, membership_id: membershipId } = decodeJwt(tokens.access_token)
    return { ...tokens, sid: String(sid), sub: String(sub), membershipId: String(membershipId) }
  }
  const own = await app.newUser()
  await app.newMembership({ userId: own.id, systemId: place.system.id, accountId })
  const { access_token: bystander } = await app.signIn(place.system as never, { email: own.email })
  const unlinkOne = ({ membershipId }: { membershipId: string }) =>
    service.delete(`/admin/accounts/${accountId}/members/${membershipId}/link`)
  const ends: Record<string, (member: Awaited<ReturnType<typeof enter>>) => Promise<Answer>> = {
    'the link of a member': unlinkOne,
    'all links': () => service.delete(`${path}/links`),
    'all sessions': () => service.delete(`${path}/sessions`),
    'the connection is turned off': () => service.patch(path, { enabled: false }),
    'the connection is deleted': () => service.delete(path),
  }

  const ended: string[] = []
  for (const [name, end] of Object.entries(ends)) {
    await service.patch(path, { enabled: true })
    const member = await enter('ana')
    assert.equal((await app.me(member.access_token)).status, 200, name)
    const { status } = await end(member)
    assert.ok(status < 300, `${name}: ${status}`)
    assert.equal((await app.me(member.access_token)).status, 401, name)
    ended.push(member.sid)
    await t.waitFor(() => assert.equal(application.tokens.length, ended.length, name), SOON)
  }

  const keys = createRemoteJWKSet(new URL(`${app.url}/jwks`))
  const sids = []
  for (const token of application.tokens) {
    const options = { issuer: app.url, audience: String(place.system.clientId), typ: 'logout+jwt' }
    sids.push((await jwtVerify(token, keys, options)).payload.sid)
  }
  assert.deepEqual(sids, ended)
  expectStatus(await app.me(bystander), 200)
})

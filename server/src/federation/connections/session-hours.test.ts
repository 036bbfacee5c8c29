/** How long a session by a connection lasts: `sessionHours` from the login at the provider. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { forgetSessions } from '../../../test/support/browser-sessions.ts'
import { expectStatus } from '../../../test/support/http.ts'
import { backOf, signInAs, startConnection, tokensOf } from '../../../test/support/sso-sign-in.ts'
import { authUrl, codeFields, newPkce } from '../../../test/support/testing.ts'
import { eq, sql } from '../../database/drizzle.ts'
import { sessions } from '../../database/schema.ts'

/** 1 hour and 1 minute, in seconds. */
const [HOUR, MINUTE] = [3_600, 60]

test('P152: the session and its refresh tokens end sessionHours after the login, however often they are used', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, admin, connection, system, accountId } = place
  expectStatus(await admin.patch(connection.path, { sessionHours: 2 }), 200)
  const browser = app.newBrowser()
  const tokens = await tokensOf(place, await signInAs(place, person('ana'), browser))
  const { sub, sid } = decodeJwt(tokens.access_token)
  const left = async (of: unknown) => {
    const [row] = await app.db
      .select({ left: sql<number>`extract(epoch from ${sessions.expiresAt} - now())::float8` })
      .from(sessions)
      .where(eq(sessions.sid, String(of)))
    return row!.left
  }
  /** Moves the clock of the database: everything was an hour earlier. */
  const anHourPasses = async () => {
    const past = sql`${sessions.expiresAt} - interval '1 hour'`
    await app.db
      .update(sessions)
      .set({ expiresAt: past })
      .where(eq(sessions.userId, String(sub)))
    await app.db.execute(sql`update artifacts set payload = jsonb_set(payload, '{proofs}', (
        select jsonb_agg(p || jsonb_build_object('at', (p->>'at')::float8 - 3600000))
        from jsonb_array_elements(payload->'proofs') p))
      where model = 'Session' and user_id = ${String(sub)}`)
  }
  const silently = async () => {
    const pkce = newPkce()
    const more = { account_id: accountId, prompt: 'none' }
    const back = backOf(await browser.get(authUrl(system as never, pkce.challenge, more)))
    return { back, pkce }
  }

  const atFirst = await left(sid)
  await anHourPasses()
  const refreshed = await app.refresh(system as never, tokens.refresh_token!)
  const same = await left(sid)
  await forgetSessions(app.db, String(sub))
  const again = await silently()
  const second = expectStatus(await app.token(system as never, codeFields(system as never, again)), 200).body
  const opened = await left(decodeJwt(second.access_token).sid)
  await anHourPasses()
  await forgetSessions(app.db, String(sub))
  const late = await app.refresh(system as never, second.refresh_token!)
  const me = await app.me(second.access_token)
  const after = await silently()

  const isAbout = (value: number, wanted: number) => value <= wanted && value > wanted - 5 * MINUTE
  assert.equal(refreshed.status, 200)
  assert.notEqual(decodeJwt(second.access_token).sid, sid)
  assert.ok(isAbout(atFirst, 2 * HOUR), String(atFirst))
  assert.ok(isAbout(same, HOUR), String(same))
  assert.ok(isAbout(opened, HOUR), String(opened))
  assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant'])
  assert.equal(me.status, 401)
  assert.equal(after.back.error, 'login_required')
})

test('P152: a login at the provider begins the hours of the session again, and prompt=none does not', async (t) => {
  const place = await startConnection(t, { jit: true })
  const { app, person, admin, connection, system, accountId } = place
  expectStatus(await admin.patch(connection.path, { sessionHours: 2 }), 200)
  const browser = app.newBrowser()
  const { access_token: token } = await tokensOf(place, await signInAs(place, person('ana'), browser))
  const sid = String(decodeJwt(token).sid)
  await app.db
    .update(sessions)
    .set({ expiresAt: sql`${sessions.expiresAt} - interval '1 hour'` })
    .where(eq(sessions.sid, sid))
  const read = async () => {
    const left = sql<number>`extract(epoch from ${sessions.expiresAt} - now())::float8`
    const [row] = await app.db.select({ left }).from(sessions).where(eq(sessions.sid, sid))
    return row!.left
  }
  const before = await read()

  const pkce = newPkce()
  const more = { account_id: accountId, prompt: 'none' }
  const silent = backOf(await browser.get(authUrl(system as never, pkce.challenge, more)))
  const silently = await app.token(system as never, codeFields(system as never, { back: silent, pkce }))
  const same = await read()
  const now = { auth_time: Math.floor(Date.now() / 1_000) }
  const again = await tokensOf(place, await signInAs(place, person('ana', now), browser, { prompt: 'login' }))
  const after = await read()

  assert.equal(decodeJwt(silently.body.access_token).sid, sid)
  assert.equal(decodeJwt(again.access_token).sid, sid)
  assert.ok(before <= HOUR && same <= before, `${before} ${same}`)
  assert.ok(after > 2 * HOUR - 5 * MINUTE && after <= 2 * HOUR, String(after))
})

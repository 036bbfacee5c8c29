import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gist } from '../../test/support/http.ts'
import { codeFields, startTestApp, type Tokens } from '../../test/support/testing.ts'
import { passTimeOf } from '../../test/support/token-times.ts'
import { artifacts, sessions } from '../database/schema.ts'

/** The claims of a token, unverified (see tokens.test.ts). */
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const sidOf = (tokens: Tokens): string => claimsOf(tokens.access_token).sid
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

test('P17: a code used twice is refused, and the tokens of the first use are revoked', async (t) => {
  const { newMember, newRole, platform, authorize, token, refresh, me, as, audited } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const role = await newRole(system.id, { isAdmin: true })
  await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles: [role.id] })
  const authorized = await authorize(system, user)
  const tokens = (await token(system, codeFields(system, authorized))).body
  const before = [await me(tokens.access_token), await as(tokens.access_token).get('/admin/memberships')]

  const replay = await token(system, codeFields(system, authorized))
  const after = [await me(tokens.access_token), await as(tokens.access_token).get('/admin/memberships')]

  assert.deepEqual(
    before.map((answer) => answer.status),
    [200, 200],
  )
  assert.deepEqual(gist(replay), [400, 'invalid_grant'])
  assert.deepEqual(
    after.map((answer) => answer.status),
    [401, 401],
  )
  assert.deepEqual(gist(await refresh(system, tokens.refresh_token)), [400, 'invalid_grant'])
  assert.deepEqual(gist(await token(system, codeFields(system, authorized))), [400, 'invalid_grant'])
  const entries = await audited({ targetId: sidOf(tokens), action: 'session.ended' })
  assert.deepEqual(
    entries.map((entry) => entry.changes),
    [{ reason: [null, 'code_replay'] }],
  )
})

test('a replayed code ends its own session only', async (t) => {
  const { newMember, newSystem, newMembership, authorize, signIn, token, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember()
  const other = await newSystem()
  await newMembership({ userId: user.id, systemId: other.id })
  const authorized = await authorize(system, user)
  await token(system, codeFields(system, authorized))
  const elsewhere = await signIn(other, { email: user.email, visitor: authorized.visitor })
  const secondBrowser = await signIn(system, user)

  await token(system, codeFields(system, authorized))

  assert.equal((await me(elsewhere.access_token)).status, 200)
  assert.equal((await refresh(other, elsewhere.refresh_token ?? '')).status, 200)
  assert.equal((await refresh(system, secondBrowser.refresh_token ?? '')).status, 200)
  assert.ok((await signIn(system, user)).access_token)
})

test('a stolen code without its verifier neither works nor ends the session', async (t) => {
  const { newMember, newSystem, authorize, token, me } = await startTestApp(t)
  const [{ system, user }, thief] = [await newMember(), await newSystem()]
  const authorized = await authorize(system, user)
  const fields = codeFields(system, authorized)
  const tokens = (await token(system, fields)).body

  const attempts = [
    await token(system, { ...fields, code_verifier: 'x'.repeat(43) }),
    await token(system, { ...fields, redirect_uri: 'https://evil.example/cb' }),
    await token(thief, fields),
  ]

  assert.deepEqual(
    attempts.map(gist),
    attempts.map(() => [400, 'invalid_grant']),
  )
  assert.equal((await me(tokens.access_token)).status, 200)
})

test('a code expires after TTL_CODE seconds', async (t) => {
  const { newMember, authorize, token } = await startTestApp(t, { TTL_CODE: '1' })
  const { system, user } = await newMember()
  const authorized = await authorize(system, user)
  await sleep(1_100)

  const answer = await token(system, codeFields(system, authorized))

  assert.deepEqual(gist(answer), [400, 'invalid_grant'])
})

test('P18: of 20 parallel uses of one code one succeeds, and its tokens are revoked', async (t) => {
  const { newMember, authorize, token, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember({ skipConsent: true })
  let { visitor } = await authorize(system, user)

  for (let round = 0; round < 10; round++) {
    const authorized = await authorize(system, { email: user.email, visitor })
    visitor = authorized.visitor
    const answers = await Promise.all(times(20, () => token(system, codeFields(system, authorized))))

    const won = answers.filter((answer) => answer.status === 200)
    const lost = answers.filter((answer) => answer.status !== 200)
    assert.equal(won.length, 1)
    assert.deepEqual(
      lost.map(gist),
      lost.map(() => [400, 'invalid_grant']),
    )
    const tokens = won[0]?.body
    assert.deepEqual(gist(await refresh(system, tokens.refresh_token)), [400, 'invalid_grant'])
    assert.equal((await me(tokens.access_token)).status, 401)
  }
})

test('P18: 20 parallel uses of one refresh token get the same successor', async (t) => {
  const { newMember, signIn, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember()
  const first = await signIn(system, user)
  let current = first.refresh_token ?? ''

  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(times(20, () => refresh(system, current)))

    assert.deepEqual(
      answers.map((answer) => answer.status),
      answers.map(() => 200),
    )
    const successors = new Set(answers.map((answer) => answer.body.refresh_token))
    assert.equal(successors.size, 1)
    assert.ok(!successors.has(current))
    current = answers[0]?.body.refresh_token
    assert.equal((await me(answers[7]?.body.access_token)).status, 200)
  }
})

test('P18: without grace one of 20 parallel uses succeeds, and the session ends', async (t) => {
  const { newMember, signIn, refresh, me } = await startTestApp(t, { TTL_REFRESH_GRACE: '0' })
  const { system, user } = await newMember()

  for (let round = 0; round < 3; round++) {
    const tokens = await signIn(system, user)
    const answers = await Promise.all(times(20, () => refresh(system, tokens.refresh_token ?? '')))

    const won = answers.filter((answer) => answer.status === 200)
    assert.equal(won.length, 1)
    assert.deepEqual(gist(await refresh(system, won[0]?.body.refresh_token)), [400, 'invalid_grant'])
    assert.equal((await me(won[0]?.body.access_token)).status, 401)
  }
})

test('P18: a code replayed while its refresh token is used leaves no live token', async (t) => {
  const { newMember, authorize, token, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember({ skipConsent: true })

  for (let round = 0; round < 5; round++) {
    const authorized = await authorize(system, user)
    const tokens = (await token(system, codeFields(system, authorized))).body
    const answers = await Promise.all(
      times(10, (at) =>
        at % 2 ? token(system, codeFields(system, authorized)) : refresh(system, tokens.refresh_token),
      ),
    )

    for (const { status, body } of answers) {
      assert.ok(status === 200 || body.error === 'invalid_grant', `${status} ${body.error}`)
      if (status !== 200) continue
      assert.equal((await me(body.access_token)).status, 401)
      assert.deepEqual(gist(await refresh(system, body.refresh_token)), [400, 'invalid_grant'])
    }
  }
})

test('P19: reuse of a refresh token after its successor was used ends the session', async (t) => {
  const { newMember, signIn, refresh, me, audited, findEvents } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const [tokens, elsewhere] = [await signIn(system, user), await signIn(system, user)]
  const second = (await refresh(system, tokens.refresh_token ?? '')).body
  const third = (await refresh(system, second.refresh_token)).body

  const reuse = await refresh(system, tokens.refresh_token ?? '')
  const newest = await refresh(system, third.refresh_token)

  assert.deepEqual(
    [gist(reuse), gist(newest)],
    [
      [400, 'invalid_grant'],
      [400, 'invalid_grant'],
    ],
  )
  for (const each of [tokens, second, third]) assert.equal((await me(each.access_token)).status, 401)
  assert.deepEqual(gist(await refresh(system, second.refresh_token)), [400, 'invalid_grant'])
  assert.equal((await me(elsewhere.access_token)).status, 200)
  assert.equal((await refresh(system, elsewhere.refresh_token ?? '')).status, 200)
  const entries = await audited({ targetId: sidOf(tokens) })
  assert.deepEqual(
    entries
      .filter((entry) => /reuse|ended/.test(entry.action))
      .map(({ action, outcome, changes }) => [action, outcome, changes]),
    [
      ['session.ended', 'success', { reason: [null, 'refresh_reuse'] }],
      ['security.refresh_reuse', 'failure', {}],
    ],
  )
  const recorded = await findEvents({ systemId: system.id, type: 'security.refresh_reuse' })
  assert.deepEqual(
    recorded.map(({ userId, accountId, membershipId, data }) => [
      userId,
      accountId,
      membershipId,
      data.sid,
      data.user,
    ]),
    [[user.id, membership.accountId, membership.id, sidOf(tokens), { id: user.id, email: user.email }]],
  )
})

test('P19: after the grace period reuse is detected even if the successor is unused', async (t) => {
  const { db, newMember, signIn, refresh, audited } = await startTestApp(t, { TTL_REFRESH_GRACE: '60' })
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  const next = (await refresh(system, tokens.refresh_token ?? '')).body
  await passTimeOf(db, sidOf(tokens), 61)

  const late = await refresh(system, tokens.refresh_token ?? '')

  assert.deepEqual(gist(late), [400, 'invalid_grant'])
  assert.deepEqual(gist(await refresh(system, next.refresh_token)), [400, 'invalid_grant'])
  assert.equal((await audited({ targetId: sidOf(tokens), action: 'security.refresh_reuse' })).length, 1)
})

test('a client that lost a refresh response gets the same successor again', async (t) => {
  const { newMember, signIn, refresh, me, audited } = await startTestApp(t)
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  const lost = (await refresh(system, tokens.refresh_token ?? '')).body

  const repeat = await refresh(system, tokens.refresh_token ?? '')
  const next = await refresh(system, repeat.body.refresh_token)

  assert.deepEqual([repeat.status, repeat.body.refresh_token], [200, lost.refresh_token])
  assert.equal((await me(repeat.body.access_token)).status, 200)
  assert.equal(next.status, 200)
  assert.deepEqual(await audited({ targetId: sidOf(tokens), action: 'security.refresh_reuse' }), [])
})

test('a refresh token works for its own client, and another one cannot end the session', async (t) => {
  const { newMember, newSystem, signIn, refresh } = await startTestApp(t)
  const [{ system, user }, thief] = [await newMember(), await newSystem()]
  const used = (await signIn(system, user)).refresh_token ?? ''
  const next = (await refresh(system, used)).body.refresh_token

  const attempts = [await refresh(thief, next), await refresh(thief, used)]

  assert.deepEqual(
    attempts.map(gist),
    attempts.map(() => [400, 'invalid_grant']),
  )
  assert.equal((await refresh(system, next)).status, 200)
})

test('a chain of refresh tokens ends at TTL_REFRESH_TOKEN_MAX', async (t) => {
  const { db, newMember, signIn, refresh } = await startTestApp(t, {
    TTL_REFRESH_TOKEN: '3000',
    TTL_REFRESH_TOKEN_MAX: '5000',
  })
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  let last = tokens.refresh_token ?? ''

  const statuses = []
  for (const seconds of [2_000, 2_000, 900, 200]) {
    await passTimeOf(db, sidOf(tokens), seconds)
    const answer = await refresh(system, last)
    last = answer.body.refresh_token ?? last
    statuses.push(gist(answer))
  }

  const good = [200, undefined]
  assert.deepEqual(statuses, [good, good, good, [400, 'invalid_grant']])
})

test('an unused refresh token expires after TTL_REFRESH_TOKEN', async (t) => {
  const { newMember, signIn, refresh } = await startTestApp(t, { TTL_REFRESH_TOKEN: '1' })
  const { system, user } = await newMember()
  const tokens = await signIn(system, user)
  await sleep(1_100)

  assert.deepEqual(gist(await refresh(system, tokens.refresh_token ?? '')), [400, 'invalid_grant'])
})

test('a refresh may narrow the granted scopes and never widens them', async (t) => {
  const { newMember, signIn, refresh, me } = await startTestApp(t)
  const { system, user } = await newMember()
  const parameters = { scope: 'openid email offline_access' }
  const tokens = await signIn(system, { email: user.email, parameters })

  const wider = await refresh(system, tokens.refresh_token ?? '', { scope: 'openid email profile' })
  const narrow = await refresh(system, tokens.refresh_token ?? '', { scope: 'openid' })
  const whole = await refresh(system, narrow.body.refresh_token)

  assert.deepEqual(gist(wider), [400, 'invalid_scope'])
  assert.deepEqual([narrow.body.scope, claimsOf(narrow.body.access_token).scope], ['openid', 'openid'])
  assert.equal((await me(narrow.body.access_token)).body.email, undefined)
  assert.equal(whole.body.scope, 'openid email offline_access', 'the grant itself is not narrowed')
  assert.equal((await me(whole.body.access_token)).body.email, user.email)
})

test('offline_access gives a refresh token without prompt=consent, and only with it', async (t) => {
  const { newMember, signIn } = await startTestApp(t)
  const { system, user } = await newMember()

  const asked = await signIn(system, user)
  const silent = await signIn(system, {
    email: user.email,
    visitor: asked.visitor,
    parameters: { prompt: 'none' },
  })
  const without = await signIn(system, { email: user.email, parameters: { scope: 'openid email' } })

  assert.match(asked.refresh_token ?? '', /^[\w-]{43,}$/)
  assert.match(silent.refresh_token ?? '', /^[\w-]{43,}$/)
  assert.deepEqual([without.refresh_token, without.scope], [undefined, 'openid email'])
})

test('a system without offline_access gets invalid_scope and no refresh token', async (t) => {
  const { newMember, authorize, signIn } = await startTestApp(t)
  const { system, user } = await newMember({ allowedScopes: ['openid', 'email'] })

  const asked = await authorize(system, { email: user.email, parameters: { scope: 'openid offline_access' } })
  const tokens = await signIn(system, user)

  assert.deepEqual([asked.back.error, asked.back.code], ['invalid_scope', undefined])
  assert.equal(tokens.refresh_token, undefined)
})

test('P22: a refresh after a change of roles returns the new roles and is_admin', async (t) => {
  const { newMember, newRole, platform, signIn, refresh } = await startTestApp(t)
  const { system, user, membership } = await newMember()
  const [clerk, owner] = [
    await newRole(system.id, { scopes: ['orders:read'] }),
    await newRole(system.id, { isAdmin: true, scopes: ['orders:write'] }),
  ]
  const tokens = await signIn(system, user)
  const seen = [claimsOf(tokens.access_token)]
  let current = tokens.refresh_token ?? ''

  for (const roles of [[clerk.id, owner.id], [clerk.id], []]) {
    await platform.patch(`/admin/memberships/${membership.id}/roles`, { roles })
    const { body } = await refresh(system, current)
    current = body.refresh_token
    seen.push(claimsOf(body.access_token))
    assert.deepEqual(claimsOf(body.id_token).roles, claimsOf(body.access_token).roles)
  }

  assert.deepEqual(
    seen.map(({ roles, is_admin, permissions }) => [roles, is_admin, permissions]),
    [
      [[], false, []],
      [[clerk.name, owner.name].sort(), true, ['orders:read', 'orders:write']],
      [[clerk.name], false, ['orders:read']],
      [[], false, []],
    ],
  )
  assert.equal(new Set(seen.map(({ account_id, sid }) => `${account_id} ${sid}`)).size, 1)
})

test('the database stores codes and refresh tokens hashed', async (t) => {
  const { db, newMember, authorize, token, refresh } = await startTestApp(t)
  const { system, user } = await newMember()
  const authorized = await authorize(system, user)
  const tokens = (await token(system, codeFields(system, authorized))).body
  const next = (await refresh(system, tokens.refresh_token)).body

  const stored = JSON.stringify(
    [await db.select().from(artifacts), await db.select().from(sessions)],
    bytesAsText,
  )

  for (const value of [
    authorized.back.code,
    tokens.refresh_token,
    next.refresh_token,
    next.access_token,
    ...cookies(authorized),
  ])
    assert.ok(!stored.includes(String(value)), 'found in clear')
})

const cookies = ({ visitor }: { visitor: { jar: Map<string, { value: string }> } }) =>
  [...visitor.jar.values()].map(({ value }) => value)

/** A JSON replacer that decodes binary columns, so that they can be searched. */
const bytesAsText = (_key: string, value: unknown) =>
  value instanceof Object && 'type' in value && value.type === 'Buffer' && 'data' in value
    ? Buffer.from(value.data as number[]).toString('latin1')
    : value

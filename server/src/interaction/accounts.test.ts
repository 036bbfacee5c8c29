import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeJwt } from 'jose'
import { authUrl, newPkce, PASSWORD, startTestApp } from '../../test/support/testing.ts'
import { choose } from '../oidc/policy/account-choice.ts'
import type { SelectableMembership } from '../resources/sessions/queries.ts'

type App = Awaited<ReturnType<typeof startTestApp>>

/** The claims that a product reads from a token. */
function accountClaims(token: string) {
  const { sub, account_id, roles, is_admin } = decodeJwt(token)
  return { sub, account_id, roles, is_admin }
}

/** Alice administers A1 and is a member of A2, Bob of A1; Carol administers A2; Dave is in another system. */
async function twoAccounts({ newSystem, newUser, newMembership, newRole }: App) {
  const [system, other] = [
    await newSystem({ multiAccount: true, skipConsent: true }),
    await newSystem({ multiAccount: true }),
  ]
  const owner = await newRole(system.id, { name: 'owner', isAdmin: true, scopes: ['orders:write'] })
  const clerk = await newRole(system.id, { name: 'clerk', scopes: ['orders:read'] })
  const [alice, bob, carol, dave] = [await newUser(), await newUser(), await newUser(), await newUser()]
  const inA1 = await newMembership({
    userId: alice.id,
    systemId: system.id,
    accountName: 'Account 1',
    roles: [owner.id],
  })
  const inA2 = await newMembership({
    userId: carol.id,
    systemId: system.id,
    accountName: 'Account 2',
    roles: [owner.id],
  })
  const inB1 = await newMembership({ userId: dave.id, systemId: other.id, accountName: 'B 1' })
  await newMembership({ userId: alice.id, accountId: inA2.accountId, roles: [clerk.id] })
  await newMembership({ userId: bob.id, accountId: inA1.accountId, roles: [clerk.id] })
  return { system, alice, bob, A1: inA1.accountId, A2: inA2.accountId, B1: inB1.accountId }
}

test('in a 1:1 system the token has the personal account, without a selection', async (t) => {
  const { newSystem, newUser, newMembership, newBrowser, authorize, token } = await startTestApp(t)
  const [system, alice] = [await newSystem({ skipConsent: true }), await newUser()]
  const membership = await newMembership({ userId: alice.id, systemId: system.id })
  const browser = newBrowser()

  const { back, pkce } = await authorize(system, { email: alice.email, visitor: browser })
  const tokens = await token(system, exchange(system, back.code, pkce.verifier))

  assert.equal(accountClaims(tokens.body.access_token).account_id, membership.accountId)
  assert.deepEqual(accountClaims(tokens.body.access_token), accountClaims(tokens.body.id_token))
})

test('a single active account is selected without a prompt', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, A1, A2 } = await twoAccounts(app)
  await app.newMembership({ userId: bob.id, accountId: A2, status: 'blocked' })
  await app.newMembership({ userId: bob.id, systemId: system.id, accountName: 'Later', status: 'pending' })

  const page = await afterPassword(app, system, bob.email)
  const tokens = await app.signIn(system, { email: bob.email })

  assert.equal(new URL(page.headers.get('location')!).origin, 'https://app.example')
  assert.deepEqual(accountClaims(tokens.access_token), {
    sub: bob.id,
    account_id: A1,
    roles: ['clerk'],
    is_admin: false,
  })
})

test('with several accounts the user selects one, and the tokens have its roles', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, A1, A2 } = await twoAccounts(app)

  const selector = String((await afterPassword(app, system, alice.email)).body)
  const [first, second] = [
    await app.signIn(system, { email: alice.email, account: A1 }),
    await app.signIn(system, { email: alice.email, account: A2 }),
  ]

  assert.deepEqual(offered(selector), [A1, A2])
  assert.match(selector, /Account 1[\s\S]*Account 2/)
  assert.deepEqual(accountClaims(first.access_token), {
    sub: alice.id,
    account_id: A1,
    roles: ['owner'],
    is_admin: true,
  })
  assert.deepEqual(accountClaims(second.access_token), {
    sub: alice.id,
    account_id: A2,
    roles: ['clerk'],
    is_admin: false,
  })
  assert.deepEqual(accountClaims(second.id_token), accountClaims(second.access_token))
  assert.deepEqual(Object.keys((await app.me(second.access_token)).body).includes('account_id'), true)
})

test('an account that was not offered is refused, and the selection is shown again', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, B1 } = await twoAccounts(app)
  const browser = app.newBrowser()
  const selector = await afterPassword(app, system, alice.email, {}, browser)

  for (const accountId of [B1, crypto.randomUUID(), '', 'all', "A1'--", 'a'.repeat(10_000)]) {
    const answer = await browser.submit(selector, { accountId })

    assert.equal(answer.status, 400)
    assert.match(String(answer.body), /Choose one of your organizations/)
  }
})

test('P23: account_id selects the account for this sign-in and its refreshes', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, A1, A2 } = await twoAccounts(app)

  const first = await app.signIn(system, { email: alice.email, parameters: { account_id: A1 } })
  const second = await app.signIn(system, {
    email: alice.email,
    parameters: { account_id: A2 },
    visitor: first.visitor,
  })
  const refreshed = await app.refresh(system, first.refresh_token!)

  const page = await afterPassword(app, system, alice.email, { account_id: A2 })
  assert.equal(new URL(page.headers.get('location')!).origin, 'https://app.example')
  assert.deepEqual(accountClaims(first.access_token), {
    sub: alice.id,
    account_id: A1,
    roles: ['owner'],
    is_admin: true,
  })
  assert.deepEqual(accountClaims(second.access_token), {
    sub: alice.id,
    account_id: A2,
    roles: ['clerk'],
    is_admin: false,
  })
  assert.equal(refreshed.status, 200)
  assert.deepEqual(accountClaims(refreshed.body.access_token), accountClaims(first.access_token))
})

test('P23: a foreign or unknown account_id gets the same error after the login', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, A2, B1 } = await twoAccounts(app)
  const hostile = [A2, B1, crypto.randomUUID(), '00000000-0000-0000-0000-000000000000']

  const answers: Record<string, unknown>[] = []
  for (const accountId of hostile) {
    const { page, back } = await app.authorize(system, {
      email: bob.email,
      parameters: { account_id: accountId },
    })
    answers.push({ status: page.status, ...back })
  }
  const { error, error_description } = answers[0]!

  assert.equal(error, 'access_denied')
  for (const answer of answers)
    assert.deepEqual(answer, { status: 303, error, error_description, state: 'the-state', iss: app.url })
})

test('P23: a malformed account_id is refused before the login', async (t) => {
  const app = await startTestApp(t)
  const { system, A1 } = await twoAccounts(app)

  for (const accountId of [' ', "A1'--", '<script>', `${A1}0`, `{${A1}}`]) {
    const answer = await app
      .newBrowser()
      .get(authUrl(system, newPkce().challenge, { account_id: accountId, state: 'the-state' }))
    const { error, state } = Object.fromEntries(new URL(answer.headers.get('location')!).searchParams)

    assert.deepEqual([answer.status, error, state], [303, 'invalid_request', 'the-state'], accountId)
  }
})

test('P23: an account_id of 10 kB is refused', async (t) => {
  const app = await startTestApp(t)
  const { system, bob } = await twoAccounts(app)

  const { page, back } = await app.authorize(system, {
    email: bob.email,
    parameters: { account_id: 'a'.repeat(10_000) },
  })

  assert.ok(page.status < 500)
  assert.equal(back.code, undefined)
})

test('P23: an empty account_id counts as absent (RFC 6749 section 3.1)', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, A1, A2 } = await twoAccounts(app)

  const selector = await afterPassword(app, system, alice.email, { account_id: '' })

  assert.deepEqual(offered(String(selector.body)), [A1, A2])
})

test('P23: a foreign account_id is refused only after the password is verified', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, A1, A2 } = await twoAccounts(app)

  const pages = []
  for (const account_id of [A1, A2, crypto.randomUUID()]) {
    const { page } = await app.authorize(system, {
      email: bob.email,
      password: 'wrong password',
      parameters: { account_id },
    })
    pages.push(masked(String(page.body)))
  }

  assert.match(pages[0]!, /name="password"/)
  assert.deepEqual(new Set(pages).size, 1)
})

test('one browser can be signed in to several accounts at the same time', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, A1, A2 } = await twoAccounts(app)
  const first = await app.signIn(system, { email: alice.email, account: A1 })

  const second = await app.signIn(system, {
    email: alice.email,
    account: A2,
    visitor: first.visitor,
    parameters: { prompt: 'select_account' },
  })

  assert.notEqual(decodeJwt(first.access_token).sid, decodeJwt(second.access_token).sid)
  assert.equal((await app.me(first.access_token)).body.account_id, A1)
  assert.equal((await app.me(second.access_token)).body.account_id, A2)
  assert.equal(
    accountClaims((await app.refresh(system, second.refresh_token!)).body.access_token).account_id,
    A2,
  )
  assert.equal(
    accountClaims((await app.refresh(system, first.refresh_token!)).body.access_token).account_id,
    A1,
  )
})

test('a further sign-in shows the selection, and prompt=none is account_selection_required', async (t) => {
  const app = await startTestApp(t)
  const { system, alice, A1, A2 } = await twoAccounts(app)
  const { visitor: browser } = await app.signIn(system, { email: alice.email, account: A1 })

  const silent = await app.authorize(system, {
    email: alice.email,
    visitor: browser,
    parameters: { prompt: 'none' },
  })
  const named = await app.authorize(system, {
    email: alice.email,
    visitor: browser,
    parameters: { prompt: 'none', account_id: A2 },
  })

  assert.equal(silent.back.error, 'account_selection_required')
  const tokens = await app.token(system, exchange(system, named.back.code, named.pkce.verifier))
  assert.equal(accountClaims(tokens.body.access_token).account_id, A2)
})

test('prompt=select_account shows the selection for a single account too', async (t) => {
  const app = await startTestApp(t)
  const { system, bob, A1 } = await twoAccounts(app)

  const selector = await afterPassword(app, system, bob.email, { prompt: 'select_account' })

  assert.deepEqual(offered(String(selector.body)), [A1])
})

test('an account lost between selection and consent leads back to the selection', async (t) => {
  const app = await startTestApp(t)
  const [system, user] = [await app.newSystem({ multiAccount: true }), await app.newUser()]
  const first = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'First' })
  const second = await app.newMembership({ userId: user.id, systemId: system.id, accountName: 'Second' })
  await app.signIn(system, { email: user.email, account: first.accountId })
  const browser = app.newBrowser()
  const selector = await afterPassword(app, system, user.email, { prompt: 'consent' }, browser)
  const consent = await browser.follow(await browser.submit(selector, { accountId: second.accountId }))

  await app.platform.patch(`/admin/memberships/${second.id}`, { status: 'blocked' })
  const again = await browser.follow(await browser.submit(consent))

  assert.equal(again.status, 200)
  assert.deepEqual(offered(String(again.body)), [first.accountId])
})

test('every combination of memberships leads to an account, a selection or a refusal', () => {
  const status = fc.constantFrom('pending', 'active', 'blocked')
  const id = fc.constantFrom('a', 'b', 'c', 'd', '')
  const memberships = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), status), { selector: ([accountId]) => accountId })
    .map((pairs): SelectableMembership[] =>
      pairs.map(([accountId, state]) => ({
        membershipId: `m-${accountId}`,
        accountId,
        accountName: accountId,
        accountKind: 'organization',
        status: state as SelectableMembership['status'],
        lastUsedAt: null,
        addedBy: 'platform',
        requireMfa: false,
        isClosed: false,
        exemption: null,
        confirmEntry: false,
      })),
    )
  const optionalId = fc.option(id, { nil: undefined })

  fc.assert(
    fc.property(memberships, fc.boolean(), optionalId, optionalId, (all, multiAccount, requested, chosen) => {
      const choice = choose(all, multiAccount, requested, chosen)
      const active = all
        .filter((membership) => membership.status === 'active')
        .map((membership) => membership.accountId)
      // Only an active membership of the user, and the requested one if any.
      if (choice.kind === 'selected') {
        assert.ok(active.includes(choice.membership.accountId))
        assert.ok(requested === undefined || choice.membership.accountId === requested)
        assert.ok(requested !== undefined || chosen === undefined || choice.membership.accountId === chosen)
      }
      // The selection is shown only with several accounts and no account_id.
      if (choice.kind === 'several') {
        assert.ok(requested === undefined && active.length > 0)
        assert.ok(chosen !== undefined || (multiAccount && active.length > 1))
        assert.deepEqual(
          choice.memberships.map((membership) => membership.accountId),
          active,
        )
        assert.ok(chosen === undefined || !active.includes(chosen))
      }
      // A refusal does not depend on account_id and requires that no account is usable.
      if (choice.kind === 'refused') {
        if (requested !== undefined) assert.ok(choice.reason === 'foreign' && !active.includes(requested))
        else
          assert.ok(
            active.length === 0 &&
              choice.reason ===
                (all.length === 0
                  ? 'none'
                  : all.some((membership) => membership.status === 'pending')
                    ? 'pending'
                    : 'blocked'),
          )
      }
      return true
    }),
    { numRuns: 2_000 },
  )
})

type SystemLike = Parameters<App['signIn']>[0]

/** The page after the password, or the redirect to the application. */
async function afterPassword(
  app: App,
  system: SystemLike,
  email: string,
  parameters: Record<string, string> = {},
  browser = app.newBrowser(),
) {
  const login = await browser.follow(await browser.get(authUrl(system, newPkce().challenge, parameters)))
  return browser.follow(await browser.submit(login, { email, password: PASSWORD }))
}

const offered = (page: string) => [...page.matchAll(/name="accountId" value="([^"]+)"/g)].map(([, id]) => id)

const exchange = (system: SystemLike, code: string | undefined, verifier: string) => ({
  grant_type: 'authorization_code',
  code: code ?? '',
  redirect_uri: system.redirectUris[0]!,
  code_verifier: verifier,
})

/** A page with the values that differ every time masked. */
const masked = (page: string) =>
  page.replaceAll(/interaction\/[\w-]+/g, 'interaction/UID').replaceAll(/[\w-]{43}(?="|&quot;)/g, 'RANDOM')

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../testing.ts'

test('smoke', async (t) => {
  const { newSystem, newUser, newMembership, newRole, signIn, me, refresh, platform, authorize } = await startTestApp(t)
  const system = await newSystem({ multiAccount: true })
  const role = await newRole(system.id, { isAdmin: true, scopes: ['orders:write'] })
  const alice = await newUser()
  const membership = await newMembership({ userId: alice.id, systemId: system.id, accountName: 'Acme', roles: [role.id] })
  const tokens = await signIn(system, { email: alice.email })
  console.log(
    JSON.stringify(tokens).slice(0, 300),
    JSON.parse(Buffer.from(tokens.access_token.split('.')[1]!, 'base64url').toString()),
    JSON.parse(Buffer.from(tokens.id_token.split('.')[1]!, 'base64url').toString()),
  )
  console.log(await me(tokens.access_token))
  const again = await refresh(system, tokens.refresh_token!)
  console.log(again.status, again.body)
  const repeat = await refresh(system, tokens.refresh_token!)
  console.log(repeat.status, repeat.body.refresh_token === again.body.refresh_token)
  const second = await authorize(system, { email: alice.email, visitor: tokens.visitor })
  console.log(second.back, second.page.status)
  console.log((await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })).status)
  console.log((await refresh(system, again.body.refresh_token)).body, (await me(tokens.access_token)).status)
  const third = await authorize(system, { email: alice.email })
  console.log(third.back)
})

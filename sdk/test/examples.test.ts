/** Runs the examples of README.md and of the docstrings against a real server. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import express from 'express'
import fastify from 'fastify'
import { newWebhookSecret, signedHeaders } from '../../server/src/jobs/webhooks/signature.ts'
import { freePort } from '../../server/test/support/postgres.ts'
import * as client from '../src/index.ts'
import { startProduct } from './product.ts'

const SDK = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(SDK, file), 'utf8')
const [PRODUCT, WALK, ANYWHERE, MEMBERS, WEBHOOKS] = [
  ...read('README.md').matchAll(/^```js\n([\s\S]+?)^```/gm),
].map(([, code]) => code!)

/** A program of the README as a module, with the URLs of this test. */
async function run(t: TestContext, code: string, replacements: Record<string, string>) {
  // Inside the package, so that the imports of the program resolve.
  const folder = mkdtempSync(join(SDK, '.examples-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const all = { "'@tenantry/client'": `'${join(SDK, 'src/index.ts')}'`, ...replacements }
  const program = Object.entries(all).reduce((text, [from, to]) => text.replaceAll(from, to), code)
  writeFileSync(join(folder, 'product.mjs'), program)
  return import(join(folder, 'product.mjs'))
}

test('README: guards allow the clerks of an account and let its administrators remove members', async (t) => {
  const { options, role, system, newRole, newMember, newMembership, platform } = await startProduct(t)
  const owner = await newRole(system.id, { isAdmin: true })
  const [clerk, admin, outsider] = [
    await newMember([role.id]),
    await newMember([owner.id]),
    await newMember(),
  ]
  const { accountId } = admin.membership
  const [asClerk, asAdmin] = [await clerk.signIn(), await admin.signIn()].map((token) => ({
    authorization: `Bearer ${token}`,
  }))
  const helper = await newMembership({ userId: clerk.user.id, accountId, roles: [] })
  Object.assign(process.env, {
    TENANTRY_CLIENT_ID: options.clientId,
    TENANTRY_CLIENT_SECRET: options.clientSecret,
  })
  const port = await freePort()
  const code = `${PRODUCT}\nexport { app }`
  const { app } = await run(t, code, { 'https://id.example.com': options.issuer, '8080': String(port) })
  t.after(() => app.close())
  const ask = async (path: string, init: RequestInit) =>
    (await fetch(`http://localhost:${port}/accounts/${path}`, init)).status
  const removal = (membershipId: string) =>
    ask(`${accountId}/members/${membershipId}`, { method: 'DELETE', headers: asAdmin! })

  assert.equal(await ask(`${clerk.membership.accountId}/orders`, { headers: asClerk! }), 200)
  assert.equal(await ask(`${accountId}/orders`, { headers: asClerk! }), 403)
  assert.equal(await ask(`${accountId}/orders`, { headers: asAdmin! }), 403)
  assert.equal(await removal(outsider.membership.id), 404)
  assert.equal(await removal(helper.id), 204)
  assert.equal((await platform.get(`/admin/memberships/${helper.id}`)).status, 404)
  assert.equal((await platform.get(`/admin/memberships/${outsider.membership.id}`)).status, 200)
})

test('README: a walk over a list reads each item, although the items are deleted meanwhile', async (t) => {
  const { options, platform, newMember, system } = await startProduct(t)
  const [kept, ...blocked] = [await newMember(), await newMember(), await newMember(), await newMember()]
  for (const { membership } of blocked)
    await platform.patch(`/admin/memberships/${membership.id}`, { status: 'blocked' })
  const { removeBlocked } = await run(t, WALK!.replace('{ status:', '{ pageSize: 1, status:'), {})

  await removeBlocked(options)

  const { body } = await platform.get(`/admin/memberships?systemId=${system.id}`)
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [kept!.membership.id],
  )
})

test('README: claims can be required in any handler', async (t) => {
  const { options, role, newMember } = await startProduct(t)
  const { membership, signIn } = await newMember([role.id])
  process.env.TENANTRY_CLIENT_ID = options.clientId

  const { authorize } = await run(t, ANYWHERE!, { 'https://id.example.com': options.issuer })

  assert.deepEqual((await authorize(await signIn(), membership.accountId)).roles, ['clerk'])
  await assert.rejects(authorize(await signIn(), crypto.randomUUID()), { code: 'wrong_account' })
})

test('README: an admin invites with their own token, and other users read why they cannot', async (t) => {
  const { options, role, system, newRole, newMember, platform } = await startProduct(t)
  const owner = await newRole(system.id, { isAdmin: true })
  const [clerk, admin] = [await newMember([role.id]), await newMember([owner.id])]
  process.env.TENANTRY_CLIENT_ID = options.clientId
  const { invite } = await run(t, MEMBERS!, { 'https://id.example.com': options.issuer })
  const email = 'bob@example.com'

  const invited = await invite(await admin.signIn(), email)

  assert.deepEqual([invited.email, invited.roles], [email, [role.id]])
  assert.equal(await invite(await clerk.signIn(), email), 'Only admins of the account can invite.')
  assert.match(await invite(await admin.signIn(), email), /invit/)
  const { body } = await platform.get(`/admin/accounts/${admin.membership.accountId}/invitations`)
  assert.equal(body.total, 1)
})

test('README: a genuine webhook is accepted and any other is answered 400', async (t) => {
  const secret = newWebhookSecret()
  process.env.TENANTRY_WEBHOOK_SECRET = secret
  const port = await freePort()
  const lines: unknown[][] = []
  t.mock.method(console, 'log', (...line: unknown[]) => lines.push(line))
  const code = `${WEBHOOKS!.replace('app.listen', 'export const server = app.listen')}`
  const { server } = await run(t, code, { '8081': String(port) })
  t.after(() => server.close())
  const body = JSON.stringify({ id: '1', type: 'user.access_revoked', data: { membershipId: 'm' } })
  const send = async (headers: Record<string, string>) =>
    (await fetch(`http://localhost:${port}/webhooks`, { method: 'POST', headers, body })).status
  const at = Math.floor(Date.now() / 1_000)

  assert.equal(await send(signedHeaders([secret], '1', at, body)), 204)
  assert.equal(await send(signedHeaders([newWebhookSecret()], '1', at, body)), 400)
  assert.deepEqual(lines, [['user.access_revoked', 'm']])
})

test('the examples of the docstrings run, one after the other, with the documented results', async (t) => {
  const { options, system, role, newMember, newRole, newUser, newMembership, findEvents, platform } =
    await startProduct(t)
  const { membership, signIn } = await newMember([role.id])
  const admin = await newMember([(await newRole(system.id, { isAdmin: true })).id])
  const examples = [...read('src/index.ts').matchAll(/@example\n\s+\* ```js\n([\s\S]+?)\s+\* ```/g)].map(
    ([, code]) => code!.replaceAll(/^\s+\* ?/gm, ''),
  )
  Object.assign(process.env, {
    TENANTRY_CLIENT_ID: options.clientId,
    TENANTRY_CLIENT_SECRET: options.clientSecret,
  })
  const user = await newUser()
  const known: Record<string, unknown> = {
    ...client,
    token: await signIn(),
    accountId: membership.accountId,
    ordersOf: (accountId: string) => [`an order of ${accountId}`],
  }
  const given = { 'https://id.example.com': options.issuer, 'alice@example.com': user.email }
  const runExample = async (code: string, more: object = {}) => {
    const names = { ...known, ...more }
    const program = Object.entries(given).reduce((text, [from, to]) => text.replaceAll(from, to), code)
    const last = /^const (\w+) = createTenantry/.test(code) ? '\nreturn tenantry' : ''
    return new Function(...Object.keys(names), `return (async () => {${program}${last}})()`)(
      ...Object.values(names),
    )
  }
  const example = (part: string) => examples.find((code) => code.includes(part))!
  const [onFastify, onExpress] = [fastify(), express()]

  known.tenantry = await runExample(example('createTenantry'))
  t.after(() => (known.tenantry as client.Tenantry).close())
  await runExample(example('tenantry.follow'))
  await runExample(example('tenantry.verify'))
  await runExample(example('tenantry.fastify'), { app: onFastify })
  await runExample(example('tenantry.express'), { app: onExpress })
  const urls = [await onFastify.listen({ port: 0 })]
  const server = onExpress.listen(0)
  t.after(() => Promise.all([onFastify.close(), server.close()]))
  urls.push(`http://localhost:${(server.address() as { port: number }).port}`)

  assert.equal(examples.length, 7)
  for (const url of urls) {
    const headers = { authorization: `Bearer ${known.token}` }
    const answer = await fetch(`${url}/accounts/${membership.accountId}/orders`, { headers })
    assert.deepEqual(await answer.json(), [`an order of ${membership.accountId}`])
  }
  await runExample(example('tenantry.admin'))
  const recorded = await findEvents({ userId: user.id, systemId: system.id })
  assert.deepEqual(
    recorded.map(({ type }) => type),
    ['user.access_granted', 'user.access_revoked'],
  )

  const { accountId } = admin.membership
  const { id } = await newMembership({ userId: (await newUser()).id, accountId, status: 'pending' })
  await runExample(example('tenantry.organization'), { token: await admin.signIn() })
  const invitations = await platform.get(`/admin/accounts/${accountId}/invitations`)
  assert.equal(invitations.body.data[0].email, user.email)
  assert.equal((await platform.get(`/admin/memberships/${id}`)).body.status, 'active')
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import express from 'express'
import fastify from 'fastify'
import { claimsOf, type Requirements, requireRole, type Tenantry } from '../src/index.ts'
import { startProduct } from './product.ts'

/** Both frameworks have these routes, each with another requirement. */
const products: Record<string, (tenantry: Tenantry) => Promise<{ url: string; close(): unknown }>> = {
  async Fastify(tenantry) {
    const app = fastify()
    const guarded = (requirements?: Requirements) => ({ onRequest: tenantry.fastify(requirements) })
    app.get('/me', guarded(), (request) => claimsOf(request))
    app.get('/accounts/:id', guarded({ account: 'id' }), () => 'ok')
    app.get('/orders', guarded({ permission: 'orders:read' }), () => 'ok')
    app.get('/clerks', guarded({ role: 'clerk' }), () => 'ok')
    app.get('/admins', guarded({ admin: true }), () => 'ok')
    app.get('/late', guarded(), (request) => {
      requireRole(claimsOf(request), 'clerk')
      return 'ok'
    })
    app.get('/open', (request) => claimsOf(request))
    return { url: await app.listen({ port: 0 }), close: () => app.close() }
  },
  async Express(tenantry) {
    const app = express()
    app.set('env', 'test')
    app.get('/me', tenantry.express(), (request, response) => void response.json(claimsOf(request)))
    app.get('/accounts/:id', tenantry.express({ account: 'id' }), (_, response) => void response.send('ok'))
    app.get(
      '/orders',
      tenantry.express({ permission: 'orders:read' }),
      (_, response) => void response.send('ok'),
    )
    app.get('/clerks', tenantry.express({ role: 'clerk' }), (_, response) => void response.send('ok'))
    app.get('/admins', tenantry.express({ admin: true }), (_, response) => void response.send('ok'))
    app.get('/late', tenantry.express(), (request, response) => {
      requireRole(claimsOf(request), 'clerk')
      response.send('ok')
    })
    app.get('/open', (request, response) => void response.json(claimsOf(request)))
    const server = app.listen(0)
    await once(server, 'listening')
    return {
      url: `http://localhost:${(server.address() as { port: number }).port}`,
      close: () => server.close(),
    }
  },
}

async function openProduct(t: TestContext, name: string) {
  const product = await startProduct(t)
  const { url, close } = await products[name]!(product.newClient())
  t.after(close)
  const ask = async (path: string, authorization?: string) => {
    const answer = await fetch(url + path, { headers: authorization === undefined ? {} : { authorization } })
    const text = await answer.text()
    return {
      status: answer.status,
      challenge: answer.headers.get('www-authenticate'),
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
  }
  return { ...product, ask }
}

for (const name of Object.keys(products)) {
  test(`${name}: the guard admits an authorized request and passes the claims to the handler`, async (t) => {
    const { newMember, newRole, system, role, ask } = await openProduct(t, name)
    const owner = await newRole(system.id, { isAdmin: true })
    const { user, membership, signIn } = await newMember([role.id, owner.id])
    const token = await signIn()

    const me = await ask('/me', `bearer ${token}`)
    const rest = ['/orders', '/clerks', '/admins', '/late', `/accounts/${membership.accountId}`]
    const statuses = await Promise.all(rest.map(async (path) => (await ask(path, `Bearer ${token}`)).status))

    assert.deepEqual([me.status, me.body.sub, me.body.accountId], [200, user.id, membership.accountId])
    assert.deepEqual(statuses, [200, 200, 200, 200, 200])
  })

  test(`${name}: guard and handler answer an unauthorized request as RFC 6750 defines`, async (t) => {
    const { newMember, ask } = await openProduct(t, name)
    const [here, there] = [await newMember(), await newMember()]
    const token = `Bearer ${await here.signIn()}`
    const insufficient = /^Bearer error="insufficient_scope", error_description="[^"]+"$/
    const invalid = /^Bearer error="invalid_token", error_description="[^"]+"$/

    const expected: [string, string | undefined, number, RegExp, string][] = [
      ['/me', undefined, 401, /^Bearer realm="tenantry"$/, 'missing_token'],
      ['/me', 'Basic eDp5', 401, /^Bearer realm="tenantry"$/, 'missing_token'],
      ['/me', `${token}, ${token}`, 401, /^Bearer realm="tenantry"$/, 'missing_token'],
      ['/me', 'Bearer x', 401, invalid, 'invalid_token'],
      [`/accounts/${there.membership.accountId}`, token, 403, insufficient, 'wrong_account'],
      [
        '/orders',
        token,
        403,
        /^Bearer error="insufficient_scope", error_description="[^"]+", scope="orders:read"$/,
        'permission_required',
      ],
      ['/clerks', token, 403, insufficient, 'role_required'],
      ['/admins', token, 403, insufficient, 'admin_required'],
    ]
    for (const [path, authorization, status, challenge, code] of expected) {
      const answer = await ask(path, authorization)
      assert.deepEqual([answer.status, answer.body.error], [status, code], path)
      assert.match(answer.challenge ?? '', challenge, path)
    }
    const late = await ask('/late', token)
    assert.deepEqual([late.status, insufficient.test(late.challenge ?? '')], [403, true])
    assert.equal((await ask('/open', token)).status, 500)
  })
}

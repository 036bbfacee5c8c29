import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eq } from '../../../src/database/drizzle.ts'
import { systems } from '../../../src/database/schema.ts'
import { pathsOf } from '../../../test/support/http.ts'
import { type Answer, authUrl, newPkce, startTestApp } from '../../../test/support/testing.ts'
import { APPLICATION_ADDRESSES } from './application.ts'
import { addressFault } from './redirect-uris.ts'

const OWN = {
  clientUri: 'https://orders.example/',
  initiateLoginUri: 'https://app.orders.example/start?from=mail',
  policyUri: 'https://legal.example/privacy',
  tosUri: 'https://legal.example/terms',
  supportUri: 'https://help.example/',
}
const redirectUris = ['https://app.orders.example/callback']
const BAD = [
  'http://orders.example/',
  'javascript:alert(1)',
  'com.example.app:/x',
  'https://a@b.example/',
  '/x',
]

const footOf = ({ body }: Answer) =>
  [...String(body).matchAll(/<footer class="foot">([\s\S]*?)<\/footer>/g)].flatMap(([, links]) =>
    [...links!.matchAll(/<a href="((?!\/language\/)[^"]*)"[^>]*>([^<]*)</g)].map(([, href, label]) => [
      label,
      href,
    ]),
  )

test('the addresses of an application are set, read back and cleared by null', async (t) => {
  const { platform } = await startTestApp(t)

  const created = await platform.post('/admin/systems', { name: 'Orders', redirectUris, ...OWN })
  const path = `/admin/systems/${created.body.id}`
  const cleared = await platform.patch(
    path,
    Object.fromEntries(APPLICATION_ADDRESSES.map((name) => [name, null])),
  )
  const { body } = await platform.post('/admin/systems', { name: 'Bare' })

  assert.equal(created.status, 201)
  const picked = (system: Record<string, unknown>) =>
    Object.fromEntries(APPLICATION_ADDRESSES.map((name) => [name, system[name]]))
  assert.deepEqual(picked(created.body), OWN)
  assert.deepEqual(Object.values(picked(cleared.body)), [null, null, null, null, null])
  assert.deepEqual(Object.values(picked(body)), [null, null, null, null, null])
})

test('an address must be https, or loopback while the issuer is; each refused one is named', async (t) => {
  const { platform } = await startTestApp(t)
  const all = (uri: string) => ({
    name: 'Orders',
    redirectUris: ['http://localhost:3000/cb'],
    invitationUri: uri,
    ...Object.fromEntries(APPLICATION_ADDRESSES.map((name) => [name, uri])),
  })
  const named = ['invitationUri', ...APPLICATION_ADDRESSES].map((name) => `/${name}`).sort()

  for (const uri of BAD) {
    const refused = await platform.post('/admin/systems', all(uri))
    assert.deepEqual([refused.status, pathsOf(refused).sort()], [400, named], uri)
  }
  const local = await platform.post('/admin/systems', all('http://localhost:3000/start'))
  const ofIssuer = (issuer: string) => addressFault('http://localhost:3000/start', issuer)

  assert.equal(local.status, 201)
  assert.equal(ofIssuer('http://[::1]:3000'), undefined)
  assert.match(ofIssuer('https://id.example.com') ?? '', /must be https/)
})

test('the page that starts a sign-in keeps the origin of a redirect URI, whichever of both is changed', async (t) => {
  const { platform } = await startTestApp(t)
  const { body } = await platform.post('/admin/systems', { name: 'Orders', redirectUris, ...OWN })
  const path = `/admin/systems/${body.id}`

  const refused = [
    await platform.patch(path, { initiateLoginUri: 'https://orders.example/start' }),
    await platform.patch(path, { redirectUris: ['https://other.example/callback'] }),
    await platform.patch(path, { redirectUris: ['com.example.app:/callback'] }),
  ]
  const together = await platform.patch(path, {
    redirectUris: ['https://other.example/callback'],
    initiateLoginUri: 'https://other.example/start',
  })

  for (const answer of refused)
    assert.deepEqual([answer.status, pathsOf(answer)], [400, ['/initiateLoginUri']])
  assert.equal(together.status, 200)
})

test('pages of a sign-in link to the terms, the policy and the help of the application', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ redirectUris, ...OWN, allowSelfRegister: true })
  const bare = await app.newSystem()
  const browser = app.newBrowser()
  const open = async (of: typeof system, path = '') => {
    const { headers } = await browser.get(authUrl(of, newPkce().challenge))
    return browser.get(`${headers.get('location')}${path}`)
  }

  const links = [
    ['Terms', OWN.tosUri],
    ['Privacy', OWN.policyUri],
    ['Help', OWN.supportUri],
  ]
  for (const path of ['', '/register', '/forgot-password'])
    assert.deepEqual(footOf(await open(system, path)), links, path)
  assert.deepEqual(footOf(await open(bare)), [])
})

test('an address that breaks the rule is not shown, whatever the row has', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ redirectUris, ...OWN })
  const browser = app.newBrowser()

  await app.db
    .update(systems)
    .set({ tosUri: 'javascript:alert(1)', policyUri: 'http://legal.example/', supportUri: OWN.supportUri })
    .where(eq(systems.id, system.id))
  const { headers } = await browser.get(authUrl(system, newPkce().challenge))
  const page = await browser.get(headers.get('location')!)

  assert.deepEqual(footOf(page), [['Help', OWN.supportUri]])
})

/** The link of the pages of an organization back to the application. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTeam, text } from '../../../test/support/organizations.ts'
import { PASSWORD, startTestApp } from '../../../test/support/testing.ts'

test('P67: the pages link back to an address of the application, after a sign-in too, and to no other', async (t) => {
  const app = await startTestApp(t)
  const { admin, member, path, join } = await newTeam(app, {
    redirectUris: ['https://app.example/cb', 'com.example.app:/cb'],
  })
  const linkOf = (page: { body: unknown }) => /href="([^"]*)" id="return"/.exec(String(page.body))?.[1]
  const at = (to: string) => `?return_to=${encodeURIComponent(to)}`
  const refused = [
    'https://evil.example/',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://user@app.example/',
    'http://app.example/',
    'https://app.example:8443/',
    'javascript:alert(1)//https://app.example',
    'com.example.app:/cb',
    '//app.example/',
    '/account',
    `https://app.example/${'x'.repeat(2_000)}`,
    '',
  ]

  for (const to of refused)
    for (const page of [await member.open(at(to)), await member.open()])
      assert.equal(linkOf(page), undefined, to)
  const page = await admin.open(`/members${at('https://app.example/team?a=1&b="')}`)
  const later = [
    await admin.open(),
    await admin.open('/invitations'),
    await admin.send('/settings', { name: ' ' }),
  ]
  const elsewhere = await admin.browser.get('/account/accounts')
  const another = await join([])
  const browser = app.newBrowser()
  const login = await browser.follow(await browser.get(`${path}${at('https://app.example/team')}`))
  const signedIn = await browser.follow(
    await browser.submit(login, { email: another.email, password: PASSWORD }),
  )

  const expected = 'https://app.example/team?a=1&amp;b=%22'
  assert.deepEqual([page, ...later].map(linkOf), Array(4).fill(expected))
  assert.equal(linkOf(elsewhere), undefined)
  assert.equal(linkOf(signedIn), 'https://app.example/team')
  assert.match(text(signedIn), /Return to/)
})

/** The API page in a browser. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openBrowser } from '../support/chromium.ts'
import { startTestApp } from '../support/testing.ts'
import { SOON } from '../support/waiting.ts'

after(closeBrowser)

for (const [screen, viewport] of Object.entries({
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
})) {
  test(`the API page shows operations on a ${screen}, without external requests or errors`, async (t) => {
    const { url } = await startTestApp(t)
    const page = await (await openBrowser()).newPage({ viewport })
    const [asked, said]: [string[], string[]] = [[], []]
    page.on('request', (request) => void asked.push(request.url()))
    page.on(
      'console',
      (message) => void (['error', 'warning'].includes(message.type()) && said.push(message.text())),
    )
    page.on('pageerror', (error) => void said.push(error.message))

    await page.goto(`${url}/docs#tag/roles/POST/admin/systems/{systemId}/roles`)
    await page
      .getByText('Create a role')
      .first()
      .waitFor({ state: 'attached', ...SOON })
    await page.getByText('Idempotency-Key').first().waitFor(SOON)
    assert.equal(await page.evaluate('self.origin'), 'null', 'an opaque origin')
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    if (process.env.SCREENS) await page.screenshot({ path: `${process.env.SCREENS}/api-${screen}.png` })
    await page.close()

    assert.ok(asked.includes(`${url}/openapi.json`))
    assert.deepEqual(
      asked.filter((each) => !each.startsWith(`${url}/`) && !/^(data|blob):/.test(each)),
      [],
    )
    assert.deepEqual(said, [])
    assert.ok(Number(wide) <= viewport.width, `${wide} wide`)
  })
}

test('the API page runs our script only and cannot be framed; its script is compressed', async (t) => {
  const { url } = await startTestApp(t)

  const page = await fetch(`${url}/docs`)
  const policy = String(page.headers.get('content-security-policy'))
  const [compressed, plain] = await Promise.all(
    ['gzip', 'identity'].map((encoding) =>
      fetch(`${url}/docs/scalar.js`, { headers: { 'accept-encoding': encoding } }),
    ),
  )

  assert.match(
    policy,
    /^sandbox allow-scripts allow-popups; default-src 'none'; script-src 'self'; .*connect-src 'self'; .*frame-ancestors 'none'/,
  )
  assert.doesNotMatch(await page.text(), /<script(?! src="\/docs\/)/)
  assert.deepEqual(
    [compressed!.headers.get('content-encoding'), plain!.headers.get('content-encoding')],
    ['gzip', null],
  )
  assert.equal(await compressed!.text(), await plain!.text())
})

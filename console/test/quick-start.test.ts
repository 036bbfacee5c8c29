/** The quick start of an application, in Chromium. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandsIn, type Kind, STACKS } from '../../quickstarts/stacks.ts'
import { closeBrowser } from '../../server/test/support/chromium.ts'
import { newOperator } from '../../server/test/support/console.ts'
import { startTestApp } from '../../server/test/support/testing.ts'
import { openAs, show, type Visit } from './visit.ts'

after(closeBrowser)

const QUICKSTARTS = join(import.meta.dirname, '../../quickstarts')
const read = (path: string) => readFileSync(join(QUICKSTARTS, path), 'utf8')
/** What a reader copies: Cargo writes its lock file itself. */
const filesOf = (name: string) =>
  execFileSync('git', ['ls-files', name], { cwd: QUICKSTARTS, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => !/\/(README\.md|Cargo\.lock)$/.test(path))

/** The code blocks of the steps: the files, the variables, the commands. */
async function shownAt(visit: Visit, url: string, systemId: string, name: string) {
  await show(visit, url, `systems/${systemId}?tab=quickStart&snippet=${name}`)
  await visit.page.locator('.code-block').first().waitFor()
  return visit.page.locator('.quick-steps pre').allTextContents()
}

test('each quick start is shown as its folder, which the tests run, with the commands of the README', async (t) => {
  const app = await startTestApp(t)
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')
  const fields: Record<Kind, object> = {
    web: {},
    public: { clientType: 'public' },
    service: { allowClientCredentials: true, redirectUris: [] },
  }
  for (const [kind, ofKind] of Object.entries(fields)) {
    const system = await app.newSystem(ofKind)
    for (const name of Object.keys(STACKS).filter((each) => STACKS[each]!.kinds.includes(kind as Kind))) {
      const shown = await shownAt(visit, app.url, system.id, name)
      const env = shown.at(-2) ?? ''

      assert.deepEqual(shown.slice(0, -2).sort(), filesOf(name).map(read).sort(), name)
      assert.equal(shown.at(-1), commandsIn(read(`${name}/README.md`)), name)
      assert.match(
        env,
        new RegExp(`^ISSUER=${app.url}\\nCLIENT_ID=${system.clientId}\\n(\\w+=.*\\n)*$`),
        name,
      )
    }
  }
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

test('no configured address is in the code that an operator runs', async (t) => {
  const app = await startTestApp(t)
  const hostile = ["https://shop.example/cb?'+process.exit()+'", 'http://localhost:8080/callback;$(id)']
  const system = await app.newSystem({ redirectUris: hostile, postLogoutRedirectUris: hostile })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')

  for (const name of Object.keys(STACKS).filter((each) => STACKS[each]!.kinds.includes('web'))) {
    const code = (await shownAt(visit, app.url, system.id, name)).join('\n')

    assert.ok(code.includes(system.clientId), name)
    assert.doesNotMatch(code, /process\.exit\(\)\+|\$\(id\)|shop\.example/, name)
  }
  await visit.context.close()
})

test('an application that lacks scopes of the quick start gets them by one click', async (t) => {
  const app = await startTestApp(t)
  const system = await app.newSystem({ allowedScopes: ['openid', 'phone'] })
  const { browser } = await newOperator(app)
  const visit = await openAs(app.url, browser, 'platform')

  await shownAt(visit, app.url, system.id, 'express')
  await visit.page.getByRole('button', { name: 'Allow email, profile, offline_access' }).click()
  await visit.page.getByText('Allow the scopes').waitFor({ state: 'detached' })

  const { allowedScopes } = (await app.platform.get(`/admin/systems/${system.id}`)).body
  assert.deepEqual(allowedScopes.sort(), ['email', 'offline_access', 'openid', 'phone', 'profile'])
  assert.deepEqual(visit.faults, [])
  await visit.context.close()
})

/** The published package works when installed: plain JavaScript, on the oldest Node of its `engines`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startProduct } from './product.ts'

const SDK = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The Node and npm outside of this project: drops the variables that select the project's newer Node. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

const PROGRAM = `
import { createTenantry } from '@tenantry/client'

const [issuer, clientId, clientSecret, token] = process.argv.slice(2)
const tenantry = createTenantry({ issuer, clientId, clientSecret })
await tenantry.follow()
const claims = await tenantry.verify(token)
await tenantry.admin.delete('/admin/sessions/{jti}', { path: { jti: claims.sid } })
for (let code; code !== 'revoked_token'; ) code = await tenantry.verify(token).catch((error) => error.code)
// The process must end although the garbage collector has run while the stream was open.
for (let runs = 0; runs < 5; runs++) await new Promise((resolve) => setTimeout(resolve, 20)).then(globalThis.gc)
tenantry.close()
console.log(process.version, claims.sub)
`

test('the package contains only its build and works outside the repository', async (t) => {
  const { options, newMember } = await startProduct(t)
  const { user, signIn } = await newMember()
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-client-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const installed = join(folder, 'node_modules/@tenantry/client')
  mkdirSync(installed, { recursive: true })

  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: SDK,
    env: { ...process.env, PATH },
  })
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')))
  await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'])
  for (const name of ['jose', 'eventsource-parser']) {
    const [root = ''] = import.meta.resolve(name).split('/dist/')
    symlinkSync(fileURLToPath(root), join(folder, 'node_modules', name))
  }
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  const { issuer, clientId, clientSecret } = options
  const program = join(folder, 'program.mjs')
  const args = ['--expose-gc', program, issuer, clientId, clientSecret, await signIn()]
  const { stdout } = await run('node', args, { env: { PATH }, timeout: 20_000 })

  const names = files.map(({ path }: { path: string }) => path).sort()
  const built = ['access', 'admin', 'api', 'feed', 'index', 'operations', 'organization', 'verify'].flatMap(
    (name) => [`dist/${name}.d.ts`, `dist/${name}.js`],
  )
  assert.deepEqual(names, ['LICENSE', 'README.md', ...built, 'package.json'].sort())
  const [version, sub] = stdout.trim().split(' ')
  assert.equal(sub, user.id)
  t.diagnostic(`on Node ${version}`)
})

/** Each case is a process of its own, because Node enables one cache per process. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-cache-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The folder of the cache that a process uses with this DATA_DIR; empty: none. */
function cacheWith(dataDir: string): string {
  const module = new URL('compile-cache.ts', import.meta.url).href
  const script = `import { useCompileCache } from '${module}'
    import { getCompileCacheDir } from 'node:module'
    useCompileCache(process.argv[1])
    process.stdout.write(getCompileCacheDir() ?? '')`
  const args = ['--input-type=module', '-e', script, dataDir]
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env.PATH } })
}

test('compiled code is cached in DATA_DIR', (t) => {
  const dataDir = join(newFolder(t), 'data')

  assert.ok(cacheWith(dataDir).startsWith(join(dataDir, 'cache')))
})

test('a cache that another user can write to is not used', (t) => {
  const dataDir = newFolder(t)
  mkdirSync(join(dataDir, 'cache'))
  chmodSync(join(dataDir, 'cache'), 0o770)

  assert.equal(cacheWith(dataDir), '')
})

test('without a folder to write to there is no cache, and no error', (t) => {
  const file = join(newFolder(t), 'file')
  writeFileSync(file, '')

  assert.equal(cacheWith(join(file, 'data')), '')
  assert.ok(existsSync(file))
})

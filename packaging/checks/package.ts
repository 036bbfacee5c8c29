/** `npm run test:package`: the package is installed and started as an operator does. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pack } from '../pack.ts'
import { sbomOf } from '../release.ts'
import { archive, assertServes, installation, newFolder, sizeOf } from './installation.ts'
import { freePort, isSkippedWithout, output, run, startProgram } from './tools.ts'

/** In MB. The console takes 1.3 of it, the script of the API page 0.9. */
const ARCHIVE_MAX = 3.2
/** In MB, of the files with those of all dependencies. */
const INSTALLED_MAX = 110

const READY = /is ready at/
/** A minimal environment. `node`: the program that runs the package. */
const environment = (node: string, port: number, more = {}) => ({
  PATH: `${dirname(node)}:${process.env.PATH}`,
  PORT: String(port),
  LOG_LEVEL: 'warn',
  ...more,
})

test('two builds of the console and two packages of it have the same bytes', async (t) => {
  const first = await archive()
  const second = await pack(newFolder('again'))

  t.diagnostic(`archive: ${(first.bytes / 1e6).toFixed(2)} MB, SHA-256 ${first.sha256}`)
  assert.equal(second.sha256, first.sha256)
  assert.ok(first.bytes <= ARCHIVE_MAX * 1e6)
})

test('an installation has few files more than the dependencies', async (t) => {
  const started = performance.now()
  const folder = await installation()

  t.diagnostic(`installed in ${((performance.now() - started) / 1e3).toFixed(0)} s`)
  const size = sizeOf(folder)
  const { stdout: blocks } = await run('du', ['-sk', folder])
  t.diagnostic(`installed: ${(size / 1e6).toFixed(1)} MB of files; du -sk: ${blocks.split('\t')[0]}`)
  assert.ok(size <= INSTALLED_MAX * 1e6)
  assert.ok(!existsSync(join(folder, 'node_modules/@scalar')))
})

test('the list of components has each dependency with its hash', async () => {
  const { path } = await archive()

  const { bomFormat, components } = JSON.parse(sbomOf(path)) as {
    bomFormat: string
    components: { name: string; version: string; hashes?: unknown[] }[]
  }

  assert.equal(bomFormat, 'CycloneDX')
  assert.ok(components.length > 150)
  assert.deepEqual(
    components.filter(({ hashes }) => !hashes?.length).map(({ name }) => name),
    [],
  )
})

/** Installs a version of Node as an npm package. */
async function nodeOf(version: string): Promise<string> {
  const folder = newFolder(`node-${version}`)
  writeFileSync(join(folder, 'package.json'), '{ "allowScripts": { "node": true } }')
  await output('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: folder })
  return join(folder, 'node_modules/node/bin/node')
}

for (const version of ['22.13.0', '22', '24'])
  test(`in an empty folder it serves all pages on Node ${version}`, async (t) => {
    const folder = await installation()
    const node = await nodeOf(version)
    const data = newFolder(`data-${version}`)
    const port = await freePort()
    const command = [node, join(folder, 'node_modules/.bin/tenantry')]
    const env = environment(node, port)

    const {
      url,
      output: printed,
      stop,
    } = await startProgram(t, command, { env, cwd: data, port, ready: READY })

    await assertServes(url)
    assert.equal(await stop(), 0)
    assert.match(printed(), /Administrator +admin@localhost/)
    // Before 22.15 a process cannot replace itself, and Node warns that SQLite is experimental.
    if (version !== '22.13.0') assert.doesNotMatch(printed(), /warning/i)
    assert.ok(readdirSync(join(data, 'data/cache')).length > 0, 'no compile cache')
    t.diagnostic(`compile cache: ${(sizeOf(join(data, 'data/cache')) / 1e6).toFixed(1)} MB`)
  })

test('npx finds the program in a folder where the archive is installed', async () => {
  const printed = await output('npx', ['--no', 'tenantry', 'version'], { cwd: await installation() }).catch(
    ({ message }: Error) => message, // npx runs the Node of PATH, which may be an old one
  )

  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.match(printed, new RegExp(`^${version}\n$|Tenantry needs Node 22\\.13 or newer`))
})

test('an unsupported Node gets one sentence', async (t) => {
  const node = await oldNode(t)
  if (!node) return

  const { code, stdout, stderr } = await run(node, [join(await installation(), 'node_modules/.bin/tenantry')])

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^Tenantry needs Node 22\.13 or newer\. This is Node [\d.]+\.\n$/)
})

/** The Node of this machine, outside of the folders that npm adds to PATH. */
async function oldNode(t: TestContext): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  const { stdout } = await run('which', ['-a', 'node'], { env: { PATH: folders.join(':') } })
  for (const node of stdout.split('\n').filter(Boolean)) {
    const [major = 0] = (await output(node, ['-p', 'process.versions.node'])).split('.').map(Number)
    if (major < 22) return node
  }
  t.skip('no Node before 22 in PATH')
  return undefined
}

test('it runs as an unprivileged user on a read-only file system, except DATA_DIR', async (t) => {
  if (await isSkippedWithout(t, 'unshare', 'setpriv')) return
  if (process.getuid?.() !== 0) return t.skip('mounting requires root')
  const folder = await installation()
  const data = newFolder('data-of-65532')
  await output('chown', ['65532:65532', data])
  const script = [
    'set -e',
    // Every file system becomes read-only, then the data folder writable.
    'mount --bind "$DATA" "$DATA"',
    'mount -o remount,bind,ro /',
    'mount -o remount,bind,rw "$DATA"',
    'if touch "$BIN" 2>/dev/null; then echo "the file system is writable" >&2; exit 1; fi',
    'cd /',
    'exec setpriv --reuid 65532 --regid 65532 --clear-groups --no-new-privs --inh-caps=-all -- "$NODE" "$BIN"',
  ].join('\n')
  // A copy that every user may read: the folder of this project may be private.
  const node = join(newFolder('program'), 'node')
  await output('cp', [process.execPath, node])
  await output('chmod', ['-R', 'a+rX', dirname(dirname(node))])
  const port = await freePort()
  const env = {
    ...environment(node, port, { DATA_DIR: data, HOME: '/nonexistent' }),
    NODE: node,
    DATA: data,
    BIN: join(folder, 'node_modules/tenantry/bin/tenantry.js'),
  }

  const { url, stop } = await startProgram(t, ['unshare', '--mount', 'sh', '-c', script], {
    env,
    cwd: '/',
    port,
    ready: READY,
  })

  await assertServes(url)
  assert.equal(await stop(), 0)
})

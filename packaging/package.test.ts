/** The npm package, without installing it: `npm run test:package` does. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import ts from 'typescript'
import { parse } from 'yaml'
import { readLibrary } from '../server/src/guide/library.ts'
import { ROOT } from './files.ts'
import { javascriptOf } from './javascript.ts'
import { pack } from './pack.ts'
import { demandChangelog, demandMigrations } from './release.ts'
import { dependencyTree, type Lock } from './shrinkwrap.ts'

const run = promisify(execFile)

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-packaging-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Ended = { code: number; stdout: string; stderr: string }

/** Runs a program of bin/ to its end. */
const runBin = (name: string, args: string[] = [], env = {}, options: string[] = []): Promise<Ended> =>
  run(process.execPath, [...options, join(ROOT, 'bin', name), ...args], {
    env: { PATH: process.env.PATH, ...env },
  }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

test('two runs write the same bytes, and each import in them leads to a file', async (t) => {
  const folder = temporaryFolder(t)
  const consoleFiles = join(folder, 'console')
  mkdirSync(consoleFiles)
  writeFileSync(join(consoleFiles, 'index.html'), '<!doctype html>')
  const shortcuts = { consoleFiles, quality: 1 }

  const first = await pack(join(folder, 'first'), shortcuts)
  const second = await pack(join(folder, 'second'), shortcuts)

  assert.equal(first.sha256, second.sha256)
  await run('tar', ['-xzf', first.path, '-C', folder])
  const content = join(folder, 'package')
  const files = globSync('**/*.js', { cwd: content })
  const missing = files.flatMap((file) =>
    ts
      .preProcessFile(readFileSync(join(content, file), 'utf8'))
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .filter(({ fileName }) => !existsSync(join(content, dirname(file), fileName)))
      .map(({ fileName }) => `${file}: ${fileName}`),
  )
  assert.deepEqual(missing, [])
  assert.ok(files.includes('server/src/main.js') && files.includes('bin/tenantry.js'))
  assert.ok(existsSync(join(content, 'server/locales/en.json')))
  const { pages, images } = readLibrary()
  for (const path of [...pages.values(), ...images.values()])
    assert.ok(existsSync(join(content, path)), `the documentation lacks ${path}`)
  assert.deepEqual(globSync('**/*{.ts,.test.js,_snapshot.json}', { cwd: content }), [])
})

test('only imports get another ending, and each line keeps its columns', () => {
  const source = [
    "import { a, type B } from './a.ts'",
    "export * from '../b.ts'",
    'const text: string = "import \'./c.ts\'"',
    "const load = async (name: B) => [await import('./d.ts'), './e.ts']",
    "// import './f.ts'",
  ].join('\n')

  assert.deepEqual(javascriptOf(source, 'x.ts').split('\n'), [
    "import { a,        } from './a.js'",
    "export * from '../b.js'",
    'const text         = "import \'./c.ts\'"',
    "const load = async (name   ) => [await import('./d.js'), './e.ts']",
    "// import './f.ts'",
  ])
})

test('a dependency keeps the version that it has in the lock file', () => {
  const at = (version: string, dependencies = {}) => ({ version, dependencies })
  const packages = {
    server: at('0', { a: '^1', b: '^1', none: '^1' }),
    'server/node_modules/a': at('1.1.0'),
    'node_modules/a': at('1.0.0'),
    'node_modules/b': at('1.0.0', { a: '~1.0', c: '*' }),
    'node_modules/b/node_modules/c': at('3.0.0', { a: '*' }),
  }
  const lock: Lock = { packages }

  const tree = dependencyTree(lock, 'server', ['none'])

  const versions = Object.fromEntries(Object.entries(tree).map(([path, { version }]) => [path, version]))
  assert.deepEqual(versions, {
    'node_modules/a': '1.1.0',
    'node_modules/b': '1.0.0',
    'node_modules/b/node_modules/a': '1.0.0',
    'node_modules/c': '3.0.0',
    'node_modules/c/node_modules/a': '1.0.0',
  })
  assert.throws(() => dependencyTree(lock, 'server'), /package-lock\.json has no none/)
})

test('the program says in one sentence which Node it needs', async () => {
  const pretending = (version: string) => [
    '--import',
    `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`,
  ]

  for (const version of ['20.20.2', '22.12.0', '18.0.0']) {
    const { code, stdout, stderr } = await runBin('tenantry.js', [], {}, pretending(version))
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `Tenantry needs Node 22.13 or newer. This is Node ${version}.\n`)
  }
  const supported = await runBin('tenantry.js', ['version'], {}, pretending('22.13.0'))
  assert.deepEqual([supported.code, supported.stderr], [0, ''])
})

test('the health check exits with 0 only if the server responds with 200', async (t) => {
  let status = 200
  const server = createServer((_request, response) => response.writeHead(status).end())
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const healthy = () => runBin('healthy.js', [], { PORT: String(port), HOST: '0.0.0.0' })

  const ready = await healthy()
  status = 503
  const stopping = await healthy()
  server.close()
  server.closeAllConnections()
  const stopped = await healthy()

  assert.deepEqual([ready.code, stopping.code, stopped.code], [0, 1, 1])
  assert.equal(stopping.stderr, 'GET /health: 503\n')
})

test('a release needs a section of the changelog with its date', () => {
  demandChangelog('# Changelog\n\n## 1.2.0 - 2027-01-31\n', '1.2.0')

  for (const text of ['## Unreleased', '## 1.2.0', '## 1x2.0 - 2027-01-31', '## 1.2.0 - soon'])
    assert.throws(() => demandChangelog(text, '1.2.0'), /has no section "## 1\.2\.0 - <date>"/, text)
})

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('the values of the chart fit their schema, which rejects unknown keys', () => {
  const values = parse(readText('charts/tenantry/values.yaml')) as Record<string, object>
  const accepts = new Ajv({ strict: false }).compile(
    JSON.parse(readText('charts/tenantry/values.schema.json')),
  )
  const complete = { ...values, baseUrl: 'https://id.example.com' }

  assert.ok(accepts(complete), JSON.stringify(accepts.errors))
  for (const key of ['image', 'secrets', 'ingress', 'autoscaling', 'service'])
    assert.ok(!accepts({ ...complete, [key]: { ...values[key], unknown: 1 } }), key)
  assert.ok(!accepts({ ...complete, unknown: 1 }))
  assert.ok(!accepts(values), 'baseUrl is required')
})

test('image, chart and unit run programs that the package has, and name one version', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string }
  const chart = parse(readText('charts/tenantry/Chart.yaml')) as { version: string; appVersion: string }
  const texts = [
    'Dockerfile',
    'packaging/systemd/tenantry.service',
    'charts/tenantry/templates/tests/health.yaml',
    'charts/tenantry/templates/NOTES.txt',
  ].map(readText)
  const programs = texts.flatMap((text) => text.match(/\bbin\/\w+\.js/g) ?? [])

  assert.ok(programs.length >= 5)
  for (const program of programs) assert.ok(existsSync(join(ROOT, program)), program)
  assert.deepEqual([chart.version, chart.appVersion], [version, version])
})

test('the unit stops the main process, which stops its workers, and waits longer than they take', () => {
  const unit = readText('packaging/systemd/tenantry.service')
  const setting = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1]

  assert.equal(setting('KillMode'), 'mixed', 'systemd would signal the workers as well')
  assert.ok(Number(setting('TimeoutStopSec')) > 15)
})

test('a release without its newest migration is refused', () => {
  assert.doesNotThrow(() => demandMigrations({ '0.1.0': 0, '0.2.0': 3 }, 3, '0.2.0'))
  for (const releases of [{}, { '0.1.0': 3 }, { '0.2.0': 2 }])
    assert.throws(() => demandMigrations(releases, 3, '0.2.0'), /no line "0\.2\.0": 3/)
})

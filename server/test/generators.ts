/**
 * `npm run test:generators`: generates clients from docs/openapi.json with generators that other people use,
 * and counts the models that they number or invent. A generator whose language is not installed is skipped.
 * Installs the generators from PyPI and the Go module proxy into a temporary folder.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const DOCUMENT = join(import.meta.dirname, '../../docs/openapi.json')
const isInstalled = (program: string, ...options: string[]) => spawnSync(program, options).status === 0
const unless = (program: string, isThere: boolean) => ({ skip: !isThere && `${program} is not installed` })

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-generators-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a program, and returns what it prints. */
function run(program: string, options: string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, options, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  })
  assert.equal(status, 0, `${program} ${options.join(' ')}\n${stderr}`)
  return stdout + stderr
}

/** Installs a package of PyPI. Returns the folder of its programs. */
function pip(folder: string, requirement: string): string {
  run('python3', ['-m', 'venv', join(folder, 'venv')])
  const programs = join(folder, 'venv/bin')
  run(join(programs, 'pip'), ['install', '--quiet', requirement])
  return programs
}

const hasPython = isInstalled('python3', '-c', 'import venv')

test('openapi-python-client numbers no model', unless('python3', hasPython), (t) => {
  const folder = newFolder(t)
  const programs = pip(folder, 'openapi-python-client==0.29.1')
  const client = join(folder, 'client')
  const options = ['generate', '--meta', 'none', '--path', DOCUMENT, '--output-path', client]
  const PATH = `${programs}:${process.env.PATH}`

  run(join(programs, 'openapi-python-client'), options, { PATH })

  const models = readdirSync(join(client, 'models'))
  assert.ok(models.length > 100)
  assert.deepEqual(
    models.filter((file) => /_\d+(_|\.py$)/.test(file)),
    [],
  )
})

const hasJava = hasPython && isInstalled('java', '-version')

test('openapi-generator invents no model', unless('java or python3', hasJava), (t) => {
  const folder = newFolder(t)
  const program = join(pip(folder, 'openapi-generator-cli==7.26.0'), 'openapi-generator-cli')
  for (const language of ['python', 'java', 'typescript-fetch']) {
    const output = run(program, ['generate', '-i', DOCUMENT, '-g', language, '-o', join(folder, language)])
    assert.deepEqual(output.match(/Inline schema created as \w+/g), null, language)
  }
})

test('oapi-codegen makes null no constant', unless('go', isInstalled('go', 'version')), (t) => {
  const folder = newFolder(t)
  run('go', ['install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'], { GOBIN: folder })
  const file = join(folder, 'client.go')

  run(join(folder, 'oapi-codegen'), ['-generate', 'types', '-package', 'tenantry', '-o', file, DOCUMENT])

  const code = readFileSync(file, 'utf8')
  assert.match(code, /^type User struct/m)
  assert.doesNotMatch(code, /LessThannil|"<nil>"/)
  assert.match(code, /Data +\[\]User /, 'the rows of a list of users are users')
})

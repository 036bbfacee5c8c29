/**
 * The image without Docker: the lines of the Dockerfile are executed in a folder, and the sample application
 * of the Compose file by its own command.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ROOT } from '../files.ts'
import { archive, assertServes, follow, newFolder } from './installation.ts'
import { freePort, isSkippedWithout, output, run, startProgram } from './tools.ts'

type Instruction = { name: string; value: string }

/** The instructions of the Dockerfile, without comments, with their lines joined. */
function dockerfile(): Instruction[] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ name: line.split(' ', 1)[0]!, value: line.replace(/^\S+\s+/, '') }))
}

const valuesOf = (name: string) =>
  dockerfile()
    .filter((each) => each.name === name)
    .map(({ value }) => value)

let built: Promise<string> | undefined
/** A folder with `/app`, `/data` and `/tmp`, as the stage `build` leaves them. */
const image = (): Promise<string> => {
  built ??= archive().then(async ({ path }) => {
    const root = newFolder('image')
    for (const folder of ['app', 'tmp']) mkdirSync(join(root, folder))
    cpSync(path, join(root, 'tmp/tenantry.tgz'))
    const [steps = ''] = valuesOf('RUN')
    await output('sh', ['-ec', steps.replaceAll(/ \/(tmp|data)/g, ` ${root}/$1`)], { cwd: join(root, 'app') })
    return root
  })
  return built
}

/** The command and the environment of the image, with the paths of the folder. */
function commandIn(root: string, kind: 'ENTRYPOINT' | 'HEALTHCHECK'): string[] {
  const [value = ''] = valuesOf(kind)
  const words: string[] = JSON.parse(value.slice(value.indexOf('[')))
  return words.map((word) =>
    word === '/nodejs/bin/node' ? process.execPath : word.replace(/^\/app/, join(root, 'app')),
  )
}

function environmentIn(root: string, port: number): NodeJS.ProcessEnv {
  const [value = ''] = valuesOf('ENV')
  const pairs = value.split(' ').map((pair) => pair.split('=') as [string, string])
  return {
    ...Object.fromEntries(pairs),
    DATA_DIR: join(root, 'data'),
    PORT: String(port),
    PATH: process.env.PATH,
  }
}

test('the Dockerfile has no finding of hadolint', async (t) => {
  if (await isSkippedWithout(t, 'hadolint')) return

  assert.deepEqual(await run('hadolint', [join(ROOT, 'Dockerfile')]), { code: 0, stdout: '', stderr: '' })
})

test('the lines of the Dockerfile install the tested versions and start a server that is healthy', async (t) => {
  const root = await image()
  const port = await freePort()
  const env = environmentIn(root, port)
  const [, ...program] = commandIn(root, 'ENTRYPOINT')
  const [arguments_ = '[]'] = valuesOf('CMD')
  const command = [process.execPath, ...program, ...(JSON.parse(arguments_) as string[])]
  const [check = '', ...path] = commandIn(root, 'HEALTHCHECK')
  const before = await run(check, path, { env })

  const { url, stop } = await startProgram(t, command, { env, cwd: root, port, ready: /is ready at/ })

  await assertServes(url)
  assert.deepEqual([before.code, (await run(check, path, { env })).code], [1, 0])
  assert.equal(await stop(), 0)
  const [found, wanted] = ['node_modules/.package-lock.json', 'npm-shrinkwrap.json'].map((file) =>
    versionsIn(join(root, 'app', file)),
  )
  for (const [path, version] of Object.entries(found!)) assert.equal(version, wanted![path], path)
})

/** The versions of the packages in a lock file, by their folders. */
function versionsIn(lock: string): Record<string, string> {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages: Record<string, { version: string }>
  }
  const installed = Object.entries(packages).filter(([path]) => path !== '')
  assert.ok(installed.length > 150)
  return Object.fromEntries(installed.map(([path, { version }]) => [path, version]))
}

test('the image runs as a numeric user, whose data folder it owns', () => {
  assert.deepEqual(valuesOf('USER'), ['65532:65532'])
  assert.ok(valuesOf('COPY').includes('--from=build --chown=65532:65532 /data /data'))
})

type Compose = { services: Record<string, { command: string[]; environment: Record<string, string> }> }

test('the sample application of the Compose file creates its system and sends users to sign in', async (t) => {
  const root = await image()
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as Compose
  const port = await freePort()
  const secrets = join(ROOT, 'packaging/compose')
  const { ADMIN_CLIENT_ID = '' } = services.tenantry!.environment
  const env = {
    ...environmentIn(root, port),
    DATA_DIR: newFolder('data-of-sample'),
    BASE_URL: `http://localhost:${port}`,
    SECRET_KEY_FILE: join(secrets, 'secret-key'),
    ADMIN_CLIENT_ID,
    ADMIN_CLIENT_SECRET_FILE: join(secrets, 'admin-client-secret'),
  }
  const [, ...program] = commandIn(root, 'ENTRYPOINT')
  const server = [process.execPath, ...program]
  const { url } = await startProgram(t, server, { env, cwd: root, port, ready: /is ready at/ })
  const folder = newFolder('sample')
  writeFileSync(join(folder, 'package.json'), '{}')
  const command = services.sample!.command.map((word) =>
    word.replace('/express/*', `${ROOT}/quickstarts/express/*`).replace('/sample.js', `${secrets}/sample.js`),
  )
  const ofSample = await freePort()
  const own = {
    ISSUER: url,
    PORT: String(ofSample),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    ADMIN_CLIENT_SECRET_FILE: env.ADMIN_CLIENT_SECRET_FILE,
  }

  const sample = await startProgram(t, command, {
    env: { ...process.env, ...services.sample!.environment, ...own },
    cwd: folder,
    port: ofSample,
    ready: /Ready at/,
  })

  const login = await fetch(`${sample.url}/login`, { redirect: 'manual' })
  const location = new URL(login.headers.get('location') ?? '')
  const page = await follow(location.href, new Map())
  assert.equal(location.origin + location.pathname, `${url}/auth`)
  assert.equal(page.status, 200)
  assert.match(page.text, /Sample/)
})

/** The files of the package, in a folder. */
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { readLibrary } from '../server/src/guide/library.ts'
import { PACKED_NAME, readScalar } from '../server/src/http/openapi/scalar.ts'
import { javascriptOf } from './javascript.ts'
import { dependencyTree, type Lock, type Locked } from './shrinkwrap.ts'

export const ROOT = join(import.meta.dirname, '..')

/** Its script is copied, which saves 18 MB of an installation. */
const SCALAR = '@scalar/fastify-api-reference'
const SCALAR_FOLDER = 'server/src/http/openapi'

type Manifest = Record<string, unknown> & {
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional: boolean }>
}
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T

/** The best quality of brotli takes 6 seconds of a processor for the script of the API page. */
const { BROTLI_MAX_QUALITY: BEST, BROTLI_PARAM_QUALITY: QUALITY } = constants

/** Writes the package into an empty folder. `consoleFiles`: the folder of the console that Vite has built. */
export async function writePackage(target: string, consoleFiles: string, quality = BEST): Promise<void> {
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), content)
  }
  const copy = (path: string, from = join(ROOT, path)) => {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    copyFileSync(from, join(target, path))
  }
  for (const path of sources()) {
    const source = readFileSync(join(ROOT, path), 'utf8')
    write(path.replace(/\.ts$/, '.js'), javascriptOf(source, path))
  }
  for (const path of [...assets(), ...documentation()]) copy(path)
  for (const path of ['LICENSE', 'CHANGELOG.md', 'packaging/systemd/tenantry.service']) copy(path)
  copy('README.md', join(ROOT, 'packaging/README.md'))
  cpSync(consoleFiles, join(target, 'console/dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.vite'), // the manifest of the build
  })
  const script = brotliCompressSync(await readScalar(), { params: { [QUALITY]: quality } })
  write(`${SCALAR_FOLDER}/${PACKED_NAME}`, script)
  copy(`${SCALAR_FOLDER}/scalar.LICENSE`, join(ROOT, 'node_modules', SCALAR, 'LICENSE'))
  for (const [path, value] of Object.entries(manifests())) write(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** The programs, without tests. */
const sources = () =>
  globSync(['bin/*.js', 'server/src/**/*.ts'], { cwd: ROOT })
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()

/** What the server reads at run time. A snapshot of the schema is for the development of migrations only. */
const assets = () =>
  globSync('server/{src,migrations,locales}/**/*', { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.ts$|_snapshot\.json$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort()

/** The pages that the server shows, with their images. */
function documentation(): string[] {
  const { pages, images } = readLibrary()
  return [...pages.values(), ...images.values()].sort()
}

/** The manifests, with the versions of the lock file. */
function manifests(): Record<string, object> {
  const root = readJson<Manifest>('package.json')
  const server = readJson<Manifest>('server/package.json')
  const tree = dependencyTree(readJson<Lock>('package-lock.json'), 'server', [SCALAR])
  const names = Object.keys(server.dependencies).filter((name) => name !== SCALAR)
  const dependencies = Object.fromEntries(names.map((name) => [name, tree[`node_modules/${name}`]!.version]))
  const { name, version, description, license, repository } = root
  const { peerDependencies, peerDependenciesMeta } = server // of traces; not installed unless someone asks
  const shared = { name, version, license, peerDependencies, peerDependenciesMeta }
  const own = { ...shared, dependencies, bin: { tenantry: 'bin/tenantry.js' }, engines: { node: '>=22.13' } }
  return {
    'package.json': { ...own, description, repository, type: 'module' },
    'npm-shrinkwrap.json': {
      name,
      version,
      lockfileVersion: 3,
      requires: true,
      packages: { '': own, ...tree } satisfies Record<string, Locked | object>,
    },
    'server/package.json': { name: server.name, version: server.version, private: true, type: 'module' },
  }
}

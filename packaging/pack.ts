/**
 * `npm run package`: writes the npm package to `dist/tenantry-<version>.tgz` and prints its SHA-256. Two runs
 * on one commit write the same bytes, with the same versions of Node and npm.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT, writePackage } from './files.ts'

export type Archive = { path: string; bytes: number; sha256: string }

/**
 * Builds the console into a folder. The compiled files depend on nothing but the sources and the lock file.
 */
export function buildConsole(folder: string): void {
  const vite = join(ROOT, 'console/node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn']
  execFileSync(process.execPath, args, { cwd: join(ROOT, 'console'), stdio: 'inherit' })
}

type Shortcuts = { consoleFiles: string; quality: number }

/** Packs into a folder. `shortcuts`: for tests, which need no built console and no small archive. */
export async function pack(destination: string, shortcuts?: Shortcuts): Promise<Archive> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-package-'))
  try {
    const built = shortcuts?.consoleFiles ?? join(folder, 'console')
    if (!shortcuts) buildConsole(built)
    const content = join(folder, 'package')
    await writePackage(content, built, shortcuts?.quality)
    mkdirSync(destination, { recursive: true })
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(destination)]
    const printed = execFileSync('npm', args, { cwd: content, encoding: 'utf8' })
    const [{ filename }] = JSON.parse(printed) as [{ filename: string }]
    return archiveAt(join(resolve(destination), filename))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function archiveAt(path: string): Archive {
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex')
  return { path, bytes: statSync(path).size, sha256 }
}

/** Throws unless the files are those of a commit. */
export function demandClean(): void {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  if (changes !== '') throw new Error(`There are changes that are not committed:\n${changes}`)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { destination: { type: 'string', default: join(ROOT, 'dist') }, dirty: { type: 'boolean' } },
  })
  if (!values.dirty) demandClean()
  const { path, bytes, sha256 } = await pack(values.destination)
  process.stdout.write(`${path}\n${(bytes / 1e6).toFixed(2)} MB, SHA-256 ${sha256}\n`)
}

/**
 * `npm run release`: writes to dist/ what a release consists of: the archive of the npm package, its list of
 * components (SBOM) and SHA256SUMS. It publishes nothing (docs/releasing.md).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ROOT } from './files.ts'
import { demandClean, pack } from './pack.ts'

/** The components of an archive with their versions, hashes and licences, as CycloneDX JSON. */
export function sbomOf(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-sbom-'))
  try {
    execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'])
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--sbom-type', 'application']
    return execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 50_000_000 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Throws unless the changelog has a section of the version with its date. */
export function demandChangelog(text: string, version: string): void {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm')
  if (!heading.test(text)) throw new Error(`CHANGELOG.md has no section "## ${version} - <date>".`)
}

/** Throws unless the newest migration is recorded as that of the version. */
export function demandMigrations(releases: Record<string, number>, newest: number, version: string): void {
  if (releases[version] !== newest)
    throw new Error(`server/migrations/releases.json has no line "${version}": ${newest}.`)
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

async function release(): Promise<void> {
  demandClean()
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  demandChangelog(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, 'server/migrations', path), 'utf8'))
  demandMigrations(read('releases.json'), read('meta/_journal.json').entries.length - 1, version)
  execFileSync(process.execPath, ['server/docs.ts', '--check'], { cwd: ROOT, stdio: 'inherit' })
  const { path, sha256: ofArchive } = await pack(join(ROOT, 'dist'))
  const sbom = path.replace(/\.tgz$/, '.cdx.json')
  writeFileSync(sbom, sbomOf(path))
  const sums = [[ofArchive, path] as const, [sha256(readFileSync(sbom)), sbom] as const]
  const text = sums.map(([sum, file]) => `${sum}  ${basename(file)}\n`).join('')
  writeFileSync(join(ROOT, 'dist/SHA256SUMS'), text)
  process.stdout.write(text)
}

if (import.meta.main) {
  try {
    await release()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

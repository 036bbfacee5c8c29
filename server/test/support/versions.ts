/** Other versions of the server: a copy of this checkout, or of a commit, with more migrations. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export type Changes = {
  version: string
  /** The SQL of migrations after those of the copy, by name. */
  migrations?: Record<string, string>
  /** The number of the newest migration by released version. */
  releases?: Record<string, number>
  /** Changes of the sources, by their path: texts and what replaces them. */
  sources?: Record<string, [RegExp, string][]>
  /** The commit to copy instead of this checkout. */
  commit?: string | undefined
}

export type Version = {
  /** Its entry point, `main.ts`. */
  main: string
  remove(): void
}

function copyTo(folder: string, commit: string | undefined): void {
  if (commit) {
    const archive = execFileSync('git', ['archive', commit, 'server', 'package.json'], {
      cwd: ROOT,
      maxBuffer: 100_000_000,
    })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
  } else
    for (const path of [
      'server/src',
      'server/migrations',
      'server/locales',
      'server/package.json',
      'package.json',
    ])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  // The built console and the dependencies are those of this checkout.
  for (const path of ['node_modules', 'server/node_modules', 'console', 'sdk'])
    if (existsSync(join(ROOT, path))) symlinkSync(join(ROOT, path), join(folder, path))
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

export function createVersion({
  version,
  migrations = {},
  releases,
  sources = {},
  commit,
}: Changes): Version {
  const folder = mkdtempSync(join(tmpdir(), `tenantry-${version}-`))
  mkdirSync(join(folder, 'server'))
  copyTo(folder, commit)
  edit(join(folder, 'server/package.json'), (text) => JSON.stringify({ ...JSON.parse(text), version }))
  const files = join(folder, 'server/migrations')
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(files, `${name}.sql`), text)
  edit(join(files, 'meta/_journal.json'), (text) => {
    const journal = JSON.parse(text)
    return JSON.stringify({
      ...journal,
      entries: [...journal.entries, ...Object.keys(migrations).map((tag) => ({ tag }))],
    })
  })
  if (releases) writeFileSync(join(files, 'releases.json'), JSON.stringify(releases))
  for (const [path, replacements] of Object.entries(sources))
    edit(join(folder, path), (text) => replacements.reduce(replaced, text))
  return {
    main: join(folder, 'server/src/main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function replaced(text: string, [pattern, by]: [RegExp, string]): string {
  if (!pattern.test(text)) throw new Error(`The source has nothing that matches ${pattern}.`)
  return text.replace(pattern, by)
}

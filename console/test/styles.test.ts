/** Style sheets stand beside the part whose classes they describe. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const SRC = join(import.meta.dirname, '../src')
const contentOf = (file: string) => readFileSync(join(SRC, file), 'utf8')
const files = globSync('**/*.{ts,tsx,css}', { cwd: SRC })
const sheets = files.filter((file) => file.endsWith('.css'))

/** What a file imports, types included: the parts that it renders. */
const importsOf = new Map(
  files.map((file) => [
    file,
    [...contentOf(file).matchAll(/(?:from |import |import\()'(\.[^']+)'/g)].map(([, path]) =>
      join(dirname(file), path!),
    ),
  ]),
)

function closureOf(file: string, found = new Set<string>()): Set<string> {
  for (const each of importsOf.get(file) ?? [])
    if (!found.has(each)) {
      found.add(each)
      closureOf(each, found)
    }
  return found
}

/** The sheets by the class that their selectors begin with. */
const owners = new Map<string, Set<string>>()
for (const sheet of sheets)
  for (const [, name] of contentOf(sheet).matchAll(/^\s*\.([\w-]+)[^;]*(?:,|\{)$/gm))
    owners.set(name!, (owners.get(name!) ?? new Set()).add(sheet))

/** The classes in the literals of a file. */
const classesOf = (content: string) =>
  [...content.matchAll(/class[nN]ame(?:=|: )(?:"([^"]*)"|\{?([^{}\n]*(?:\{[^}]*\})?[^}\n]*)\}?)/g)].flatMap(
    ([, text, code]) =>
      text?.split(' ') ??
      [...code!.matchAll(/['`]([^'`]*)['`]/g)].flatMap(([, each]) => each!.split(/[^\w-]+/)),
  )

test('each style sheet is imported, and each part imports the sheets of the classes that it uses', () => {
  const global = closureOf('main.tsx')
  const eager = (importsOf.get('main.tsx') ?? []).filter((file) => file.startsWith('style/'))
  const missing = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => {
      const reached = closureOf(file)
      return classesOf(contentOf(file))
        .filter((name) => {
          const sheetsOf = [...(owners.get(name) ?? [])]
          return sheetsOf.length > 0 && !sheetsOf.some((sheet) => eager.includes(sheet) || reached.has(sheet))
        })
        .map((name) => `${file}: ${name} of ${[...owners.get(name)!].join(' or ')}`)
    })

  assert.ok(owners.size > 120, `${owners.size} classes`)
  assert.deepEqual(missing, [])
  assert.deepEqual(
    sheets.filter((sheet) => !global.has(sheet)),
    [],
  )
})

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const SOURCE = import.meta.dirname

/** The order of ARCHITECTURE.md: folders, and files that stand alone. */
const ORDER =
  /^```order\n([\s\S]+?)```/m.exec(readFileSync(join(SOURCE, '../../ARCHITECTURE.md'), 'utf8'))?.[1]?.split(/\s+/) ?? []

const placeOf = (file: string) => ORDER.indexOf(file.split('/')[0]!.replace(/\.ts$/, ''))

/** Every import of one of our files by another, tests apart: they may use anything. */
const imports = globSync('**/*.ts', { cwd: SOURCE, exclude: (name) => name.endsWith('.test.ts') }).flatMap((file) =>
  [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)].map(([, target]) => ({
    file,
    target: normalize(join(dirname(file), target!)),
  })),
)

test('a file imports its own folder and what stands before it in ARCHITECTURE.md', () => {
  const against = imports.filter(({ file, target }) => {
    const [from, to] = [placeOf(file), placeOf(target)]
    return from === -1 || to === -1 || to > from
  })

  assert.ok(imports.length > 100)
  assert.deepEqual(against, [])
})

test('only app.ts imports the routes of another folder', () => {
  const routes = imports.filter(({ target }) => target.endsWith('/routes.ts'))

  assert.deepEqual(
    routes.filter(({ file }) => file !== 'app.ts'),
    [],
  )
})

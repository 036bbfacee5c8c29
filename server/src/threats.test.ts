/** The numbers in the titles of tests and the entries of docs/threats.md refer to each other. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const NUMBERS = /['`"](P\d{2,3}(?:, P\d{2,3})*): /g

/** The numbers in the titles of each test file, by its path. */
const titled = new Map(
  globSync(['server/src/**/*.test.ts', 'server/test/**/*.test.ts', 'sdk/test/*.test.ts'], { cwd: ROOT }).map(
    (path) => {
      const source = readFileSync(join(ROOT, path), 'utf8')
      return [path, new Set([...source.matchAll(NUMBERS)].flatMap(([, numbers]) => numbers!.split(', ')))]
    },
  ),
)

/** The entries of the catalog: the number, and the paths that its last column names. */
const entries = readFileSync(join(ROOT, 'docs/threats.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| P\d{2,3} \|/.test(line))
  .map((line) => {
    const [, number = '', , , tests = ''] = line.split('|').map((cell) => cell.trim())
    return { number, paths: [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path!) }
  })

test('every number in a title is an entry of docs/threats.md', () => {
  const known = new Set(entries.map(({ number }) => number))

  const unknown = [...titled].flatMap(([path, numbers]) =>
    [...numbers].filter((number) => !known.has(number)).map((number) => `${number} in ${path}`),
  )

  assert.ok(known.size > 0)
  assert.deepEqual(unknown, [])
})

test('every entry of docs/threats.md has a test in each file or folder it names', () => {
  const isIn = (path: string, named: string) => {
    const full = /^(server|sdk)\//.test(named) ? named : `server/src/${named}`
    return path === `${full}.test.ts` || path.startsWith(`${full}/`)
  }

  const missing = entries.flatMap(({ number, paths }) =>
    paths
      .filter((named) => ![...titled].some(([path, numbers]) => numbers.has(number) && isIn(path, named)))
      .map((named) => `${number} in ${named}`),
  )

  assert.deepEqual([missing, entries.filter(({ paths }) => paths.length === 0)], [[], []])
})

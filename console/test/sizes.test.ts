/** The sizes of the built console. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const DIST = join(import.meta.dirname, '../dist')
type Chunk = { file: string; imports?: string[] }
const chunks = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/** A chunk and everything that it loads with it. */
function closure(names: string[], found = new Set<string>()): Set<string> {
  for (const name of names)
    if (!found.has(name)) {
      found.add(name)
      closure(chunks[name]?.imports ?? [], found)
    }
  return found
}

/** Gzip, in kB of 1,000 bytes. */
const sizeOf = (file: string) => statSync(join(DIST, `${file}.gz`)).size / 1_000

test('the first page loads at most 195 kB of JavaScript and 12 kB of CSS, a later file has at most 45 kB', () => {
  const page = readFileSync(join(DIST, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file!)
  const sum = (files: string[]) => files.reduce((total, file) => total + sizeOf(file), 0)
  const scripts = [
    ...new Set([...named, ...[...closure(['src/parts/Chart.tsx'])].map((name) => chunks[name]!.file)]),
  ]
  const files = Object.values(chunks).map(({ file }) => file)
  const styles = files.filter((file) => file.endsWith('.css')) // one sheet for all pages
  const later = Object.values(chunks).filter(({ file }) => file.endsWith('.js') && !scripts.includes(file))

  assert.ok(named.length > 1 && later.length > 10)
  assert.equal(styles.length, 1)
  assert.ok(sum(scripts) <= 195, `${sum(scripts)} kB of JavaScript`)
  assert.ok(sum(styles) <= 12, `${sum(styles)} kB of CSS`)
  assert.deepEqual(
    later.filter(({ file }) => sizeOf(file) > 45),
    [],
  )
})

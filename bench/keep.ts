/** Stores the results: a file with all numbers, and the chart in docs/performance.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './contenders.ts'
import { draw } from './drawing.ts'
import type { Results } from './results.ts'

export function save(results: Results): void {
  const folder = join(ROOT, 'bench/results')
  const file = join(folder, `${results.date.slice(0, 10)}-${results.commit}.json`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  const drawing = join(ROOT, 'docs/bench.svg')
  writeFileSync(drawing, draw(results))
  process.stdout.write(`\nKept: ${file}, ${drawing}\n`)
}

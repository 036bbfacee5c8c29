/** Which tables a PostgreSQL reads without an index, from the plans that its module auto_explain logs. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Rows of one statement: a list counts up to 10,001 of them in any order, and a small table has no more. */
const MANY = 50_000

/** Settings of the server whose folder `wholeTablesIn` reads. `log_analyze` shows what was executed. */
export const PLAN_SETTINGS = [
  'logging_collector=on',
  'log_filename=plans.log',
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
]

const SCAN = /Seq Scan on (\w+)[^\n]*\(actual rows=([\d.]+) loops=(\d+)\)((?:\n(?![^\n]*->)[^\n]*){0,3})/g

/** Returns the tables of which the statements since the last call have read many rows without an index. */
export function wholeTablesIn(folder: string): () => string[] {
  const path = join(folder, 'data/log/plans.log')
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  let seen = read().length
  return () => {
    const text = read()
    const added = text.slice(seen)
    seen = text.length
    const scans = [...added.matchAll(SCAN)].filter(([, , rows, loops, more]) => {
      const removed = Number(/Rows Removed by Filter: (\d+)/.exec(more ?? '')?.[1] ?? 0)
      return (Number(rows) + removed) * Number(loops) >= MANY
    })
    return [...new Set(scans.map(([, table]) => table!))]
  }
}

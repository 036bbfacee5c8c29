/** The SQL statements of a request, as the driver sends them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import pg from 'pg'
import type { Db } from '../../src/database/database.ts'

type Query = (...given: unknown[]) => unknown
type Queries = { query: Query; transaction?: (work: (tx: Queries) => unknown) => unknown }

/** The request of a statement; undefined for background jobs. */
const requests = new AsyncLocalStorage<string[]>()
const recorded: string[][] = []
let isRecording = false

/**
 * Records the statements of each request, without begin and commit, which PGlite does not report. Returns
 * those of the last one.
 */
export function recordStatements(db: Db): () => string[] {
  if (!isRecording) startRecording(db)
  isRecording = true
  return () => recorded.at(-1) ?? []
}

/** Records the statements of several requests: returns all since the last call, in the order of requests. */
export function recordRequests(db: Db): () => string[][] {
  recordStatements(db)
  return () => recorded.splice(0)
}

/** A lookup belongs to no request. It is recorded for the newest one, so tests send one at a time. */
const isLookup = (text: string) => text.includes(' as wanted(')

function startRecording(db: Db): void {
  subscribe('http.server.request.start', () => {
    const statements: string[] = []
    recorded.push(statements)
    requests.enterWith(statements)
  })
  const recording = (on: Queries) => {
    const query = on.query
    on.query = function (this: unknown, ...given) {
      const [first] = given as [string | { text?: string }]
      const text = typeof first === 'string' ? first : (first?.text ?? '')
      const statements = requests.getStore() ?? (isLookup(text) ? recorded.at(-1) : undefined)
      if (statements && !/^(begin|commit|rollback)\b/i.test(text)) statements.push(text)
      return query.apply(this, given)
    }
    return on
  }
  const client = (db as unknown as { $client: object }).$client
  if (process.env.DATABASE_URL) recording(pg.Client.prototype as unknown as Queries)
  else {
    const embedded = recording(client as Queries)
    const transaction = embedded.transaction!.bind(client)
    embedded.transaction = (work) => transaction((tx) => work(recording(tx)))
  }
}

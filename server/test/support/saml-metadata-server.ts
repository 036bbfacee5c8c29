/** The metadata of a SAML provider at an address, and the worker that reads it. */
import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { eq, sql } from '../../src/database/drizzle.ts'
import { connections } from '../../src/database/schema.ts'
import { startMetadataWorker } from '../../src/resources/connections/metadata-worker.ts'
import { newServer } from './plain-server.ts'
import type { startTestApp } from './testing.ts'
import { SOON } from './waiting.ts'

type App = Pick<Awaited<ReturnType<typeof startTestApp>>, 'db' | 'seal' | 'app'>

/** A worker of a server that may call this machine. */
export function startReading(t: TestContext, { db, seal, app }: App, { SAML = true } = {}) {
  const config = { BASE_URL: 'https://id.example', CONNECTIONS_ALLOW_PRIVATE: true, SAML }
  const worker = startMetadataWorker({ db, seal, config, log: app.log })
  t.after(() => worker.stop())
  const rowOf = async (id: string) => {
    const [row] = await db
      .select({
        row: connections,
        isDone: sql<boolean>`coalesce(next_attempt_at > now() + interval '20 minutes', true)`,
      })
      .from(connections)
      .where(eq(connections.id, id))
    return { ...row!.row, isDone: row!.isDone && row!.row.leasedUntil === null }
  }
  /** Waits until the reading that is due is done. */
  const result = (id: string) =>
    t.waitFor(async () => {
      const row = await rowOf(id)
      if (!row.isDone) throw new Error('it is still read')
      return row
    }, SOON)
  const makeDue = (id: string) =>
    db
      .update(connections)
      .set({ nextAttemptAt: sql`now()`, metadataReadAt: null, leasedUntil: null })
      .where(eq(connections.id, id))
  /** Has the connection read now, however often. */
  const readNow = async (id: string) => {
    await makeDue(id)
    return result(id)
  }
  return { worker, rowOf, result, makeDue, readNow }
}

/** A server with one document, or with the answer of the test. `asked`: the number of requests. */
export async function startMetadata(t: TestContext, document = '') {
  const served: { document: string; answer: RequestListener; asked: number; url: string } = {
    document,
    answer: (_, response) => void response.end(served.document),
    asked: 0,
    url: '',
  }
  const origin = await newServer(t, (request, response) => {
    served.asked += 1
    served.answer(request, response)
  })
  served.url = `${origin}/metadata`
  return served
}

/** A test reader of /admin/events/stream. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AdminClient } from './http.ts'
import { SOON } from './waiting.ts'

type ReceivedEvent = {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
  cursor: string
  at: number
}

export type EventReader = {
  status: number
  headers: IncomingHttpHeaders
  events: ReceivedEvent[]
  /** The raw text received. */
  text(): string
  /** The cursor of the last event or of the stream. */
  cursor(): string
  /** Waits up to 60 s for `count` events. */
  until(count: number): Promise<ReceivedEvent[]>
  /** Resolves when the server ends the stream: `done`, or `cut` if the connection broke. */
  ended: Promise<'done' | 'cut'>
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  close(): void
}

export async function openEventStream(
  url: string,
  token: string,
  { query = '', lastEventId }: { query?: string; lastEventId?: string } = {},
): Promise<EventReader> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
  // `fetch` is not used: aborting it opens another idle connection, which delays the stop of a server.
  const asked = get(`${url}/admin/events/stream${query}`, { headers, agent: false })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const state = { text: '', rest: '', cursor: '', resumed: Promise.resolve() }
  let resume = () => {}
  const events: ReceivedEvent[] = []
  let more = Promise.withResolvers<void>()

  function take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    state.cursor = fields.get('id') ?? state.cursor
    const data = fields.get('data')
    if (data !== undefined) events.push({ ...JSON.parse(data), cursor: state.cursor, at: performance.now() })
  }

  async function read(): Promise<'done' | 'cut'> {
    try {
      for await (const text of response.setEncoding('utf8')) {
        await state.resumed
        state.text += text
        const blocks = (state.rest + text).split('\n\n')
        state.rest = blocks.pop()!
        for (const block of blocks) take(block)
        more.resolve()
        more = Promise.withResolvers()
      }
      return 'done'
    } catch {
      return 'cut'
    }
  }
  const ended = read()

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    text: () => state.text,
    cursor: () => state.cursor,
    async until(count) {
      const late = AbortSignal.timeout(SOON.timeout)
      const lost = new Promise<never>((_, reject) => {
        late.onabort = () =>
          reject(new Error(`${events.length} of ${count} events came: ${events.map(({ type }) => type)}`))
      })
      while (events.length < count) await Promise.race([more.promise, lost])
      late.onabort = null
      return events
    },
    ended,
    pause() {
      state.resumed = new Promise((resolve) => {
        resume = resolve
      })
    },
    resume: () => resume(),
    close: () => void response.destroy(),
  }
}

/** The cursor of the end of the log. */
export async function endOfLog(url: string, token: string): Promise<string> {
  const reader = await openEventStream(url, token)
  while (!reader.cursor()) await new Promise((passed) => setTimeout(passed, 5))
  reader.close()
  return reader.cursor()
}

export type LoggedEvent = {
  id: string
  type: string
  timestamp: string
  data: Record<string, { id: string }>
}

/**
 * The events that a client reads from a cursor to the end of the log, page by page. A page looks through a
 * part of the whole log, so that it may have none of the client. `query`: further parameters, from `&` on.
 */
export async function readEvents(
  client: AdminClient,
  after = '',
  query = '',
  limit = 100,
): Promise<{ rows: LoggedEvent[]; next: string }> {
  const rows: LoggedEvent[] = []
  for (let next = after; ; ) {
    const { status, body } = await client.get(`/admin/events?after=${next}&limit=${limit}${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    rows.push(...body.data)
    next = body.next
    if (!body.more) return { rows, next }
  }
}

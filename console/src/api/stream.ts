/** Server-sent events (WHATWG HTML, section 9.2), by fetch: an EventSource cannot send the context. */
import { type ContextKey, openStream } from './call.ts'
import { Problem } from './problem.ts'

export type StreamState = 'open' | 'lost'

type Handlers<Event> = { onEvent: (event: Event) => void; onState: (state: StreamState) => void }

/** 2 s, in ms. */
const RETRY = 2_000

/**
 * Follows a stream until `signal` ends it. A lost connection is opened again after the last event, so that
 * none is missed; a refused one is not.
 */
export async function follow<Event>(
  context: ContextKey,
  path: string,
  signal: AbortSignal,
  { onEvent, onState }: Handlers<Event>,
): Promise<void> {
  let last: string | undefined
  while (!signal.aborted) {
    try {
      const query =
        last === undefined ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(last)}`
      const response = await openStream(context, path + query, signal)
      if (!response.ok || !response.body) throw new Problem(response.status, Object(await response.json()))
      onState('open')
      await readEvents(response.body, (id, data) => {
        last = id ?? last
        if (data !== '') onEvent(JSON.parse(data) as Event)
      })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429)
        throw error
    }
    onState('lost')
    await new Promise((resolve) => setTimeout(resolve, RETRY))
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (id: string | undefined, data: string) => void,
): Promise<void> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const lines = frame.split('\n')
      const field = (name: string) =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim()
      onEvent(field('id'), field('data') ?? '')
    }
  }
}

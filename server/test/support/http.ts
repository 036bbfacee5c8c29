/** HTTP responses in tests, and a client of the admin API. */

/** The parsed body of a response. */
export type Body = ReturnType<typeof JSON.parse>
export type Answer = { status: number; headers: Headers; body: Body }

/** Internals that no response may contain: stacks and SQL. */
const LEAK = /\n\s+at .+:\d+:\d+|node_modules|Failed query|\b(select|insert into|update|delete from) "/i

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  if (LEAK.test(text)) throw new Error(`a response contains internals: ${text.slice(0, 500)}`)
  const json = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text === '' ? undefined : text,
  }
}

/** An HTTP client of the admin API with a token. */
export function adminClient(url: string, token: string) {
  const call =
    (method: string) =>
    async (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      const sent = body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      return answerOf(
        await fetch(url + path, {
          method,
          redirect: 'manual',
          headers: { authorization: `Bearer ${token}`, ...type, ...headers },
          ...sent,
        }),
      )
    }
  const get = call('GET')
  return {
    token,
    get: (path: string, headers?: Record<string, string>) => get(path, undefined, headers),
    post: call('POST'),
    patch: call('PATCH'),
    put: call('PUT'),
    delete: call('DELETE'),
  }
}

export type AdminClient = ReturnType<typeof adminClient>

export const expectStatus = (answer: Answer, status: number): Answer => {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** The status and the OAuth error of a response. */
export const gist = ({ status, body }: Answer) => [status, body?.error]

/** The fields that a response says are invalid. */
export const pathsOf = ({ body }: Answer): string[] => body.errors?.map(({ path }: { path: string }) => path)

export const statusAndPaths = (answer: Answer) => [answer.status, pathsOf(answer)]

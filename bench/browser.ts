/**
 * One kept-alive connection with the cookies of one browser. It reads no more of a response than requested.
 */
import { Client } from 'undici'

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: string }
export type Browser = ReturnType<typeof openBrowser>

type Request = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string }

function send(client: Client, request: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answer: Answer = { status: 0, headers: {}, body: '' }
    const chunks: Buffer[] = []
    client.dispatch(
      { ...request, body: request.body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          answer.status = status
          answer.headers = headers
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          answer.body = chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks).toString()
          resolve(answer)
        },
        onResponseError(_controller, error) {
          reject(error)
        },
      },
    )
  })
}

/**
 * `origin`: the address to connect to; `issuer`: the public URL, with which redirects begin. Each browser has
 * a network of its own, as users have: of more than eight browsers of one network, the others share one part.
 */
export function openBrowser({ origin, issuer }: { origin: string; issuer: string }, number: number) {
  const client = new Client(origin, { pipelining: 1, localAddress: `127.${1 + number}.0.1` })
  const host = new URL(issuer).host
  const jar = new Map<string, { pair: string; path: string }>()

  function keep(given: string | string[] | undefined): void {
    for (const line of given === undefined ? [] : [given].flat()) {
      const [pair = '', ...attributes] = line.split('; ')
      const name = pair.slice(0, pair.indexOf('='))
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
      if (line.includes('01 Jan 1970')) jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { pair, path })
    }
  }

  function cookiesFor(path: string): Record<string, string> {
    const pairs = []
    for (const cookie of jar.values())
      if (cookie.path === '/' || path.startsWith(cookie.path)) pairs.push(cookie.pair)
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') }
  }

  async function request(request: Request): Promise<Answer> {
    const answer = await send(client, { ...request, headers: { host, ...request.headers } })
    keep(answer.headers['set-cookie'])
    return answer
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    request({ method: 'GET', path, headers })
  const post = (
    path: string,
    fields: Record<string, string> | URLSearchParams,
    headers: Record<string, string> = {},
  ) =>
    request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  return {
    get,
    post,
    postJson: (path: string, body: object, headers: Record<string, string>) =>
      request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    /** A form as a browser submits it. */
    open: (path: string) => get(path, { accept: 'text/html', ...cookiesFor(path) }),
    submit: (path: string, fields: URLSearchParams) =>
      post(path, fields, { accept: 'text/html', origin: issuer, ...cookiesFor(path) }),
    cookies: cookiesFor,
    /** Signs out, but keeps the cookie of a known browser. */
    forgetSession() {
      for (const key of jar.keys()) if (/session/.test(key)) jar.delete(key)
    },
    close: () => client.close(),
  }
}

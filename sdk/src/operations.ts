/**
 * The operations of the admin API, typed by docs/openapi.json, and their requests. The client of an
 * application sends them with tokens; the console sends them with the cookie of the browser.
 */
import type { paths } from './api.ts'

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]
/** The paths that have an operation with a method. */
export type AdminPath<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never
}[keyof paths]
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined
type Field<Name extends string, T> = undefined extends T ? { [K in Name]?: T } : { [K in Name]: T }
/** What an operation is given. */
export type Given<O> = O extends { parameters: { path?: unknown; query?: unknown }; requestBody?: unknown }
  ? Field<'path', O['parameters']['path']> &
      Field<'query', O['parameters']['query']> &
      Field<'body', Content<O['requestBody']>> & { headers?: Record<string, string>; signal?: AbortSignal }
  : never
/** The body of its response. */
export type Answer<O> = O extends { responses: infer R }
  ? Content<R[keyof R & (200 | 201 | 202 | 204)]>
  : never
type Arguments<O> = Record<string, never> extends Given<O> ? [given?: Given<O>] : [given: Given<O>]

type Page = { data: unknown[]; nextCursor: string | null }
/** The paths of the lists with pages. */
export type ListPath = {
  [P in AdminPath<'get'>]: Answer<paths[P]['get']> extends Page ? P : never
}[AdminPath<'get'>]
/** An item of a list. */
export type Item<P extends ListPath> =
  Answer<paths[P]['get']> extends { data: (infer T)[]; nextCursor: string | null } ? T : never

/**
 * Every operation of the admin API: `admin.get(path, { path, query, body, headers })`, typed by
 * docs/openapi.json.
 */
export type Admin = {
  [M in Method]: <P extends AdminPath<M>>(
    path: P,
    ...given: Arguments<paths[P][M]>
  ) => Promise<Answer<paths[P][M]>>
} & {
  /**
   * The items of all pages of a list, each once, even if others are added or deleted meanwhile. Reads the
   * next page by its cursor when its first item is asked for.
   */
  each: <P extends ListPath>(path: P, ...given: Arguments<paths[P]['get']>) => AsyncGenerator<Item<P>, void>
}

export type Call = {
  path?: object
  query?: object
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

type Send = (method: Method, path: string, given?: Call) => Promise<unknown>

/** The operations as functions that send a request. */
export const adminOf = (request: Send) =>
  ({
    ...Object.fromEntries(
      METHODS.map((method) => [method, (path: string, given?: Call) => request(method, path, given)]),
    ),
    each: (path: string, given?: Call) => eachOf(request, path, given),
  }) as Admin

/** The greatest page of a list. */
const PAGE_SIZE = 100

async function* eachOf(request: Send, path: string, given: Call = {}): AsyncGenerator<unknown, void> {
  let query: Record<string, unknown> = { pageSize: PAGE_SIZE, ...given.query }
  while (true) {
    const { data, nextCursor } = (await request('get', path, { ...given, query })) as Page
    yield* data
    if (nextCursor === null) return
    query = { ...query, page: undefined, cursor: nextCursor }
  }
}

/** Makes the error of a request. `status` is 0 without a response. */
export type ToError = (
  status: number,
  body: Record<string, unknown>,
  options: ErrorOptions & { retryAfter?: number; maxAge?: number },
) => Error

/** Fetches a response. One that is not ok, or none, is an error with the body of the problem (RFC 9457). */
export async function fetchOk(address: string, init: RequestInit, toError: ToError): Promise<Response> {
  const response = await fetch(address, init).catch((cause) => {
    throw toError(0, {}, { cause })
  })
  if (response.ok) return response
  const problem = await response.json().catch(() => ({}))
  const retryAfter = Number(response.headers.get('retry-after'))
  const maxAge = /max_age=(\d+)/.exec(response.headers.get('www-authenticate') ?? '')?.[1]
  throw toError(response.status, Object(problem), {
    ...(retryAfter > 0 && { retryAfter }),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
  })
}

/** Parses a body, which may be truncated or come from a proxy; undefined if there is none. */
export async function jsonOf(response: Response, toError: ToError): Promise<unknown> {
  if (response.status === 204) return undefined
  return response.json().catch((cause) => {
    throw toError(cause instanceof SyntaxError ? response.status : 0, {}, { cause })
  })
}

/** The path of an operation with its parameters: `/admin/users?page=2`. */
export function addressOf(template: string, { path = {}, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    segment(name, (path as Record<string, unknown>)[name]),
  )
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  const search = new URLSearchParams(pairs.filter(([, value]) => value !== 'undefined'))
  return `${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** A path parameter, encoded. Rejects values that would change the path. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`\`${name}\` is not a valid path parameter.`)
  return encodeURIComponent(value)
}

/** The request of an operation, without credentials. */
export function requestOf(method: Method, template: string, call: Call) {
  const { body, headers } = call
  const isImage = body instanceof Uint8Array
  const type = isImage ? 'image/png' : 'application/json'
  const init = {
    method: method.toUpperCase(),
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body: isImage ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
  }
  return { address: addressOf(template, call), init }
}

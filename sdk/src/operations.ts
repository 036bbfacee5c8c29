/** The types of the operations of the admin API, by docs/openapi.json. */
import type { paths } from './api.ts'

export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]
type AdminPath<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined
type Field<Name extends string, T> = undefined extends T ? { [K in Name]?: T } : { [K in Name]: T }
type Given<O> = O extends { parameters: { path?: unknown; query?: unknown }; requestBody?: unknown }
  ? Field<'path', O['parameters']['path']> &
      Field<'query', O['parameters']['query']> &
      Field<'body', Content<O['requestBody']>> & { headers?: Record<string, string>; signal?: AbortSignal }
  : never
type Answer<O> = O extends { responses: infer R } ? Content<R[keyof R & (200 | 201 | 202 | 204)]> : never
type Arguments<O> = Record<string, never> extends Given<O> ? [given?: Given<O>] : [given: Given<O>]

/**
 * Every operation of the admin API: `admin.get(path, { path, query, body, headers })`, typed by
 * docs/openapi.json.
 */
export type Admin = {
  [M in Method]: <P extends AdminPath<M>>(
    path: P,
    ...given: Arguments<paths[P][M]>
  ) => Promise<Answer<paths[P][M]>>
}

export type Call = {
  path?: object
  query?: object
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The operations as functions that send a request. */
export const adminOf = (request: (method: Method, path: string, given?: Call) => Promise<unknown>) =>
  Object.fromEntries(
    METHODS.map((method) => [method, (path: string, given?: Call) => request(method, path, given)]),
  ) as Admin

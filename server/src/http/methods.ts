/** HTTP methods (RFC 9110 section 9). */
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** GET and HEAD, which gets the same response without its body. */
export const isRead = ({ method }: { method: string }): boolean => method === 'GET' || method === 'HEAD'

/**
 * For 405 with `Allow` (RFC 9110 sections 9.3.7 and 15.5.6). Returns the methods of the path of a request,
 * and none if no route has this path. Of several patterns that match, the one with the first literal segment
 * counts: `/users/import` is not a `/users/:userId`.
 */
export function allowedMethods(app: FastifyInstance): (request: Pick<FastifyRequest, 'url'>) => string[] {
  let paths: { matcher: RegExp; methods: string[] }[] | undefined
  return ({ url }) => {
    paths ??= [...Map.groupBy(app.declared, (route) => route.url)]
      .sort(([one], [other]) => (sortKey(one) < sortKey(other) ? -1 : 1))
      .map(([pattern, routes]) => ({
        matcher: matcherOf(pattern),
        methods: [...new Set(['OPTIONS', ...routes.map(({ method }) => method)])].sort(),
      }))
    const [path = ''] = url.split('?')
    return paths.find(({ matcher }) => matcher.test(path))?.methods ?? []
  }
}

/** Sorts a parameter after every literal segment. */
const sortKey = (pattern: string) => pattern.replace(/:\w+/g, '\uffff')

/** `/users/:userId` matches `/users/x`. */
const matcherOf = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)

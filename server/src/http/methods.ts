/**
 * Requests whose path is known but whose method is not: 405 with `Allow` (RFC
 * 9110 sections 9.3.7 and 15.5.6).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** GET and HEAD, which gets the same response without its body. */
export const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** The methods of the path of a request, and none if no route has this path. */
export function allowedMethods(app: FastifyInstance): (request: FastifyRequest) => string[] {
  let paths: [RegExp, Set<string>][] | undefined
  return ({ url }) => {
    paths ??= [...Map.groupBy(app.declared, (route) => route.url)].map(([pattern, routes]) => [
      matcherOf(pattern),
      new Set(routes.map(({ method }) => method)),
    ])
    const [path = ''] = url.split('?')
    const methods = new Set(paths.flatMap(([matcher, each]) => (matcher.test(path) ? [...each] : [])))
    return methods.size === 0 ? [] : [...methods.add('OPTIONS')].sort()
  }
}

/** `/users/:userId` matches `/users/x`. */
const matcherOf = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)

/**
 * The files of the console, which Vite builds into console/dist. A browser loads `index.html` for every page
 * of it; the names of the other files contain a hash of their content.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const DIST = join(import.meta.dirname, '../../../console/dist')
const PAGE = join(DIST, 'index.html')

/**
 * No inline script or style, and no string becomes code or markup (Trusted Types). Images can be the logos of
 * systems at any https address.
 */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: https:",
  "worker-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';')

const SCHEMA = { hide: true }
const PUBLIC = { authority: 'public' } as const

/** The pages and their files. */
export async function serveFiles(app: FastifyInstance): Promise<void> {
  if (!existsSync(PAGE)) app.log.warn('The console has no pages. To build them: npm run build -w console')
  await app.register(staticFiles, {
    root: DIST,
    serve: false,
    preCompressed: true,
    suppressWarning: true, // that the folder is missing: the line above says it
  })
  app.get<{ Params: { '*': string } }>(
    '/console/assets/*',
    { config: PUBLIC, schema: SCHEMA },
    (request, reply) =>
      reply.sendFile(`assets/${request.params['*']}`, DIST, {
        immutable: true,
        maxAge: '365d',
      }),
  )
  const sendPage = (reply: FastifyReply) =>
    existsSync(PAGE)
      ? reply
          .header('content-security-policy', POLICY)
          .header('referrer-policy', 'same-origin')
          .header('cache-control', 'no-cache')
          .sendFile('index.html', DIST, { cacheControl: false })
      : reply.callNotFound()
  app.get('/console', { config: PUBLIC, schema: SCHEMA }, (_request, reply) => sendPage(reply))
  app.get<{ Params: { '*': string } }>('/console/*', { config: PUBLIC, schema: SCHEMA }, (request, reply) =>
    /^api(\/|$)/.test(request.params['*']) ? reply.callNotFound() : sendPage(reply),
  )
}

/** `/docs/guide`: the documentation pages of the repository, without a request to another server. */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { installationName } from '../config/installation-name.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { answerPageFailures } from '../ui/pages/page-failures.ts'
import { type Library, ROOT, readLibrary } from './library.ts'
import type { RenderPage } from './markdown.ts'
import { GUIDE_STYLE, guidePage } from './pages.ts'

/** An hour: the files change only with the version of the service. */
const KEPT = 'public, max-age=3600'
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const TYPES: Record<string, string> = { '.jpg': 'image/jpeg', '.png': 'image/png', '.svg': 'image/svg+xml' }

const HIDDEN = { config: { authority: 'public' }, schema: { hide: true } } as const
const NAMED = {
  ...HIDDEN,
  schema: { hide: true, params: Type.Object({ name: Type.String({ maxLength: 100 }) }) },
} as const

type Parts = { db: Db; seal: Seal; config: Config }
type Shelf = { library: Library; renderPage: RenderPage }

/** Read at the first request: the library and the names of all pages are for the guide only. */
async function openShelf(): Promise<Shelf> {
  const library = readLibrary()
  const { rendererOf } = await import('./markdown.ts')
  return { library, renderPage: rendererOf(library) }
}

export const guideRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  answerPageFailures(app, parts)
  let opening: Promise<Shelf> | undefined
  const open = () => {
    opening ??= openShelf().catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const pages = new Map<string, string>()
  const pageOf = async (name: string): Promise<string> => {
    const known = pages.get(name)
    if (known !== undefined) return known
    const { library, renderPage } = await open()
    const path = library.pages.get(name)
    if (path === undefined) throw new Failure('not_found')
    const rendered = renderPage(await readFile(join(ROOT, path), 'utf8'), path)
    const { CONSOLE: hasConsole } = parts.config
    const frame = { name: installationName(parts.config), hasConsole, sections: library.sections }
    const page = guidePage(rendered, name, frame)
    pages.set(name, page)
    return page
  }
  const send = (reply: FastifyReply, page: string) =>
    reply
      .header('content-security-policy', POLICY)
      .header('cache-control', KEPT)
      .type('text/html; charset=utf-8')
      .send(page)

  app.get('/docs/guide', HIDDEN, async (_request, reply) => send(reply, await pageOf('')))

  app.get('/docs/guide/:name', NAMED, async ({ params: { name } }, reply) => send(reply, await pageOf(name)))

  app.get('/docs/guide/images/:name', NAMED, async ({ params: { name } }, reply) => {
    const path = (await open()).library.images.get(name)
    if (path === undefined) throw new Failure('not_found')
    return reply
      .header('cache-control', KEPT)
      .type(TYPES[extname(path)]!)
      .send(await readFile(join(ROOT, path)))
  })

  app.get('/docs/guide/guide.css', HIDDEN, (_request, reply) =>
    reply.header('cache-control', KEPT).type('text/css').send(GUIDE_STYLE),
  )
}

/**
 * The page at `/`, the page of errors after forms, and the stylesheets and scripts of all pages. The URLs of
 * stylesheets and scripts contain a hash, so browsers cache them for a year.
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { installationName } from '../config/installation-name.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import { languageOf } from '../http/language.ts'
import { brandCss } from '../texts/brand.ts'
import { pagePolicy, scripts, stylesheets } from '../ui/layout.ts'
import { homePage } from '../ui/pages/home.ts'
import { answerPageFailures, ERROR_PATH, sendShownError } from '../ui/pages/page-failures.ts'
import { brandUrl } from '../ui/paint.ts'

const FOREVER = 'public, max-age=31536000, immutable'

type Parts = { db: Db; seal: Seal; config: Config }

export const assetRoutes: FastifyPluginAsyncTypebox<Parts> = async (app, parts) => {
  const config = { authority: 'public' } as const
  answerPageFailures(app, parts)

  app.get('/', { config }, (request, reply) =>
    reply
      .header('content-security-policy', pagePolicy({ forms: 'own' }))
      .type('text/html; charset=utf-8')
      .send(
        homePage({
          locale: languageOf(request),
          hasConsole: parts.config.CONSOLE,
          name: installationName(parts.config),
        }),
      ),
  )

  app.get(ERROR_PATH, { config, schema: { hide: true } }, (request, reply) =>
    sendShownError(parts, request, reply),
  )

  // A Well-Known URL for Changing Passwords (W3C): password managers open it.
  app.get('/.well-known/change-password', { config, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/account/password', 302),
  )

  for (const { url, content } of Object.values(stylesheets))
    app.get(url, { config }, (_request, reply) =>
      reply.header('cache-control', FOREVER).type('text/css').send(content),
    )

  for (const { url, content } of scripts)
    app.get(url, { config }, (_request, reply) =>
      reply.header('cache-control', FOREVER).type('text/javascript').send(content),
    )

  app.get(
    '/assets/brand-:color.css',
    { config, schema: { params: Type.Object({ color: Type.String({ pattern: '^[0-9a-f]{6}$' }) }) } },
    (request, reply) => {
      const css = brandCss(`#${request.params.color}`)
      if (css === undefined) throw new Failure('not_found')
      const named = request.url === brandUrl(`#${request.params.color}`)
      return reply
        .header('cache-control', named ? FOREVER : 'public, max-age=3600')
        .type('text/css')
        .send(css)
    },
  )
}

/**
 * The language of a page: the one that the person chose at the foot of a page, else what the application and
 * the browser ask for.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Config } from '../config/config.ts'
import { LANGUAGE_NAMES, type Locale, localeOf } from '../texts/texts.ts'
import { cookieAttributes, cookieName, isSameOrigin } from './forms-and-cookies.ts'
import { oneOf } from './schemas.ts'

const LOCALES = Object.keys(LANGUAGE_NAMES) as Locale[]
const CHOSEN = new RegExp(`(?:^|;\\s*)(?:__Host-|_)language=(${LOCALES.join('|')})(?=;|$)`)

/** 1 year, in seconds. */
const LASTS = 31_536_000

/** The language that was chosen in this browser. The cookie is no secret and opens nothing. */
export const chosenLanguage = (cookies: string | undefined): Locale | undefined =>
  CHOSEN.exec(cookies ?? '')?.[1] as Locale | undefined

/** `wanted`: `ui_locales` of the application, or the language of the user's profile. */
export const languageOf = ({ headers }: { headers: IncomingHttpHeaders }, wanted?: string): Locale =>
  chosenLanguage(headers.cookie) ?? localeOf(wanted, headers['accept-language'])

/**
 * The path and query of the page with the link, by its `Referer`, which our pages send to us only
 * (Referrer-Policy: same-origin); `/` for one that has none. The path has one slash at its start: a browser
 * takes `//evil.example` for another host (RFC 3986 section 4.2), and our page of unknown addresses can have
 * such a path.
 */
function pageOf(referer: string | undefined, baseUrl: string): string {
  const page = URL.parse(referer ?? '')
  return page && page.origin === new URL(baseUrl).origin
    ? page.pathname.replace(/^\/+/, '/') + page.search
    : '/'
}

/**
 * A link sets it, not a form: a preference opens nothing, and the forms of a page remain those of its flow.
 */
export const languageRoutes: FastifyPluginAsyncTypebox<{ config: Config }> = async (app, { config }) => {
  app.get(
    '/language/:language',
    {
      config: { authority: 'public' },
      schema: { hide: true, params: Type.Object({ language: oneOf(LOCALES) }) },
    },
    (request, reply) => {
      if (isSameOrigin(request, config.BASE_URL))
        reply.setCookie(cookieName(config, '__Host-', 'language'), request.params.language, {
          ...cookieAttributes(config, '/'),
          maxAge: LASTS,
        })
      return reply.redirect(pageOf(request.headers.referer, config.BASE_URL), 303)
    },
  )
}

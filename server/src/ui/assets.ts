/** The stylesheets and scripts of the pages, and the Content-Security-Policy that allows nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brandCss, hexOf, logoOrigin } from './brand.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const content = read('assets/style.css')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12)
const hash = hashOf(content)

/** The URL contains a hash of the content, so that it can be cached without expiry. */
export const stylesheet = { content, hash, url: `/assets/style-${hash}.css` } as const

const scriptOf = (name: string, mark: string) => {
  const content = read(`assets/${name}.js`)
  return { content, url: `/assets/${name}-${hashOf(content)}.js`, mark } as const
}

/**
 * A page loads a script if its HTML contains the `mark`. Displayed text cannot contain it, because quotes are
 * escaped.
 */
export const scripts = [
  scriptOf('passkey', ' data-passkey="'),
  scriptOf('reveal', ' class="reveal"'),
] as const

export const scriptsOf = (page: string) => scripts.filter(({ mark }) => page.includes(mark))

/**
 * The URL of the stylesheet for a color (brand.ts), with a hash of its content; undefined without a valid
 * color.
 */
export function brandUrl(color: string | undefined): string | undefined {
  const css = color && brandCss(color)
  return css ? `/assets/brand-${hexOf(color)}.css?v=${hashOf(css)}` : undefined
}

/**
 * The Content-Security-Policy of a page. `formOrigins`: other origins to which a form may lead. Browsers
 * apply form-action to redirects after a form as well, so it must contain the origin of the client's
 * redirect_uri. `data:` allows the empty icon, which avoids a request for /favicon.ico.
 */
export function pagePolicy({
  logoUrl,
  formOrigins = [],
  page = '',
}: {
  logoUrl?: string | undefined
  formOrigins?: readonly string[]
  /** The HTML of the page, if it may load scripts. */
  page?: string
}): string {
  const images = ["'self'", 'data:', logoOrigin(logoUrl)].filter((source) => source !== undefined)
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(scriptsOf(page).length > 0 ? ["script-src 'self'"] : []),
    `img-src ${images.join(' ')}`,
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** The origin of a redirect_uri, or its scheme if it is a private one, for `formOrigins`. */
export function redirectOrigins(redirectUri: string | undefined): string[] {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  if (!url) return []
  return [url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol]
}

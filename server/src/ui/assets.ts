/** The files the pages load, and the policy that lets them load nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brandCss, hexOf, logoOrigin } from './brand.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const content = read('assets/style.css')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12)
const hash = hashOf(content)

/** Its address changes with its content, so it may be kept for ever. */
export const stylesheet = { content, hash, url: `/assets/style-${hash}.css` } as const

const scriptOf = (name: string, mark: string) => {
  const content = read(`assets/${name}.js`)
  return { content, url: `/assets/${name}-${hashOf(content)}.js`, mark } as const
}

/** Each is loaded by the pages that have its mark. No text that is shown can hold one, since quotes are escaped. */
export const scripts = [
  scriptOf('passkey', ' data-passkey="'),
  scriptOf('reveal', ' class="reveal"'),
] as const

export const scriptsOf = (page: string) => scripts.filter(({ mark }) => page.includes(mark))

/** The address of a colour's stylesheet (brand.ts), with its content's hash; undefined without a colour, or when it is none. */
export function brandUrl(color: string | undefined): string | undefined {
  const css = color && brandCss(color)
  return css ? `/assets/brand-${hexOf(color)}.css?v=${hashOf(css)}` : undefined
}

/**
 * The Content-Security-Policy of a page. `formOrigins`: where a form may end up, beside ourselves; browsers hold
 * form-action against every redirect after a form too, so it needs the origin of the client's redirect_uri.
 * data: is for the empty icon, which spares a request for /favicon.ico.
 */
export function pagePolicy({
  logoUrl,
  formOrigins = [],
  page = '',
}: {
  logoUrl?: string | undefined
  formOrigins?: readonly string[]
  /** Itself, if it may have scripts. */
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

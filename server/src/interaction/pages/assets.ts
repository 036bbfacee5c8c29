/** The files the pages load, and the policy that lets them load nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brandCss, hexOf } from './brand.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const content = read('style.css')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12)
const hash = hashOf(content)

/** Its address changes with its content, so it may be kept for ever. */
export const stylesheet = { content, hash, url: `/assets/style-${hash}.css` } as const

const script = read('passkey.js')
export const passkeyScript = { content: script, url: `/assets/passkey-${hashOf(script)}.js` } as const

/** The address of a colour's stylesheet (brand.ts), with its content's hash; undefined without a colour, or when it is none. */
export function brandUrl(color: string | undefined): string | undefined {
  const css = color && brandCss(color)
  return css ? `/assets/brand-${hexOf(color)}.css?v=${hashOf(css)}` : undefined
}

/** The origin a system's logo comes from; undefined unless its address is https. */
export function logoOrigin(logoUrl: string | undefined): string | undefined {
  if (logoUrl === undefined || !URL.canParse(logoUrl)) return undefined
  const { protocol, origin } = new URL(logoUrl)
  return protocol === 'https:' ? origin : undefined
}

/**
 * The Content-Security-Policy of a page. `formOrigins`: where a form may end up, beside ourselves; browsers hold
 * form-action against every redirect after a form too, so it needs the origin of the client's redirect_uri.
 * data: is for the empty icon, which spares a request for /favicon.ico.
 */
export function pagePolicy({
  logoUrl,
  formOrigins = [],
  script = false,
}: {
  logoUrl?: string | undefined
  formOrigins?: readonly string[]
  /** Whether the page has passkeys. */
  script?: boolean
}): string {
  const images = ["'self'", 'data:', logoOrigin(logoUrl)].filter((source) => source !== undefined)
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(script ? ["script-src 'self'"] : []),
    `img-src ${images.join(' ')}`,
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

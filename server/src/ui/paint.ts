/** The shades of a color, as pages use them. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { brandCss, brandTones, hexOf, type Tones } from '../texts/brand.ts'

type Paint = { light: Tones; sheet: string }

/** Computed for each page, the shades of a color would cost a sign-in a fiftieth of its CPU time. */
const paints = new LRUCache<string, Paint>({ max: 1_000 })

/** That of buttons without a color of the application. */
const DEFAULT_COLOR = '#1c1c21'

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** A valid color (brand.ts) in light mode, and the URL of its stylesheet with a hash of its content. */
function paintOf(color: string): Paint | undefined {
  const known = paints.get(color)
  if (known) return known
  const [tones, css] = [brandTones(color), brandCss(color)]
  if (!tones || !css) return undefined
  const paint = { light: tones.light, sheet: `/assets/brand-${hexOf(color)}.css?v=${hashOf(css)}` }
  paints.set(color, paint)
  return paint
}

/** The URL of the stylesheet for a color; undefined without a valid color. */
export const brandUrl = (color: string | undefined): string | undefined =>
  color ? paintOf(color)?.sheet : undefined

/** The fill of a button in a color, and what is readable on it. */
export const fillOf = (color: string = DEFAULT_COLOR): Tones =>
  (paintOf(color) ?? paintOf(DEFAULT_COLOR)!).light

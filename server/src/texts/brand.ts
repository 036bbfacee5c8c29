/**
 * The branding of a system on pages and in emails: logo, initial and color. Buttons are filled with the color
 * as it is configured; their text is black or white, whichever meets WCAG 2.2 AA (one of them always does).
 * Where the color is used for text, lines or focus rings, it is shaded until its contrast suffices, in light
 * and dark mode.
 */

/** Name and branding of a system. */
export type Brand = {
  name: string
  branding?: { logoUrl?: string; logoDarkUrl?: string; faviconUrl?: string; color?: string }
}

/** The system that an email is from. */
export type BrandedSystem = Brand & { id: string }

type Colour = readonly [red: number, green: number, blue: number]

/** The background of tokens.css with the lower contrast in each mode: the page in light, the card in dark. */
export const SURFACES = { light: '#f6f6f8', dark: '#16161a' } as const

/** Minimum contrast ratios: WCAG 2.2, 1.4.3 for text and 1.4.11 for lines. */
const TEXT = 4.5
const LINE = 3

/** A color whose channels differ by less than this is treated as gray. */
const GREY = 24

/** The six hexadecimal digits, in lower case, of `#rgb` or `#rrggbb`; undefined for anything else. */
export function hexOf(color: string): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color)?.[1]?.toLowerCase()
  return digits?.length === 3 ? digits.replace(/./g, '$&$&') : digits
}

/** The shades of a color on one of the surfaces, as CSS colors. */
export type Tones = { fill: string; hover: string; line: string; text: string; onFill: string; focus: string }

/** The shades of a color in light and dark mode; undefined if it is not a valid color. */
export function brandTones(color: string): { light: Tones; dark: Tones } | undefined {
  const hex = hexOf(color)
  if (!hex) return undefined
  return {
    light: tonesOf(parse(hex), parse(SURFACES.light.slice(1)), -1),
    dark: tonesOf(parse(hex), parse(SURFACES.dark.slice(1)), 1),
  }
}

/** The stylesheet of a color; undefined if it is not a valid color. */
export function brandCss(color: string): string | undefined {
  const tones = brandTones(color)
  return (
    tones &&
    `:root{${properties(tones.light)}}\n@media (prefers-color-scheme:dark){:root{${properties(tones.dark)}}}\n`
  )
}

const properties = ({ fill, hover, line, text, onFill, focus }: Tones) =>
  `--accent:${fill};--accent-hover:${hover};--accent-line:${line};--accent-text:${text};--on-accent:${onFill};--focus:${focus}`

function tonesOf(color: Colour, surface: Colour, towards: 1 | -1): Tones {
  const fill = fillOf(color, surface, towards)
  const onFill = contrast(fill, WHITE) >= TEXT ? WHITE : BLACK
  const text = format(standOut(color, surface, towards, TEXT))
  return {
    fill: format(fill),
    hover: format(hoverOf(fill, onFill === WHITE)),
    line: format(standOut(fill, surface, towards, LINE)),
    text,
    onFill: format(onFill),
    focus: text,
  }
}

/**
 * Away from the color of the text, so that hovering does not lower the contrast. A color that cannot be
 * lighter (`#ffe45c`) is 8 % darker, or nearer to white where black text would not be readable on it.
 */
function hoverOf(fill: Colour, isTextWhite: boolean): Colour {
  const hover = shade(fill, isTextWhite ? -0.14 : 0.14)
  if (format(hover) !== format(fill)) return hover
  const darker = shade(fill, -0.08)
  return contrast(darker, BLACK) >= TEXT ? darker : mix(fill, WHITE, 0.14)
}

/** The origin of a logo; undefined unless its URL is https. CSP has no notation for an IPv6 address. */
export function logoOrigin(logoUrl: string | undefined): string | undefined {
  if (logoUrl === undefined || !URL.canParse(logoUrl)) return undefined
  const { protocol, origin, hostname } = new URL(logoUrl)
  return protocol === 'https:' && !hostname.startsWith('[') ? origin : undefined
}

/** The address of an uploaded image while the issuer is a loopback address. */
const UPLOADED_HERE = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/brand\/[\w-]{43}\.png$/

/** Whether a page or an email may load an image: one of https, or an upload. */
export const isShownImage = (address: string | undefined): address is string =>
  address !== undefined && (logoOrigin(address) !== undefined || UPLOADED_HERE.test(address))

/** The hue of the initials of a person or an organization: the same for an id everywhere, from 1 to 8. */
export function hueOf(id: string): number {
  let sum = 0
  for (const character of id) sum = (sum * 31 + character.codePointAt(0)!) % 65_521
  return (sum % 8) + 1
}

const GRAPHEMES = new Intl.Segmenter()

/** The first letter, digit or emoji of a name, as a whole grapheme. */
export function initialOf(name: string): string {
  let first = ''
  for (const { segment } of GRAPHEMES.segment(name)) {
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment.toUpperCase()
    first ||= segment
  }
  return first.toUpperCase()
}

/**
 * The fill of buttons: a gray without contrast is inverted (black becomes white in dark mode), a dark color
 * is lightened in dark mode.
 */
function fillOf(color: Colour, surface: Colour, towards: 1 | -1): Colour {
  if (contrast(color, surface) >= LINE) return color
  if (Math.max(...color) - Math.min(...color) < GREY) return towards === 1 ? [237, 237, 240] : [24, 24, 27]
  return towards === 1 ? standOut(color, surface, towards, LINE) : color
}

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

/** The nearest shade with the given contrast; black or white always has it. */
function standOut(color: Colour, surface: Colour, towards: 1 | -1, ratio: number): Colour {
  for (let step = 0; step < 100; step++) {
    const shaded = shade(color, (towards * step) / 100)
    if (contrast(shaded, surface) >= ratio) return shaded
  }
  return towards === 1 ? WHITE : BLACK
}

/**
 * `amount`: -1 is black, 0 the color, 1 white. Lightening first keeps the saturation, then fades to white.
 */
function shade(color: Colour, amount: number): Colour {
  if (amount <= 0) return mix(color, BLACK, -amount)
  const brightest = 255 / Math.max(1, ...color)
  const vivid: Colour = [color[0] * brightest, color[1] * brightest, color[2] * brightest]
  return amount <= 0.5 ? mix(color, vivid, amount * 2) : mix(vivid, WHITE, amount * 2 - 1)
}

function mix(one: Colour, other: Colour, share: number): Colour {
  const channel = (index: 0 | 1 | 2) => Math.round(one[index] + (other[index] - one[index]) * share)
  return [channel(0), channel(1), channel(2)]
}

/** WCAG 2.2, definition of contrast ratio: 1 to 21. */
function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((first, second) => first - second)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Colour): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const parse = (hex: string): Colour => [
  Number.parseInt(hex.slice(0, 2), 16),
  Number.parseInt(hex.slice(2, 4), 16),
  Number.parseInt(hex.slice(4, 6), 16),
]

const format = (color: Colour) => `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`

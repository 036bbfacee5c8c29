/**
 * The HTML document of every page, and the card of the sign-in pages with the logo of the system. Stylesheets
 * and scripts, and the Content-Security-Policy that allows nothing else.
 */
import { readFileSync } from 'node:fs'
import type { FootLinks } from '../resources/systems/application.ts'
import { initialOf, isShownImage, logoOrigin } from '../texts/brand.ts'
import type { Message } from '../texts/message.ts'
import { LANGUAGE_NAMES, LANGUAGE_TAGS, type Locale, textsOf } from '../texts/texts.ts'
import { letterImage } from './avatar.ts'
import { bdi, type Content, fill, fillPlain, type Html, html, raw, render, withoutControls } from './html.ts'
import { icons } from './icons.ts'
import { brandUrl, hashOf } from './paint.ts'

/**
 * An application on a page, or the installation (look.ts). The logo is shown if its URL is https, the color
 * if it is `#rgb` or `#rrggbb`.
 */
export type SystemLook = {
  name: string
  logoUrl?: string | undefined
  /** Instead of it in dark mode. */
  logoDarkUrl?: string | undefined
  faviconUrl?: string | undefined
  color?: string | undefined
  /** Links at the foot of the page. */
  links?: FootLinks
  /** The place where a user continues at the end of a flow: by default, their own pages. */
  next?: string | undefined
}

export type EndTone = 'good' | 'wait' | 'bad' | 'plain'

type Page = {
  locale: Locale
  system?: SystemLook | undefined
  /** Shown instead of the logo when no system is known. */
  icon?: Html
  /** The page is the end of a flow: its icon is shown in this tone, below the name of the application. */
  end?: EndTone | undefined
  lead?: Content
  body?: Content
  /** Whether the page reports an error; the title then begins with it (WCAG technique G199). */
  faulty?: boolean
}

/** A heading with the values of its placeholders, if it has some. */
export type Heading<Name extends string> = { heading: Message<Name>; names: Readonly<Record<Name, string>> }
export type PlainHeading = { heading: Message<never>; names?: undefined }

/** Checks the names of a heading whose text depends on a condition. */
export const headed = <Name extends string>(
  heading: Message<Name>,
  names: Readonly<Record<Name, string>>,
): Heading<string> => ({ heading, names })

/** A heading that is a name from outside. */
export const nameAsHeading = (name: string): Heading<string> => ({
  heading: '{name}' as unknown as Message<'name'>,
  names: { name },
})

export function layout<Name extends string>(page: Page & Heading<Name>): string
export function layout(page: Page & PlainHeading): string
export function layout({
  locale,
  system,
  icon,
  end,
  heading,
  names = {},
  lead,
  body,
  faulty = false,
}: Page & (Heading<string> | PlainHeading)): string {
  // The title always names the system, to tell browser tabs apart.
  const within = names.system === undefined ? system?.name : undefined
  return documentOf({
    locale,
    system,
    title: titleOf({ locale, heading, names, within, faulty }),
    body: html`<body>
<main class="card">
${headOf({ system, icon, end })}
<h1 id="heading">${headingOf(heading, names)}</h1>
${lead && html`<p class="lead">${lead}</p>`}
${body}
</main>`,
  })
}

type Names = Readonly<Record<string, string>>

export const headingOf = (heading: Message<string>, names: Names = {}): Html =>
  fill(heading, Object.fromEntries(Object.entries(names).map(([key, name]) => [key, bdi(name)])))

type Title = {
  locale: Locale
  heading: Message<string>
  names?: Names | undefined
  /** The application or organization of the page. */
  within: string | undefined
  faulty: boolean
}

export function titleOf({ locale, heading, names = {}, within, faulty }: Title): string {
  const own = fillPlain(heading, names)
  const title = within === undefined ? own : `${own} – ${withoutControls(within)}`
  return faulty ? `${textsOf(locale).errorPrefix}: ${title}` : title
}

type Document = {
  locale: Locale
  system?: SystemLook | undefined
  title: string
  /** The page has a navigation. */
  isFramed?: boolean
  /** Begins with the tag of the body. */
  body: Html
}

/** The foot follows the body. */
export function documentOf({ locale, system, title, isFramed = false, body }: Document): string {
  const brand = brandUrl(system?.color)
  const inside = render(body)
  return render(html`<!doctype html>
<html lang="${LANGUAGE_TAGS[locale]}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${iconOf(system)}" referrerpolicy="no-referrer">
<link rel="stylesheet" href="${stylesheets.style.url}">
${isFramed && html`<link rel="stylesheet" href="${stylesheets.frame.url}">`}
${brand && html`<link rel="stylesheet" href="${brand}">`}
</head>
${raw(inside)}
${footOf(locale, system?.links)}
${scriptsOf(inside).map(({ url }) => html`<script src="${url}" defer></script>\n`)}</body>
</html>
`)
}

/** The icon or logo, else the initial in the color; an empty one is no request for /favicon.ico. */
function iconOf(system: SystemLook | undefined): string {
  if (!system) return 'data:,'
  const image = [system.faviconUrl, system.logoUrl].find(isShownImage)
  if (image) return image
  return letterImage(system.name, system.color)
}

type Head = { system: SystemLook | undefined; icon: Html | undefined; end: EndTone | undefined }

/** Logo or initial; at the end of a flow small, with the name, and the icon of the outcome below it. */
function headOf({ system, icon, end }: Head): Html {
  if (end === undefined)
    return html`<div class="mark">${system ? markOf(system) : icon && html`<span class="tile">${icon}</span>`}</div>`
  return html`${system && html`<div class="mark small">${markOf(system)}${!isShownImage(system.logoUrl) && bdi(system.name)}</div>`}
<div class="state ${end}">${icon}</div>`
}

/** The chooser of the language is a list of links: it needs no script (http/language.ts). */
function footOf(locale: Locale, { terms, privacy, help }: FootLinks = {}): Html {
  const texts = textsOf(locale, 'foot')
  const links = [
    [terms, texts.terms],
    [privacy, texts.privacy],
    [help, texts.help],
  ].filter(([href]) => href !== undefined)
  return html`<footer class="foot">
<details class="languages">
<summary>${icons.globe}<span class="hidden">${textsOf(locale).language}: </span>${LANGUAGE_NAMES[locale]}${icons.down}</summary>
<ul>
${Object.entries(LANGUAGE_NAMES).map(
  ([
    code,
    name,
  ]) => html`<li><a href="/language/${code}" hreflang="${LANGUAGE_TAGS[code as Locale]}" lang="${LANGUAGE_TAGS[code as Locale]}" rel="nofollow"${code === locale && html` aria-current="true"`}>${name}</a></li>
`,
)}</ul>
</details>
${links.map(([href, label]) => html`<a href="${href}" rel="noreferrer">${label}</a>\n`)}</footer>`
}

export function markOf({ name, logoUrl, logoDarkUrl }: SystemLook): Html {
  if (!isShownImage(logoUrl)) return html`<span class="tile" aria-hidden="true">${initialOf(name)}</span>`
  const logo = html`<img class="logo" src="${logoUrl}" alt="${name}" height="40" referrerpolicy="no-referrer">`
  if (!isShownImage(logoDarkUrl)) return logo
  return html`<picture><source srcset="${logoDarkUrl}" media="(prefers-color-scheme: dark)">${logo}</picture>`
}

/** The name of the system, or "the application", for use within a sentence. */
export const systemName = (system: SystemLook | undefined, locale: Locale): Content =>
  system ? bdi(system.name) : textsOf(locale).theApplication

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Comments and indentation are a quarter of a stylesheet. */
const withoutComments = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\n\s+/g, '\n')
    .trim()

/**
 * A stylesheet of files in this order, in which the later ones override the others. The URL contains a hash
 * of the content, so that it can be cached without expiry.
 */
const sheetOf = (name: string, files: string[]) => {
  const content = files.map((file) => withoutComments(read(`assets/${file}.css`))).join('\n')
  return { content, url: `/assets/${name}-${hashOf(content)}.css` } as const
}

const STYLE = 'page head text fields buttons lists methods choices facts foot screens'
const FRAME = 'header menus navigation buttons panels row-forms methods tables filters phone'
const partsOf = (folder: string, names: string) => names.split(' ').map((name) => `${folder}/${name}`)

/** `style`: of every page. `frame`: also of pages with a navigation. */
export const stylesheets = {
  style: sheetOf('style', ['tokens', 'base', ...partsOf('style', STYLE)]),
  frame: sheetOf('frame', partsOf('frame', FRAME)),
} as const

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
  scriptOf('filter', ' data-filter="'),
  scriptOf('wait', ' data-wait="'),
  scriptOf('frame', ' class="menu'),
  scriptOf('times', ' data-time="'),
  scriptOf('select', ' data-select="'),
  scriptOf('keep', ' data-keep="'),
  scriptOf('image', ' data-image="'),
] as const

export const scriptsOf = (page: string) => scripts.filter(({ mark }) => page.includes(mark))

/**
 * Where the forms of a page can lead. `own`: to our pages. `away`: also to an application, after redirects of
 * ours and then of its own. Browsers apply form-action to all redirects after a form, whose addresses only
 * the application knows, and CSP has no notation for an IPv6 address: such a page has no form-action
 * (decision 0171).
 */
export type Forms = 'own' | 'away'

/** The Content-Security-Policy of a page. `data:` allows the icon (iconOf). */
export function pagePolicy({
  forms,
  logoUrl,
  page = '',
}: {
  forms: Forms
  logoUrl?: string | undefined
  /** The HTML of the page, if it may load scripts. */
  page?: string
}): string {
  const images = ["'self'", 'data:', logoOrigin(logoUrl)].filter((source) => source !== undefined)
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(scriptsOf(page).length > 0 ? ["script-src 'self'"] : []),
    `img-src ${images.join(' ')}`,
    ...(forms === 'own' ? ["form-action 'self'"] : []),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

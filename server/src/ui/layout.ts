/**
 * The HTML document of every page: a card with the logo of the system, and the elements that several pages
 * share.
 */

import { brandUrl, scriptsOf, stylesheet } from './assets.ts'
import { initialOf, logoOrigin } from './brand.ts'
import { bdi, type Content, fill, fillPlain, type Html, html, raw, render } from './html.ts'
import { LANGUAGE_TAGS, type Locale, textsOf } from './i18n/texts.ts'

/**
 * Name and branding of a system. The logo is shown if its URL is https, the color if it is `#rgb` or
 * `#rrggbb`.
 */
export type SystemLook = { name: string; logoUrl?: string | undefined; color?: string | undefined }

/** The button at the end of a page: a link, or a form that continues the interaction. */
export type NextStep = { href: string } | { action: string; csrf: string }

type Page = {
  locale: Locale
  system?: SystemLook | undefined
  /** Shown instead of the logo when no system is known. */
  icon?: Html
  /** Navigation above the heading. */
  above?: Html | undefined
  heading: string
  /** Values of the placeholders in the heading. */
  names?: Record<string, string>
  lead?: Content
  body?: Content
  /** Whether the page reports an error; the title then begins with it (WCAG technique G199). */
  faulty?: boolean
}

export function layout({
  locale,
  system,
  icon,
  above,
  heading,
  names = {},
  lead,
  body,
  faulty = false,
}: Page): string {
  // The title always names the system, to tell browser tabs apart.
  const title = fillPlain(system && !names.system ? `${heading} – {system}` : heading, {
    system: system?.name ?? '',
    ...names,
  })
  const headingText = fill(
    heading,
    Object.fromEntries(Object.entries(names).map(([key, name]) => [key, bdi(name)])),
  )
  const brand = brandUrl(system?.color)
  const inside = render(body)
  return render(html`<!doctype html>
<html lang="${LANGUAGE_TAGS[locale]}">
<head>
<meta charset="utf-8">
<title>${faulty && `${textsOf(locale).errorPrefix}: `}${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet.url}">
${brand && html`<link rel="stylesheet" href="${brand}">`}
</head>
<body>
<main class="card${above && ' wide'}">
<div class="mark">${system ? markOf(system) : icon && html`<span class="tile">${icon}</span>`}</div>
${above}
<h1 id="heading">${headingText}</h1>
${lead && html`<p class="lead">${lead}</p>`}
${raw(inside)}
</main>
${scriptsOf(inside).map(({ url }) => html`<script src="${url}" defer></script>\n`)}</body>
</html>
`)
}

function markOf({ name, logoUrl }: SystemLook): Html {
  if (logoOrigin(logoUrl))
    return html`<img class="logo" src="${logoUrl}" alt="${name}" height="40" referrerpolicy="no-referrer">`
  return html`<span class="tile" aria-hidden="true">${initialOf(name)}</span>`
}

/** The name of the system, or "the application", for use within a sentence. */
export const systemName = (system: SystemLook | undefined, locale: Locale): Content =>
  system ? bdi(system.name) : textsOf(locale).theApplication

/** The error message of the form, and links to the fields that have an error. */
export function errorSummary(
  locale: Locale,
  form: string | undefined,
  faulty: readonly { id: string; label: string }[] = [],
): Content {
  if (!form && faulty.length === 0) return undefined
  const fields = faulty.map(({ id, label }, index) => html`${index > 0 && ', '}<a href="#${id}">${label}</a>`)
  return html`<div class="alert" role="alert">
${form && html`<p id="form-error">${form}</p>`}
${faulty.length > 0 && html`<p>${fill(textsOf(locale).checkFields, { fields })}</p>`}
</div>`
}

type Field = {
  id: string
  label: string
  error: string | undefined
  /** Help text. */
  hint?: Html | undefined
  /** The id of another element that describes the field. */
  describedBy?: string | undefined
  input: (more: Html) => Html
}

/** An input with its label, error and hint. */
export function field({ id, label, error, hint, describedBy, input }: Field): Html {
  const said = [error ? `${id}-error` : describedBy, hint && `${id}-hint`].filter(Boolean).join(' ')
  const more = html`${said && html` aria-describedby="${said}"`}${error && html` aria-invalid="true"`}`
  return html`<div class="field">
<label for="${id}">${label}</label>
${input(more)}
${error && html`<p class="fault" id="${id}-error">${error}</p>`}${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>`
}

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`

/** A button that cancels and returns to the application. */
export const leaveForm = (locale: Locale, action: string, csrf: string): Html =>
  html`<form method="post" action="${action}" class="leave">
${csrfField(csrf)}
<button type="submit" id="leave" class="link">${textsOf(locale).cancel}</button>
</form>`

export function nextStep(
  locale: Locale,
  system: SystemLook | undefined,
  next: NextStep | undefined,
): Content {
  if (!next) return undefined
  const label = system
    ? fill(textsOf(locale).returnTo, { system: bdi(system.name) })
    : textsOf(locale).continue
  if ('href' in next)
    return html`<div class="actions"><a class="button" id="next" href="${next.href}">${label}</a></div>`
  return html`<form method="post" action="${next.action}">
${csrfField(next.csrf)}
<div class="actions"><button type="submit" id="submit">${label}</button></div>
</form>`
}

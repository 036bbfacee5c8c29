/** The frame of a page of the guide. It is for developers and operators, and in English as the logs are. */
import { readFileSync } from 'node:fs'
import { html, raw, render } from '../ui/html.ts'
import { icons } from '../ui/icons.ts'
import type { Section } from './library.ts'
import { GUIDE, type Rendered } from './markdown.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
export const GUIDE_STYLE = ['../ui/assets/tokens.css', '../ui/assets/base.css', 'assets/guide.css']
  .map(read)
  .join('\n')

type Frame = { name: string; hasConsole: boolean; sections: readonly Section[] }

/** `current`: the name of the page. The list of pages follows the text: a phone shows the text first. */
export const guidePage = (
  { title, html: content }: Rendered,
  current: string,
  { name, hasConsole, sections }: Frame,
): string =>
  render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – ${name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${GUIDE}/guide.css">
</head>
<body>
<header>
<a class="home" href="${GUIDE}"><span class="tile">${icons.key}</span>Documentation</a>
<nav aria-label="Server">
<a class="to-pages" href="#pages">All pages</a>
<a href="/docs">API</a>
${hasConsole && html`<a href="/console/">Console</a>`}
</nav>
</header>
<main>${raw(content)}</main>
<nav id="pages" aria-label="Pages">
${sections.map(
  ({ heading, pages }) => html`<h2>${heading}</h2>
<ul>
${pages.map(
  ({ name: page, title: label }) =>
    html`<li><a href="${GUIDE}/${page}"${page === current && raw(' aria-current="page"')}>${label}</a></li>
`,
)}</ul>
`,
)}</nav>
</body>
</html>
`)

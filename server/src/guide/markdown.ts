/**
 * Documentation pages as HTML. markdown-it escapes HTML in a page and refuses addresses such as
 * `javascript:`. Links lead to pages of the guide; the text of a link to another file of the repository
 * remains.
 */
import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import { type Library, resolved } from './library.ts'

/** What a rendering knows besides the text. */
type Env = { path: string; anchors: Map<string, number> }

export type Rendered = { title: string; html: string }
export type RenderPage = (text: string, path: string) => Rendered

export const GUIDE = '/docs/guide'

export function rendererOf(library: Library): RenderPage {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
  const addressOf = addressesIn(library)
  markdown.core.ruler.push('guide', (state: StateCore) => {
    const { path, anchors } = state.env as Env
    for (const [place, token] of state.tokens.entries()) {
      if (token.type === 'heading_open')
        token.attrSet('id', anchorOf(state.tokens[place + 1]!.content, anchors))
      // An attribute `style` is refused by the policy of the page.
      const align = /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0]
      if (token.attrs) token.attrs = token.attrs.filter(([name]) => name !== 'style')
      if (align) token.attrJoin('class', align)
      if (token.children) redirect(token.children, (href) => addressOf(path, href))
    }
  })
  const { rules } = markdown.renderer
  // Wide content scrolls, also with the keyboard.
  rules.table_open = () => '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.fence = (tokens, place) => codeOf(tokens[place]!.content)
  rules.code_block = rules.fence
  const codeOf = (code: string) =>
    `<pre role="region" aria-label="Code" tabindex="0"><code>${markdown.utils.escapeHtml(code)}</code></pre>\n`
  return (text, path) => ({
    title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '',
    html: markdown.render(text, { path, anchors: new Map() } satisfies Env),
  })
}

/** The anchor that GitHub gives to a heading: the links of our pages have it. */
function anchorOf(heading: string, seen: Map<string, number>): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  const anchor = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
  const count = seen.get(anchor) ?? 0
  seen.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

/** Where a link or an image of a page leads; undefined if the server has no such file. */
function addressesIn({ pages, images }: Library) {
  const names = new Map([...pages].map(([name, path]) => [path, name]))
  return (page: string, href: string): string | undefined => {
    if (/^(https?:|mailto:|#)/.test(href)) return href
    const [target = '', anchor] = href.split('#')
    const path = resolved(page, target)
    if (path === 'docs/openapi.json') return '/docs'
    const image = path.slice(path.lastIndexOf('/') + 1)
    if (images.get(image) === path) return `${GUIDE}/images/${image}`
    const name = names.get(path)
    if (name === undefined) return undefined
    return `${GUIDE}${name && `/${name}`}${anchor === undefined ? '' : `#${anchor}`}`
  }
}

/** Sets the addresses of links and images. Links that lead nowhere become their text: links do not nest. */
function redirect(tokens: Token[], addressOf: (href: string) => string | undefined): void {
  let isOpen = true
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = addressOf(String(token.attrGet('href')))
      isOpen = href !== undefined
      if (href !== undefined) token.attrSet('href', href)
      if (href && /^https?:/.test(href)) token.attrSet('rel', 'noreferrer')
    }
    if (token.type === 'image') {
      const src = addressOf(String(token.attrGet('src')))
      token.attrSet('src', src ?? 'data:,')
      token.attrSet('loading', 'lazy')
    }
    if (token.type === 'link_open' || token.type === 'link_close') token.hidden = !isOpen
  }
}

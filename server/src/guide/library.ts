/**
 * The documentation pages of the guide and their images, by name. The names are those of the indexes
 * docs/README.md and docs/decisions/README.md, which `npm run docs` generates: a request names a page, never
 * a path. The npm package contains the same files at the same places (packaging/files.ts).
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

const INDEX = 'docs/README.md'
const DECISIONS = 'docs/decisions/README.md'
/** Pages of other folders, by path. */
const ELSEWHERE: Record<string, string> = {
  'sdk/README.md': 'client-library',
  'quickstarts/README.md': 'quickstarts',
  'SECURITY.md': 'security',
}

export type Section = { heading: string; pages: { name: string; title: string }[] }

export type Library = {
  /** Paths from the root by the name of the page; '' is the index. */
  pages: ReadonlyMap<string, string>
  /** Paths from the root by the name of the image. */
  images: ReadonlyMap<string, string>
  /** The pages of the index. */
  sections: readonly Section[]
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const LINK = /\]\(([^)\s#]+)[^)]*\)/g
const IMAGE = /\.(?:jpg|png|svg)$/
/** A row of a table of the index: question and page. */
const ROW = /^\| .+ \| \[(.+)\]\((.+)\) \|$/gm

/** The paths to which a page links. */
function* linked(path: string): Generator<string> {
  for (const [, target = ''] of textOf(path).matchAll(LINK))
    if (!/^[a-z]+:/.test(target)) yield resolved(path, target)
}

/** The path from the root to which a page refers. */
export const resolved = (page: string, target: string): string =>
  posix.normalize(posix.join(posix.dirname(page), target))

/** The name of a page; undefined if the guide has no such page. */
function nameOf(path: string): string | undefined {
  if (path === INDEX) return ''
  if (path === DECISIONS) return 'decisions'
  return ELSEWHERE[path] ?? /^docs\/(?:decisions\/)?([\w-]+)\.md$/.exec(path)?.[1]
}

export function readLibrary(): Library {
  const paths = [INDEX, DECISIONS, ...linked(INDEX), ...linked(DECISIONS)]
  const pages = new Map<string, string>()
  for (const path of paths) {
    const name = nameOf(path)
    if (name !== undefined) pages.set(name, path)
  }
  const images = new Map<string, string>()
  for (const page of pages.values())
    for (const path of linked(page)) if (IMAGE.test(path)) images.set(posix.basename(path), path)
  return { pages, images, sections: sectionsOf() }
}

function sectionsOf(): Section[] {
  const [, ...parts] = textOf(INDEX).split(/^## /m)
  const sections = parts.map((part) => ({
    heading: part.slice(0, part.indexOf('\n')),
    pages: [...part.matchAll(ROW)].flatMap(([, title = '', target = '']) => {
      const name = nameOf(resolved(INDEX, target))
      return name === undefined ? [] : [{ name, title }]
    }),
  }))
  return sections.filter(({ pages }) => pages.length > 0)
}

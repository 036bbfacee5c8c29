/** The links between our Markdown pages, and the commands that they name. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, normalize, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const GLOBS = ['*.md', '{docs,ops,bench,packaging,.github}/**/*.md', 'quickstarts/{,*/}*.md', 'sdk/*.md']
const pages = globSync(GLOBS, { cwd: ROOT, exclude: (name) => name.includes('node_modules') }).sort()
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8')
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')

type Link = { page: string; target: string; file: string; anchor: string | undefined }

/** The links of a page to files of the repository, and its pictures. */
function linksOf(page: string): Link[] {
  const found = withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)
  return [...found]
    .map(([, target, picture]) => target ?? picture!)
    .filter((target) => !/^(https?|mailto):/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative(ROOT, normalize(join(ROOT, page, '..', path)))
      return { page, target, file, anchor }
    })
}

const links = pages.flatMap(linksOf)

/** The anchors that GitHub creates for the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  const headings = withoutCode(textOf(page)).matchAll(/^#+ (.+)$/gm)
  const anchors = [...headings].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
  return new Set(anchors)
}

test('every link in our Markdown pages leads to a file, and to a heading of it', () => {
  const broken = links.filter(
    ({ file, anchor }) =>
      !existsSync(join(ROOT, file)) ||
      (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor)),
  )

  assert.ok(links.length > 300)
  assert.deepEqual(
    broken.map(({ page, target }) => `${page}: ${target}`),
    [],
  )
})

test('every page and every decision can be reached from the README by links', () => {
  const reached = new Set(['README.md'])
  for (const page of reached)
    for (const { file } of links.filter((link) => link.page === page))
      for (const shown of [file, join(file, 'README.md')]) if (pages.includes(shown)) reached.add(shown)

  const lost = pages.filter((page) => !page.startsWith('.github/') && !reached.has(page))

  assert.deepEqual(
    lost.filter((page) => !UNLINKED.has(page)),
    [],
  )
})

/** The README of the npm package. */
const UNLINKED = new Set(['packaging/README.md'])

test('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const mine = pages.filter((page) => !/^(quickstarts|sdk)\//.test(page))
  const named = mine.flatMap((page) =>
    [...textOf(page).matchAll(/`npm (?:run ([\w:-]+)|(test|start))\b[^`]*`/g)]
      .filter(([command]) => !command.includes(' -w ')) // a script of a workspace
      .map(([, script, short]) => ({ page, script: script ?? short! })),
  )

  assert.ok(named.length > 30)
  assert.deepEqual(
    named.filter(({ script }) => scripts[script] === undefined),
    [],
  )
})

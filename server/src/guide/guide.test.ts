/** The documentation pages that the server shows. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from '../../test/support/testing.ts'
import { ROOT, readLibrary } from './library.ts'
import { rendererOf } from './markdown.ts'

test('each page of docs/ is shown at its name, and each link of it leads to a page', async (t) => {
  const { url } = await startTestApp(t)
  const names = globSync('docs/{,decisions/}*.md', { cwd: ROOT })
    .map((path) => basename(path, '.md'))
    .filter((name) => name !== 'README')
  const pages = new Map<string, string>()
  for (const name of ['', ...names, 'decisions', 'client-library', 'quickstarts', 'security']) {
    const answer = await fetch(`${url}/docs/guide${name && `/${name}`}`)
    assert.equal(answer.status, 200, name)
    pages.set(answer.url.slice(url.length), await answer.text())
  }

  const links = [...pages].flatMap(([page, text]) =>
    [...text.matchAll(/(?:href|src)="(\/docs\/guide[^"]*|#[^"]*)"/g)].map(([, to = '']) => ({ page, to })),
  )
  const others = [...new Set(links.map(({ to }) => to.split('#')[0]!))].filter((to) => to && !pages.has(to))
  const statuses = await Promise.all(others.map(async (to) => (await fetch(url + to)).status))
  const lost = links.filter(({ page, to }) => {
    const [path, anchor] = to.split('#')
    const text = pages.get(path || page)
    return anchor !== undefined && text !== undefined && !text.includes(` id="${anchor}"`)
  })

  assert.ok(pages.size > 100 && links.length > 1_000)
  assert.deepEqual([others.filter((_, at) => statuses[at] !== 200), lost], [[], []])
  // The pages load only files of the server itself.
  const outside = [...pages.values()].flatMap(
    (text) => text.match(/(?:href|src)="(?!https?:|mailto:|[/#]|data:)/g) ?? [],
  )
  assert.deepEqual(outside, [])
})

test('only a name of the index is a page: no path, and no other file of the server', async (t) => {
  const { url } = await startTestApp(t)
  const names = [
    'unknown',
    'constructor',
    'README.md',
    'webhooks.md',
    '..%2F..%2Fpackage.json',
    '%2Fetc%2Fpasswd',
    'decisions%2F0001-run-from-source',
    'images/..%2F..%2Fpackage.json',
    'images/unknown.jpg',
    'images/__proto__',
  ]

  for (const name of names) {
    const answer = await fetch(`${url}/docs/guide/${name}`, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 404, name)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, name)
  }
})

test('a page runs no script and loads nothing from elsewhere; its images are sent with their type', async (t) => {
  const { url } = await startTestApp(t)
  const page = await fetch(`${url}/docs/guide/console`)
  const policy = page.headers.get('content-security-policy') ?? ''
  const [image = ''] = /\/docs\/guide\/images\/[\w-]+\.jpg/.exec(await page.text()) ?? []
  const shown = await fetch(url + image)

  assert.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self' data:;/)
  assert.match(page.headers.get('cache-control') ?? '', /public/)
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/jpeg'])
  assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
})

test('HTML and addresses of scripts in a page are text, and a link to another file keeps its words', () => {
  const render = rendererOf(readLibrary())
  const { title, html } = render(
    [
      '# A `page`',
      '<script>alert(1)</script> <b onclick="x">b</b>',
      '[run](javascript:alert(1)) [data](data:text/html,x) ![x](javascript:alert(1))',
      '[code](../server/src/app.ts) [out](../../../etc/passwd) [page](webhooks.md#delivery) [API](openapi.json)',
      '| a | b |\n| --: | --- |\n| 1 | `<i>` |',
    ].join('\n\n'),
    'docs/page.md',
  )

  assert.equal(title, 'A page')
  assert.doesNotMatch(html, /<script|<b\b|<i>|javascript:alert\(1\)"|href="data:|style=|passwd"|app\.ts/)
  assert.match(
    html,
    /<p>code out <a href="\/docs\/guide\/webhooks#delivery">page<\/a> <a href="\/docs">API<\/a><\/p>/,
  )
  assert.match(html, /<td class="right">1<\/td>/)
})

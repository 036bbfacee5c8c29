/** The sample pages of all ends and errors, of which each kind has one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomePages } from '../../../test/support/sample-outcome-pages.ts'
import { samplePages } from '../../../test/support/sample-pages.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;')
const isEnd = (name: string) => name in outcomePages || /^(error|invitation-(gone|expired))/.test(name)
const ends = Object.entries(samplePages).filter(([name]) => isEnd(name))

/** The targets of the button that leads on: a link, or a form that continues a sign-in. */
const waysOn = (html: string): (string | undefined)[] => [
  ...[...html.matchAll(/<a class="button(?: quiet)?" id="next" href="([^"]*)"/g)].map(([, href]) => href),
  ...[
    ...html.matchAll(
      /<form method="post" action="([^"]*)">\s*<input[^>]*>\s*<div class="actions"><button type="submit" id="submit"/g,
    ),
  ].map(([, action]) => action),
]

test('every end of a flow and every error has exactly one way on, and one primary button', () => {
  assert.ok(ends.length > 40, `${ends.length}`)
  for (const [name, { html }] of ends) {
    const primary = [...html.matchAll(/class="button"|<button type="submit" id="/g)].length
    const links = [...html.matchAll(/<button type="submit" id="\w+" class="link"/g)].length
    assert.equal(waysOn(html).length, 1, name)
    assert.equal(primary - links, 1, name)
  }
})

test('an end that knows its application shows it and leads to it, else to the own pages', () => {
  const known = ends.filter(([, { system }]) => system?.next !== undefined)

  assert.ok(known.length > 10, `${known.length}`)
  for (const [name, { html, system }] of known) {
    const [next] = waysOn(html)
    assert.ok(next === escaped(system!.next!) || next?.startsWith('/'), `${name}: ${next}`)
    assert.ok(html.includes(`<title>`) && html.includes(system!.name), name)
  }
  const unknown = ends.filter(([, { system, html }]) => !system && !/\/interaction\//.test(html))
  for (const [name, { html }] of unknown) assert.deepEqual(waysOn(html), ['/account'], name)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ApiDocument, DOCS, derivedDocs } from '../../../docs.ts'
import { startTestApp } from '../../../test/support/testing.ts'

test('the committed settings, errors, authorities and OpenAPI document match the code', async (t) => {
  const { url, app } = await startTestApp(t)
  const committed = (name: string) => readFileSync(join(DOCS, name), 'utf8')

  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument

  assert.equal(document.servers[0]?.url, url)
  for (const [name, text] of Object.entries(derivedDocs(document, app.declared)))
    assert.equal(committed(name), text, `${name} is stale: run npm run docs`)
})

test('every documented operation is in the authority table, and no /admin route is public', async (t) => {
  const { url, app } = await startTestApp(t)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument

  const table = readFileSync(join(DOCS, 'authority.md'), 'utf8')

  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods))
      assert.ok(
        table.includes(`\`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}\``),
        `${method} ${path}`,
      )
  assert.ok(app.declared.length > 60)
  assert.deepEqual(
    app.declared.filter(
      ({ url, authority }) => /^(\/console\/api)?\/admin/.test(url) !== Array.isArray(authority),
    ),
    [],
  )
})

test('every operation has a unique id, a summary and a success response', async (t) => {
  const { url } = await startTestApp(t)

  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument

  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const names = operations.map(({ operationId }) => operationId)
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  for (const { operationId, summary, responses } of operations) {
    assert.ok(summary, operationId)
    assert.ok(
      Object.keys(responses).some((status) => /^[23]/.test(status)),
      operationId,
    )
  }
})

test('a documented operation that requires a token refuses a request without one', async (t) => {
  const { url } = await startTestApp(t)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument
  const guarded = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.some((scheme) => 'bearer' in scheme))
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, crypto.randomUUID()),
      })),
  )
  assert.ok(guarded.length > 20)

  const answers = await Promise.all(guarded.map(({ method, path }) => fetch(url + path, { method })))

  for (const [at, { status }] of answers.entries())
    assert.deepEqual({ ...guarded[at], status }, { ...guarded[at], status: 401 })
})

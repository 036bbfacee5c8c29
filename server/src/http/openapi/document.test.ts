/** Validates the OpenAPI document by OpenAPI 3.1 and Redocly's `recommended-strict` rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { startTestApp } from '../../../test/support/testing.ts'
import { FAILURES } from '../../errors.ts'

/** Rules that are switched off, with the reason. */
const EXCEPTIONS = {
  'no-server-example.com': 'off', // a trial installation runs on localhost
  // a step of a sign-in answers with a redirect; docs.test.ts requires 2xx or 3xx
  'operation-2xx-response': 'off',
  'operation-4xx-response': 'off', // /health and the keys refuse no request
} as const

test('the OpenAPI document is valid and declares every error code', async (t) => {
  const { url } = await startTestApp(t)
  const source = await (await fetch(`${url}/openapi.json`)).text()
  const config = await createConfig({ extends: ['recommended-strict'], rules: EXCEPTIONS })

  const problems = await lintFromString({ source, absoluteRef: `${url}/openapi.json`, config })

  const document = JSON.parse(source)
  assert.match(document.openapi, /^3\.1\./)
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
  assert.deepEqual(document.components.schemas.ErrorCode.enum, Object.keys(FAILURES))
})

test('an operation whose body is optional declares it, and accepts a request without a body', async (t) => {
  const { url, platform, newSystem } = await startTestApp(t)
  const { id } = await newSystem()

  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: { required?: boolean } }>>
  }
  const answer = await platform.post(`/admin/systems/${id}/rotate-secret`)

  const bodyOf = (path: string) => paths[path]?.post?.requestBody?.required
  assert.deepEqual(
    [bodyOf('/admin/systems/{systemId}/rotate-secret'), bodyOf('/admin/systems')],
    [false, true],
  )
  assert.equal(answer.status, 200)
  assert.ok(!JSON.stringify(paths).includes('x-body-optional'))
})

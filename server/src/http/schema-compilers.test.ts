/** Compiles all schemas, which the server compiles at first use. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import compileWriter from 'fast-json-stringify'
import { buildApp } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { createSeal } from '../crypto/seal.ts'
import { openPglite } from '../database/connections/pglite.ts'
import { COMPILERS } from './schema-compilers.ts'

type Route = { method: string; url: string; httpPart?: string; httpStatus?: string; schema: object }

test('all request and response schemas compile', async (t) => {
  const routes: Route[] = []
  const { buildValidator, buildSerializer } = COMPILERS
  t.after(() => Object.assign(COMPILERS, { buildValidator, buildSerializer }))
  const noting = (build: unknown) => () => (route: Route) => {
    routes.push(route)
    return (build as () => (route: Route) => (value: unknown) => unknown)()(route)
  }
  Object.assign(COMPILERS, {
    buildValidator: noting(buildValidator),
    buildSerializer: noting(buildSerializer),
  })
  const database = await openPglite()
  const config = readConfig({
    LOG_LEVEL: 'silent',
    METRICS_ENABLED: 'true',
  })
  const app = await buildApp({
    config,
    database,
    scrape: async () => '',
    seal: createSeal('nothing is kept under this key'),
  })
  t.after(() => app.close().then(database.close))
  await app.ready()

  const faults = routes.flatMap((route) => {
    const { method, url, httpPart, httpStatus, schema } = route
    try {
      if (httpStatus) compileWriter(schema)
      else
        (buildValidator as unknown as () => (route: Route) => (value: unknown) => boolean)()(route)(undefined)
      return []
    } catch (error) {
      return [`${method} ${url} ${httpPart ?? httpStatus}: ${error}`]
    }
  })

  assert.ok(routes.filter(({ httpPart }) => httpPart === 'body').length > 20)
  assert.ok(routes.filter(({ httpStatus }) => httpStatus).length > 200)
  assert.deepEqual(faults, [])
})

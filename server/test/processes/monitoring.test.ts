/** The alert rules and the dashboard in ops/ use metrics and labels that a server exports. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import '../../src/app.ts' // defines the measurements
import { PROTOCOL_REASONS, SIGN_IN_REASONS } from '../../src/http/refusals.ts'
import { DIMENSIONS } from '../../src/journal/stats/count.ts'
import { allMeasurements } from '../../src/measurements.ts'
import { ON_POSTGRES } from '../support/locks.ts'
import { createDatabase, freePort } from '../support/postgres.ts'
import { startServer } from '../support/servers.ts'
import { adminClient, serviceToken, tokenRequest } from '../support/testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const ALERTS = 'ops/prometheus/alerts.yaml'
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

type Rule = { alert: string; expr: string; labels: object; annotations: { summary: string; runbook: string } }
type Panel = { title: string; type: string; targets?: { expr: string; legendFormat: string }[] }

const rules = (parse(read(ALERTS)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(read('ops/grafana/tenantry.json')) as { panels: Panel[] }

/** All expressions, by where they are. */
const EXPRESSIONS: [where: string, expression: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
]

/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['job', 'instance', 'le']
const SELECTOR = /\b(up|(?:tenantry|http|nodejs|process)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g

/** The label names by metric: of the series of a scrape, and of all measurements. */
function labelsOf(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>([['up', new Set()]])
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+) /gm)) found.set(name, new Set())
  // A counter of the statistics exists when it has counted.
  for (const [name, label] of Object.entries(DIMENSIONS))
    found.set(`tenantry_${name}_total`, new Set(found.has(`tenantry_${name}_total`) ? [label] : []))
  for (const { name, kind, labels } of allMeasurements()) {
    if (!found.has(name)) continue
    const suffixes = kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const suffix of suffixes) found.set(name + suffix, new Set(labels))
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)\{([^}]*)\} /gm)) {
    const known = found.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

/** A scrape of two workers that have answered some requests. */
async function scrapeOfWorkers(t: TestContext): Promise<string> {
  const database = await createDatabase(process.env.DATABASE_URL!)
  const port = await freePort()
  const client = { id: 'the-service', secret: 'a-secret-of-a-test-0123456789' }
  const server = await startServer({
    env: {
      ADMIN_CLIENT_ID: client.id,
      ADMIN_CLIENT_SECRET: client.secret,
      METRICS_ENABLED: 'true',
      METRICS_PORT: String(port),
      WORKERS: '2',
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key for tests, 32 characters or more',
    },
  })
  t.after(async () => {
    await server.close()
    await database.drop()
  })
  const { url } = server
  const platform = adminClient(url, await serviceToken(url, client.id, client.secret))
  await platform.post('/admin/users', { email: 'a@example.test', password: 'correct horse battery' })
  const unknown = {
    id: '',
    clientId: 'x',
    clientSecret: 'y',
    redirectUris: [],
    allowedScopes: [],
    clientType: '',
  }
  await tokenRequest(url, unknown, { grant_type: 'client_credentials' })
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

test('each metric and label of the alerts and the dashboard is exported', ON_POSTGRES, async (t) => {
  const text = await scrapeOfWorkers(t)
  const exported = labelsOf(text)
  const anyLabel = new Set([...exported.values()].flatMap((labels) => [...labels]))

  const faults = EXPRESSIONS.flatMap(([where, expression]) => [
    ...[...expression.matchAll(SELECTOR)].flatMap(([, name = '', selector = '']) => {
      const labels = exported.get(name)
      if (!labels) return [`${where}: ${name} is not exported`]
      const used = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
      return used
        .filter((label) => !labels.has(label) && !OF_PROMETHEUS.includes(label))
        .map((label) => `${where}: ${name} has no label ${label}`)
    }),
    ...[...expression.matchAll(/\bby \(([^)]*)\)/g)]
      .flatMap(([, list = '']) => list.split(',').map((label) => label.trim()))
      .filter((label) => !anyLabel.has(label) && !OF_PROMETHEUS.includes(label))
      .map((label) => `${where}: no metric has the label ${label}`),
  ])

  assert.deepEqual(faults, [])
  assert.ok(EXPRESSIONS.length > 40)
  const promtool = await promtoolOf()
  if (!promtool) return t.diagnostic('promtool is not installed: the rules are not checked by it')
  const { stdout } = await promtool(['check', 'rules', join(ROOT, ALERTS)])
  assert.match(stdout, /SUCCESS: \d+ rules found/)
  await promtool(['test', 'rules', join(ROOT, ALERTS.replace('.yaml', '.test.yaml'))])
})

test('each value that the alerts and the dashboard select occurs', () => {
  const emails = read('server/src/jobs/email/deliver.ts')
  const database = read('server/src/database/connections/measure.ts')
  const states = ['in_use', 'idle', 'waiting', 'running', 'silent']
  const routes = read('docs/openapi.json')
  const KNOWN: Record<string, (value: string) => boolean> = {
    job: (value) => value === 'tenantry' || value === '$job',
    status: (value) => /^[1-5]xx$/.test(value),
    route: (value) => routes.includes(`"${value.replace(/:(\w+)/g, '{$1}')}"`),
    state: (value) => states.includes(value),
    reason: (value) => ([...SIGN_IN_REASONS, ...PROTOCOL_REASONS] as string[]).includes(value),
    outcome: (value) => emails.includes(`count('emails', null, '${value}')`),
    kind: (value) => ['sign_in', 'protocol', 'request'].includes(value) || database.includes(`'${value}'`),
  }

  for (const [where, expression] of EXPRESSIONS)
    for (const [, label = '', values = ''] of expression.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g))
      for (const value of values.split('|'))
        assert.ok(KNOWN[label]?.(value), `${where}: ${label} is never ${value}`)
})

test('each alert has a severity, a summary and a section of docs/operations.md', () => {
  const headings = [...read('docs/operations.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

  assert.ok(rules.length >= 10)
  for (const { alert, labels, annotations } of rules) {
    const { summary, runbook } = annotations
    assert.match(JSON.stringify(labels), /"severity":"(page|warn)"/, alert)
    assert.ok(summary.endsWith('.'), alert)
    const [file, section = ''] = runbook.split('#')
    assert.deepEqual([file, headings.includes(section)], ['docs/operations.md', true], `${alert}: ${section}`)
  }
})

/** Runs promtool; undefined if it is not installed. */
async function promtoolOf() {
  const run = promisify(execFile)
  const found = await run('promtool', ['--version']).catch(() => undefined)
  return found && ((args: string[]) => run('promtool', args))
}

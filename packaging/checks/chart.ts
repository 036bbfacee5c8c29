/** The Helm chart without a cluster: rendered, and validated against the schemas of Kubernetes. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { ROOT } from '../files.ts'
import { newFolder } from './installation.ts'
import { isSkippedWithout, output, run } from './tools.ts'

const CHART = join(ROOT, 'charts/tenantry')
/** The version of Kubernetes, as no cluster states one. */
const VERSION = '1.33'
const BASE_URL = 'baseUrl=https://id.example.com'

/** Values, by what they are for. */
const CASES: Record<string, string[]> = {
  'several processes on PostgreSQL': ['secrets.existing=tenantry'],
  'one process on the embedded database': ['replicas=1'],
  everything: [
    'secrets.create=true',
    'secrets.values.DATABASE_URL=postgres://db.example.com/tenantry',
    'secrets.values.SECRET_KEY=a key for tests of 32 characters or more',
    'secrets.values.METRICS_TOKEN=a-token-of-the-metrics',
    'image.pullSecrets[0].name=registry',
    'ingress.enabled=true,ingress.className=nginx,ingress.tlsSecret=certificate',
    'httpRoute.enabled=true,httpRoute.parentRefs[0].name=gateway',
    'autoscaling.enabled=true,networkPolicy.enabled=true,serviceMonitor.enabled=true',
    'networkPolicy.from[0].podSelector.matchLabels.app=proxy',
    'settings.LOG_LEVEL=warn,settings.WORKERS=2',
    'podAnnotations.a=b,podLabels.c=d,nodeSelector.e=f',
  ],
}

const template = (values: string[]) => {
  const set = [BASE_URL, ...values].flatMap((value) => ['--set', value])
  return run('helm', ['template', 'example', CHART, '--kube-version', `${VERSION}.0`, ...set])
}

type Pod = {
  automountServiceAccountToken?: boolean
  securityContext?: Record<string, unknown>
  containers: { name: string; securityContext: Record<string, unknown> }[]
}
type Manifest = { kind: string; spec?: { template?: { spec: Pod } } & Pod }

/** The pods that a manifest describes. */
const podsOf = ({ kind, spec }: Manifest): Pod[] =>
  kind === 'Pod' ? [spec!] : spec?.template ? [spec.template.spec] : []

for (const [what, values] of Object.entries(CASES))
  test(`the chart renders valid and restricted pods for ${what}`, async (t) => {
    if (await isSkippedWithout(t, 'helm')) return

    const { code, stdout, stderr } = await template(values)

    assert.deepEqual([code, stderr], [0, ''])
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
    const pods = manifests.filter(Boolean).flatMap(podsOf)
    assert.ok(pods.length >= 2)
    for (const { securityContext, containers, automountServiceAccountToken } of pods) {
      assert.equal(automountServiceAccountToken, false)
      assert.equal(securityContext?.runAsNonRoot, true)
      assert.equal(securityContext?.runAsUser, 65532)
      assert.deepEqual(securityContext?.seccompProfile, { type: 'RuntimeDefault' })
      for (const container of containers)
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
    }
    if (await isSkippedWithout(t, 'kubernetes-validate')) return
    const file = join(newFolder(`manifests-${Object.keys(CASES).indexOf(what)}`), 'manifests.yaml')
    writeFileSync(file, stdout)
    await output('kubernetes-validate', ['--strict', '--quiet', '-k', VERSION, file])
  })

const MISTAKES: [what: string, values: string[], fault: RegExp][] = [
  ['an unknown key', ['replicaCount=3'], /additional properties 'replicaCount' not allowed/],
  ['no baseUrl', ['baseUrl=', 'secrets.existing=s'], /\/baseUrl.*does not match pattern/],
  ['several replicas without PostgreSQL', ['replicas=2'], /Several replicas need PostgreSQL/],
  [
    'a secret among the settings',
    ['replicas=1', 'settings.MAIL_URL=smtp://a:b@c'],
    /invalid propertyName 'MAIL_URL'/,
  ],
  [
    'a monitor without a token',
    ['replicas=1', 'serviceMonitor.enabled=true'],
    /serviceMonitor.enabled needs METRICS_TOKEN/,
  ],
  [
    'a monitor of a port that only the pod reaches',
    [
      'secrets.create=true,secrets.values.METRICS_TOKEN=a-token-of-the-metrics,replicas=1',
      'serviceMonitor.enabled=true,settings.METRICS_PORT=9464',
    ],
    /serviceMonitor.enabled and settings.METRICS_PORT exclude each other/,
  ],
  ['a setting of the chart', ['replicas=1', 'settings.MIGRATIONS=off'], /invalid propertyName 'MIGRATIONS'/],
  ['two Secrets', ['secrets.existing=s', 'secrets.create=true', 'replicas=1'], /exclude each other/],
]

test('pods check the migrations that a job applies, and apply them without a job', async (t) => {
  if (await isSkippedWithout(t, 'helm')) return
  const checks = async (...values: string[]) =>
    /name: MIGRATIONS\n +value: check/.test((await template(values)).stdout)

  const found = [
    await checks('secrets.existing=tenantry'),
    await checks('secrets.existing=tenantry', 'migrations=start'),
    await checks('replicas=1'),
  ]

  assert.deepEqual(found, [true, false, false])
})

test('the chart refuses mistakes in its values', async (t) => {
  if (await isSkippedWithout(t, 'helm')) return

  for (const [what, values, fault] of MISTAKES) {
    const { code, stderr } = await template(values)

    assert.equal(code, 1, what)
    assert.match(stderr, fault, what)
  }
})

test('helm lint has no finding', async (t) => {
  if (await isSkippedWithout(t, 'helm')) return

  const printed = await output('helm', [
    'lint',
    CHART,
    '--set',
    BASE_URL,
    '--set',
    'secrets.existing=tenantry',
  ])

  assert.doesNotMatch(printed, /\[(WARNING|ERROR)\]/)
})

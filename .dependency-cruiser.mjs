/**
 * The import order of server/src (ARCHITECTURE.md). A file imports its own layer and the layers above it in
 * this list, types included. A layer is a folder or a file.
 */
const LAYERS = [
  [
    'tuning',
    'config',
    'email-address',
    'errors',
    'measurements',
    'request-time',
    'tracing',
    'crypto',
    'data-dir',
    'texts',
  ],
  ['database'],
  ['http'],
  ['resources/stats'],
  ['resources/audit', 'resources/events'],
  ['jobs'],
  ['resources'],
  ['authentication'],
  ['oidc'],
  ['explain', 'test-sign-ins'],
  ['ui'],
  ['interaction', 'self-service', 'federation', 'recovery', 'invitation'],
  ['console'],
  ['platform', 'backup', 'metrics'],
  ['app'],
  ['start'],
  ['commands'],
  ['main'],
]

const pathOf = (name) => `^server/src/${name}(/|\\.ts$)`
const nested = LAYERS.flat().filter((name) => name.includes('/'))
/** `resources` without the folders of it that stand in a layer of their own. */
const exceptNested = (layer) => nested.filter((name) => layer.includes(name.split('/')[0])).map(pathOf)
const of = (layers) => ({
  path: layers.flat().map(pathOf),
  pathNot: ['\\.test\\.ts$', ...layers.flatMap(exceptNested)],
})

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...LAYERS.slice(0, -1).map((layer, index) => ({
      name: `layer-of-${layer[0]}`,
      comment: `${layer.join(', ')} must not import a later layer.`,
      severity: 'error',
      from: of([layer]),
      to: of(LAYERS.slice(index + 1)),
    })),
    {
      name: 'routes-only-from-app',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/app\\.ts$', '\\.test\\.ts$'] },
      to: { path: '/routes\\.ts$' },
    },
    {
      name: 'interaction-only-from-app',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/(app\\.ts$|interaction/)', '\\.test\\.ts$'] },
      to: { path: '^server/src/interaction/' },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphan',
      severity: 'error',
      from: {
        orphan: true,
        path: '^server/src/',
        pathNot: ['\\.test\\.ts$', '^server/src/main\\.ts$', '^server/src/ui/assets/'],
      },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'server/tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}

/**
 * The import order of server/src and of the workspaces beside it (ARCHITECTURE.md). A file imports its own
 * layer and the layers above it in this list, types included. A layer is a folder or a file.
 */
const LAYERS = [
  [
    'config',
    'email-address',
    'text',
    'errors',
    'measurements',
    'request-time',
    'tracing',
    'crypto',
    'data-dir',
    'texts',
  ],
  ['saml'],
  ['database'],
  ['http'],
  ['journal/stats'],
  ['journal/audit', 'journal/events'],
  ['jobs'],
  ['resources'],
  ['lifecycle'],
  ['authentication'],
  ['oidc/keys'],
  ['oidc/clients'],
  ['oidc/policy'],
  ['oidc/bearer', 'oidc/grants', 'oidc/interaction'],
  ['oidc/storage'],
  ['oidc/provider'],
  ['explain', 'test-sign-ins'],
  ['ui'],
  ['interaction', 'self-service', 'federation', 'recovery', 'invitation'],
  ['console', 'outbox', 'guide'],
  ['platform', 'backup', 'metrics'],
  ['app'],
  ['start'],
  ['commands'],
  ['main'],
]

/**
 * The folders of `resources`. A noun imports itself and the nouns before it, and reads later tables by SQL.
 */
const NOUNS = [
  'images',
  'systems',
  'operators',
  'users',
  'email-texts',
  'identities',
  'factors',
  'accounts',
  'branding',
  'roles',
  'profiles',
  'memberships',
  'sessions',
  'artifacts',
  'consents',
  'credentials',
  'sign-ins',
  'registrations',
  'invitations',
  'service-accounts',
  'domains',
  'connections',
  'webhooks',
  'test-sign-ins',
  'exports',
  'search',
  'limits',
  'jobs',
  'installation',
]

/**
 * The route files of nouns call the flows of lifecycle/: only app.ts imports them, so nothing depends on it.
 */
const NOUN_ROUTES = '^server/src/resources/[^/]+/routes\\.ts$'
const TESTS = '\\.test\\.ts$'

const pathOf = (name) => `^server/src/${name}(/|\\.ts$)`
const nested = LAYERS.flat().filter((name) => name.includes('/'))
/** A layer without the folders of it that are a layer of their own. */
const exceptNested = (layer) => nested.filter((name) => layer === name.split('/')[0]).map(pathOf)
const of = (layers) => ({
  path: layers.flat().map(pathOf),
  pathNot: [TESTS, ...layers.flat().flatMap(exceptNested)],
})

const layerRules = LAYERS.slice(0, -1).map((layer, index) => {
  const from = of([layer])
  return {
    name: `layer-of-${layer[0].replace('/', '-')}`,
    comment: `${layer.join(', ')} must not import a later layer.`,
    severity: 'error',
    from: { ...from, pathNot: [...from.pathNot, NOUN_ROUTES] },
    to: of(LAYERS.slice(index + 1)),
  }
})

const nounRules = NOUNS.slice(0, -1).map((noun, index) => ({
  name: `noun-${noun}`,
  comment: `resources/${noun} must not import a later noun: a flow across nouns belongs to lifecycle/.`,
  severity: 'error',
  from: { path: pathOf(`resources/${noun}`), pathNot: TESTS },
  to: { path: NOUNS.slice(index + 1).map((later) => pathOf(`resources/${later}`)) },
}))

/** What the rest of the server uses of saml/ before a response arrives. */
const WITHOUT_PARSER = '^server/src/saml/(names|documents|certificates|ticket|refusal|reader)\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    ...nounRules,
    {
      name: 'routes-of-nouns',
      comment: 'A routes.ts of a noun imports lifecycle/ and what stands before it.',
      severity: 'error',
      from: { path: NOUN_ROUTES },
      to: of(LAYERS.slice(LAYERS.findIndex(([first]) => first === 'lifecycle') + 1)),
    },
    {
      name: 'in-a-layer',
      comment: 'Every file of server/src belongs to a layer, and every folder of resources/ is in NOUNS.',
      severity: 'error',
      from: {
        path: '^server/src/',
        pathNot: [
          TESTS,
          ...LAYERS.flat()
            .filter((name) => name !== 'resources')
            .map(pathOf),
          ...NOUNS.map((noun) => pathOf(`resources/${noun}`)),
        ],
      },
      to: {},
    },
    {
      name: 'routes-only-from-app',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/app\\.ts$', TESTS] },
      to: { path: '/routes\\.ts$' },
    },
    {
      name: 'interaction-only-from-app',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/(app\\.ts$|interaction/)', TESTS] },
      to: { path: '^server/src/interaction/' },
    },
    {
      name: 'xml-only-for-saml',
      comment: 'Nothing else reads XML, and nobody reaches the parser but through the reader.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/saml/', TESTS] },
      to: { path: 'node_modules/(@xmldom|xml-crypto|xpath|@node-saml)/' },
    },
    {
      name: 'saml-at-first-use',
      comment: 'The reader and its libraries are loaded for the first response, with import().',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/saml/', TESTS] },
      to: {
        path: '^server/src/saml/',
        pathNot: WITHOUT_PARSER,
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'saml-without-parser',
      comment: 'What other folders import of saml/ loads no parser.',
      severity: 'error',
      from: { path: WITHOUT_PARSER },
      to: {
        path: '^server/src/saml/',
        pathNot: WITHOUT_PARSER,
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'server-imports-no-workspace',
      comment: 'The server runs without its tests, the benchmark, the client library and the console.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: TESTS },
      to: { path: '^(server/test|sdk|console|bench|quickstarts|packaging)/' },
    },
    {
      name: 'sdk-alone',
      comment: 'The client library is a package of its own. Its tests use the server.',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { path: '^(server|console|bench|quickstarts|packaging)/' },
    },
    {
      name: 'console-through-the-api',
      comment:
        'The console knows the server by the types of its API. Colors and texts are computed by the same ' +
        'code, and it shows the quick starts.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^(server|sdk|bench|quickstarts|packaging|console/test)/',
        pathNot: [
          '^sdk/src/(api|operations)\\.ts$',
          '^server/src/texts/(brand|message)\\.ts$',
          '^quickstarts/stacks\\.ts$',
        ],
      },
    },
    {
      name: 'test-support',
      comment: 'What tests and the benchmark share imports neither of them, nor the other workspaces.',
      severity: 'error',
      from: { path: '^server/test/support/' },
      to: { path: [TESTS, '^(sdk|console|bench|quickstarts|packaging)/'] },
    },
    {
      name: 'bench-beside-tests',
      comment: 'The benchmark uses the server and server/test/support.',
      severity: 'error',
      from: { path: '^bench/' },
      to: { path: [TESTS, '^server/test/(?!support/)', '^(sdk|console|quickstarts|packaging)/'] },
    },
    {
      name: 'bench-only-by-itself',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { path: '^bench/' },
    },
    {
      name: 'no-circle',
      severity: 'error',
      from: { path: '^(server|sdk|console|bench)/' },
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      severity: 'error',
      from: {
        orphan: true,
        path: '^server/src/',
        pathNot: [TESTS, '^server/src/main\\.ts$', '^server/src/(ui|outbox)/assets/'],
      },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'server/tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}

/**
 * `npm run docs`: writes what is derived from the code: docs/authority.md, docs/configuration.md, docs/errors.md and
 * docs/openapi.json.
 * With `--check` it writes nothing and ends with 1 when one of them is stale; so does src/docs.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp } from './src/app.ts'
import { readConfig, SETTINGS } from './src/config.ts'
import { createSeal } from './src/crypto/seal.ts'
import { openPglite } from './src/database/pglite.ts'
import { FAILURES } from './src/errors.ts'
import type { Authority, Declared } from './src/http/authority.ts'

export const DOCS = join(import.meta.dirname, '../docs')

type Operation = {
  operationId: string
  summary?: string
  security?: object[]
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}
/** Of an OpenAPI document what is read here. */
export type ApiDocument = { servers: { url: string }[]; paths: Record<string, Record<string, Operation>> }

/** Every file `npm run docs` writes, by its name. */
export function derivedDocs(document: ApiDocument, routes: Declared[]): Record<string, string> {
  return {
    'authority.md': authorityDoc(routes),
    'configuration.md': configurationDoc(),
    'errors.md': errorsDoc(document),
    'openapi.json': `${JSON.stringify({ ...document, servers: [{ url: readConfig({}).BASE_URL }] }, null, 2)}\n`,
  }
}

/** A cell's text: outside of code, `<` would begin a tag. */
const escaped = (cell: string) =>
  cell.replaceAll('|', '\\|').replace(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part))

const table = (columns: string[], rows: string[][]) =>
  [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n')

/** The settings by what they are about; each is in one group. */
const GROUPS: Record<string, RegExp> = {
  'Where it listens': /^(PORT|HOST|BASE_URL|TRUST_PROXY|WORKERS)$/,
  'What it keeps': /^(DATA_DIR|DATABASE_|SECRET_KEY)/,
  'First administrator and first service client': /^ADMIN_/,
  Mail: /^MAIL_/,
  'Tokens and sign-in': /^(TTL_|KEY_|PKCE_|PASSWORD_|SERVICE_TOKEN_)/,
  'What is deleted': /^RETENTION_/,
  Webhooks: /^WEBHOOK_/,
  Operation: /^(LOG_|METRICS_)/,
}

export function configurationDoc(): string {
  const named = Object.entries(SETTINGS)
  const groups = Object.entries(GROUPS).map(([title, pattern]) => ({
    title,
    settings: named.filter(([name]) => pattern.test(name)),
  }))
  const rest = named.filter(([name]) => !Object.values(GROUPS).some((pattern) => pattern.test(name)))
  const row = ([name, { default: preset, allowed, doc }]: (typeof named)[number]) => [
    `\`${name}\``,
    preset,
    allowed,
    doc,
  ]
  const sections = [...groups, { title: 'Other', settings: rest }]
    .filter(({ settings }) => settings.length > 0)
    .map(
      ({ title, settings }) =>
        `## ${title}\n\n${table(['Name', 'Default', 'Allowed', 'Meaning'], settings.map(row))}\n`,
    )
  return `# Settings

Written by \`npm run docs\` from \`server/src/config.ts\`.

Settings are environment variables, read once at the start. All of them are checked before anything else happens: a start
with a wrong one ends and names each that is wrong. An empty value counts as absent.

${sections.join('\n')}
## Other identity providers

A group for each provider; \`<ID>\` is a name of yours in capital letters and digits, and a part of addresses in small
ones. \`GOOGLE\`, \`MICROSOFT\` and \`GITHUB\` need only the id and the secret, \`APPLE\` the id and what it has instead of a
secret. How they sign people in: [social.md](social.md).

${table(
  ['Name', 'Meaning'],
  [
    [
      '`SOCIAL_<ID>_ISSUER`',
      'The issuer of an OpenID provider; of `GITHUB` the address of a server of your own, if it is one.',
    ],
    ['`SOCIAL_<ID>_NAME`', 'The name on the button. Default: the id.'],
    ['`SOCIAL_<ID>_CLIENT_ID`', 'The client id it gave you.'],
    ['`SOCIAL_<ID>_CLIENT_SECRET`', 'The secret it gave you.'],
    ['`SOCIAL_APPLE_TEAM_ID`', 'The id of your team at Apple. The client id is that of the Services ID.'],
    ['`SOCIAL_APPLE_KEY_ID`', 'The id of the key for Sign in with Apple.'],
    [
      '`SOCIAL_APPLE_PRIVATE_KEY`',
      'That key: what is in its .p8 file (PEM). Line ends may be written as `\\n`.',
    ],
  ],
)}
`
}

export function errorsDoc(document: ApiDocument): string {
  const answeredBy = operationsByCode(document)
  const everyAdmin = operationsOf(document).filter(({ path }) => path.startsWith('/admin/')).length
  const where = (code: string) => {
    const operations = answeredBy.get(code) ?? []
    if (SHARED[code]) return SHARED[code]
    if (operations.length === everyAdmin) return 'every operation of /admin'
    return operations.map((name) => `\`${name}\``).join(', ') || 'none yet'
  }
  const rows = Object.entries(FAILURES).map(([code, { status, title }]) => [
    String(status),
    `\`${code}\``,
    title,
    where(code),
  ])
  return `# Failures

Written by \`npm run docs\` from \`server/src/errors.ts\` and the OpenAPI document.

A refusal is \`application/problem+json\` (RFC 9457). Switch on \`code\`: it never changes its meaning. \`detail\` is for
people, \`errors\` names the faulty fields, \`requestId\` is in our log.

\`\`\`json
{
  "type": "about:blank",
  "title": "Another role of this system has this name.",
  "status": 409,
  "code": "role_name_taken",
  "requestId": "5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11"
}
\`\`\`

\`/auth\`, \`/token\`, \`/me\` and the other endpoints of the protocol answer as RFC 6749 and OpenID Connect have it:
\`{"error", "error_description"}\`. The pages of a sign-in answer people with a page, and with this to who asks for JSON.

${table(['Status', 'Code', 'Meaning', 'Answered by'], rows)}
`
}

const AUTHORITIES = ['platform', 'system', 'account'] as const

export function authorityDoc(declared: Declared[]): string {
  const routes = declared.filter(({ method }) => method !== 'HEAD')
  // The name of a stylesheet holds a hash of it.
  const addressOf = (url: string) => url.replace(/style-[\w-]+(?=\.css)/, 'style-…')
  const one = ({ method, url }: Declared) => `\`${method} ${addressOf(url)}\``
  const cell = ({ authority = [], reach }: Declared, each: Authority) =>
    authority.includes(each) ? (reach?.[each] ?? 'yes') : 'no'
  const admin = routes.filter(({ authority }) => Array.isArray(authority))
  const listOf = (kind: Declared['authority']) =>
    routes
      .filter(({ authority }) => authority === kind)
      .map((route) => `- ${one(route)}`)
      .join('\n')
  return `# Who may do what

Written by \`npm run docs\` from what each route declares (\`config.authority\` and \`config.reach\`). A route that declares
nothing keeps the server from starting.

## With an admin token

${table(
  ['Authority', 'Token', 'Reaches'],
  [
    ['platform', 'of a user or a service of a platform system', 'everything'],
    ['system', 'service token of any other system', 'that system and what is in it'],
    ['account', 'user token of any other system, by a role that is admin', 'one account of that system'],
  ],
)}

\`yes\` is as far as the rule goes, \`no\` is 403 \`insufficient_authority\` whatever the id, and a text says where an authority
reaches less or more than its rule. What is out of reach answers 404, as if it did not exist.

${table(
  ['Operation', ...AUTHORITIES],
  admin.map((route) => [one(route), ...AUTHORITIES.map((each) => cell(route, each))]),
)}

## In a sign-in

Open to the browser that holds the cookie of the sign-in under way, and to no other.

${listOf('interaction')}

## A person's own pages

Open to the browser in which somebody is signed in, and to what is theirs.

${listOf('person')}

## Open to anyone

What these do with a client's secret, a code, a token, a cookie or a link that was mailed is decided by that. Also
\`GET /metrics\`, where \`METRICS_ENABLED\` is true.

${listOf('public')}
`
}

/** Said once instead of with each operation. */
const SHARED: Record<string, string> = {
  invalid_request: 'operations with a body or a query string',
  idempotency_key_in_use: 'every POST of /admin that has an `Idempotency-Key`',
  idempotency_key_reused: 'every POST of /admin that has an `Idempotency-Key`',
  version_conflict: 'every PATCH of /admin that has an `If-Match`',
  payload_too_large: 'operations with a body',
  unsupported_media_type: 'operations with a body',
  not_found: 'an address that is none, and operations whose path holds an id that is none',
  internal: 'any operation',
  unavailable: 'any operation',
}

function operationsOf({ paths }: ApiDocument): { path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  )
}

function operationsByCode(document: ApiDocument): Map<string, string[]> {
  const pairs = operationsOf(document).flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((response) =>
      codesOf(response).map((code) => ({ code, name: operation.operationId })),
    ),
  )
  const grouped = Map.groupBy(pairs, ({ code }) => code)
  return new Map([...grouped].map(([code, same]) => [code, same.map(({ name }) => name)]))
}

/** The error codes of a response: each has an example. */
const codesOf = ({ content }: Operation['responses'][string]) =>
  Object.keys(content?.['application/problem+json']?.examples ?? {})

/** The document and the routes of a server that never listens. */
async function readApi(): Promise<{ document: ApiDocument; routes: Declared[] }> {
  const database = await openPglite()
  const app = await buildApp({
    config: readConfig({ LOG_LEVEL: 'silent' }),
    database,
    seal: createSeal('nothing is kept under this key'),
  })
  const answer = await app.inject('/openapi.json')
  await app.close()
  await database.close()
  return { document: answer.json(), routes: app.declared }
}

if (import.meta.main) {
  const check = process.argv.includes('--check')
  const { document, routes } = await readApi()
  for (const [name, text] of Object.entries(derivedDocs(document, routes))) {
    const file = join(DOCS, name)
    if (!check) writeFileSync(file, text)
    else if (readFileSync(file, 'utf8') !== text) {
      process.stderr.write(`docs/${name} is stale: run npm run docs.\n`)
      process.exitCode = 1
    }
  }
}

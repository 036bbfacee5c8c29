/**
 * The API page: GET /docs renders /openapi.json in the browser with Scalar (decision 0020). All files are
 * served from here; the page makes no requests to other servers.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { readScalar } from './scalar.ts'

const PUBLIC = { config: { authority: 'public' }, schema: { hide: true } } as const
/** An hour: the files change only with the version of the service. */
const KEPT = 'public, max-age=3600'

/**
 * `sandbox` without `allow-same-origin`: the script of a third party runs on an opaque origin, without access
 * to cookies, storage and responses of this server. Only our own scripts. Scalar sets styles on single
 * elements, so a nonce for styles is not possible.
 */
const CSP = [
  'sandbox allow-scripts allow-popups',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tenantry API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same in a file: <a href="/openapi.json">/openapi.json</a></noscript>
<div id="page"></div>
<script src="/docs/storage.js"></script>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Everything that would call a server of Scalar is disabled: fonts, proxy, telemetry, client, assistant. */
const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  hideClientButton: true,
  hideTestRequestButton: true, // a request from an opaque origin is not answered
  persistAuth: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'bearer' },
}
/** An opaque origin has no storage, and Scalar does not start without one: an empty one in memory. */
const STORAGE = `for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map()
  const value = {
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, text) => void kept.set(String(key), String(text)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() { return kept.size },
  }
  Object.defineProperty(window, name, { value, configurable: true })
}
`
const START = `Scalar.createApiReference('#page', ${JSON.stringify(SETTINGS)})\n`

export function mountApiPage(app: FastifyInstance): void {
  const answer = (reply: FastifyReply, type: string) =>
    reply
      .headers({ 'cache-control': KEPT, 'cross-origin-resource-policy': 'cross-origin' })
      .type(`${type}; charset=utf-8`)
  app.get('/docs', PUBLIC, (_request, reply) => {
    // An opaque origin cannot be keyed by the origin of the server: browsers would warn.
    reply.removeHeader('origin-agent-cluster')
    reply.raw.removeHeader('origin-agent-cluster')
    return answer(reply, 'text/html').header('content-security-policy', CSP).send(PAGE)
  })
  app.get('/docs/storage.js', PUBLIC, (_request, reply) => answer(reply, 'text/javascript').send(STORAGE))
  app.get('/docs/start.js', PUBLIC, (_request, reply) => answer(reply, 'text/javascript').send(START))

  let loading: Promise<Script> | undefined
  app.get('/docs/scalar.js', PUBLIC, async (request, reply) => {
    loading ??= loadScalar().catch((error) => {
      loading = undefined
      throw error
    })
    const { plain, compressed } = await loading
    answer(reply, 'text/javascript').header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return plain
    return reply.header('content-encoding', 'gzip').send(compressed)
  })
}

type Script = { plain: Buffer; compressed: Buffer }

/** Read at the first request, because it takes 0.2 s. */
async function loadScalar(): Promise<Script> {
  const plain = await readScalar()
  return { plain, compressed: await promisify(gzip)(plain) }
}

/** What verifiers fetch: the keys and the discovery documents. They change only with the library's instance, and so are kept. */
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

export type PublicDocument = { type: string; body: string }

const ROUTES = new Set(['jwks', 'discovery'])

const made = new WeakMap<Provider, Map<string, PublicDocument>>()

/** Keeps the library's answer, if it is one of these. */
export function keepDocument(provider: Provider, ctx: KoaContextWithOIDC): void {
  if (ctx.status !== 200 || !ROUTES.has(ctx.oidc?.route ?? '')) return
  const documents = made.get(provider) ?? new Map<string, PublicDocument>()
  made.set(provider, documents)
  documents.set(ctx.path, { type: ctx.response.get('content-type'), body: JSON.stringify(ctx.body) })
}

/** What the library has answered to the same before. */
export const documentOf = (provider: Provider, path: string): PublicDocument | undefined =>
  made.get(provider)?.get(path)

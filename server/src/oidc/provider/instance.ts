/** The protocol as app.ts uses it: one library instance for the present signing keys, replaced when they change. */
import type { RequestListener } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type Provider from 'oidc-provider'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { ensureSigningKeys, loadSigningKeys, type SigningKey } from './keys.ts'
import { wrapRequests } from './mount.ts'
import { createProvider } from './provider.ts'
import type { Render } from './render.ts'
import { createTokenVerifier, type TokenVerifier } from './tokens.ts'

/** How often a process looks whether a key's time has come, in ms. New keys are published far longer ahead. */
const KEY_CHECK_MS = 10_000
/** An unknown key is looked for at most this often, in ms. */
const KEY_SEARCH_MS = 1_000

export type Protocol = { provider(): Provider; handle: RequestListener; tokens: TokenVerifier; close(): void }

export async function startProtocol({
  db,
  seal,
  config,
  render,
  log,
}: {
  db: Db
  seal: Seal
  config: Config
  render: Render
  log: FastifyBaseLogger
}): Promise<Protocol> {
  await ensureSigningKeys(db, seal)
  let keys: readonly SigningKey[] = await loadSigningKeys(db, seal)
  let searchedAt = 0
  const refresh = async () => {
    const found = await loadSigningKeys(db, seal)
    if (fingerprint(found) === fingerprint(keys)) return
    keys = found
    current = build()
  }
  const search = async () => {
    if (performance.now() - searchedAt < KEY_SEARCH_MS) return
    searchedAt = performance.now()
    await refresh()
  }
  const tokens = createTokenVerifier(config.BASE_URL, { current: () => keys, refresh: search })
  const build = () => {
    const storage = { db, seal, config, tokens }
    const made = createProvider(storage, keys, render)
    wrapRequests(made, storage, render)
    return { provider: made, handle: made.callback() } // composed once, not for each request
  }
  let current = build()
  const timer = setInterval(
    () => refresh().catch((error) => log.error({ err: error }, 'signing keys could not be read')),
    KEY_CHECK_MS,
  ).unref()
  return {
    provider: () => current.provider,
    handle: (request, response) => current.handle(request, response),
    tokens,
    close: () => clearInterval(timer),
  }
}

const fingerprint = (keys: readonly SigningKey[]) => keys.map((key) => `${key.kid}:${key.state}`).join()

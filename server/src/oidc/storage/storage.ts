/** What every part of the storage adapter works with. */
import Provider, { type Adapter, type KoaContextWithOIDC } from 'oidc-provider'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { TokenVerifier } from '../provider/tokens.ts'

export type Storage = { db: Db; seal: Seal; config: Config; tokens: TokenVerifier }

/** The request under way, as the library knows it. */
export const requestContext = () => (Provider as unknown as { ctx: KoaContextWithOIDC | undefined }).ctx

/** What the library asks of no adapter of that kind. */
export const unused: Adapter = {
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

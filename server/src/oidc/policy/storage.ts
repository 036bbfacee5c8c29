import type { Adapter } from 'oidc-provider'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { TokenVerifier } from '../keys/token-verifier.ts'

/** The parts that all adapters of the library's models use. */
export type Storage = { db: Db; seal: Seal; config: Config; tokens: TokenVerifier }

/** Methods that the library does not call on an adapter. */
export const unused: Adapter = {
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

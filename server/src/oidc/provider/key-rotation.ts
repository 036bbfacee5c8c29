/** When signing keys are followed by new ones: when the operator asks for it, and every KEY_ROTATION_DAYS. */
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { rotateSigningKeys } from './keys.ts'

/** The 5 minutes for which /jwks may be kept, and 10 more for clocks and slow readers; in seconds. */
export const AHEAD = 900

type Lives = Pick<Config, 'TTL_ACCESS_TOKEN' | 'TTL_ID_TOKEN' | 'TTL_SERVICE_TOKEN'>

/**
 * New keys: published at once, they sign after AHEAD; the present ones stay published as long as a token they sign may
 * live. With `days` only when the newest are older than that. Answers the new ones.
 */
export function rotateKeys(db: Db, seal: Seal, lives: Lives, days?: number): Promise<string[]> {
  const longest = Math.max(lives.TTL_ACCESS_TOKEN, lives.TTL_ID_TOKEN, lives.TTL_SERVICE_TOKEN)
  return rotateSigningKeys(db, seal, AHEAD, longest + AHEAD, days)
}

import { type Adapter, errors } from 'oidc-provider'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { currentTransaction } from '../../database/transaction.ts'
import { failureOf } from '../../errors.ts'
import type { TokenVerifier } from '../provider/token-verifier.ts'

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

/**
 * Wraps a function of ours that the protocol library calls: a database fault becomes
 * temporarily_unavailable with status 503 (RFC 6749 section 4.1.2.1), never a verdict on a token or a
 * user, and rolls back the request's transaction.
 */
export function guardFaults<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await work(...args)
    } catch (error) {
      if (failureOf(error)?.code !== 'unavailable') throw error
      currentTransaction()?.fail(error)
      const unavailable = new errors.TemporarilyUnavailable(
        'the service is temporarily unavailable, try again',
      )
      throw Object.assign(unavailable, { status: 503, statusCode: 503, cause: error })
    }
  }
}

/** A device's code is short enough to be typed, and so to be guessed (RFC 8628 section 5.1). */
import { errors } from 'oidc-provider'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure } from '../../errors.ts'
import { guarded } from '../../http/limits/guard.ts'
import { CODES_OF_ALL, CODES_OF_NETWORK, limitOf, limitOfNetwork } from '../../http/limits/rules.ts'
import { actorOf } from '../request-state.ts'
import { requestContext } from './storage.ts'

/** What a code typed by somebody leads to; throws TooManyCodes where too many have led to nothing. */
export async function guessed<Found>(
  seal: Seal,
  tx: Db,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const ctx = requestContext()
  const ip = ctx ? actorOf(ctx).ip : null
  let found: Found | undefined
  try {
    await guarded(
      tx,
      [
        ...limitOfNetwork(seal, 'device-network', CODES_OF_NETWORK, ip),
        limitOf(seal, 'device-all', CODES_OF_ALL),
      ],
      async () => {
        found = await look()
        return found !== undefined
      },
    )
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'too_many_requests')) throw error
    const refusal = new errors.CustomOIDCProviderError(
      'too_many_requests',
      'too many codes were wrong, wait before the next',
    )
    throw Object.assign(refusal, { name: 'TooManyCodes', statusCode: 429, retryAfter: error.retryAfter })
  }
  return found
}

/** What the library leaves to us about a client of a request: its secret, and its response types. */
import { hash, timingSafeEqual } from 'node:crypto'
import { errors, type Client as LibraryClient, type Provider } from 'oidc-provider'
import { type Seal, sameText } from '../../crypto/seal.ts'
import { hashKey } from '../../resources/service-accounts/changes.ts'
import type { ServiceClient } from '../../resources/service-accounts/queries.ts'
import { fingerprintOf } from '../../resources/systems/client-keys.ts'
import { hashSecret } from '../../resources/systems/secret.ts'
import { requestContext, requestState } from '../policy/request-state.ts'

/**
 * The secret that a client last authenticated with: its SHA-256, which is several times faster than the keyed
 * hash, and its mark (client-keys.ts).
 */
type Verified = { digest: Buffer; mark: string }
const verifiedSecrets = new WeakMap<object, Verified>()

/**
 * Compares a presented secret with the stored hashes: that of the current secret and, during the grace period
 * of a rotation, of the previous one. Hashed secrets are supported by overriding this method
 * (panva/node-oidc-provider#1410).
 */
export function compareHashedSecrets(provider: Provider, seal: Seal): void {
  provider.Client.prototype.compareClientSecret = function compare(this: LibraryClient, actual: string) {
    const { serviceAccount } = this.tenantry
    if (serviceAccount) return acceptKey(seal, serviceAccount, actual)
    const known = verifiedSecrets.get(this) // a changed secret gives another client object
    const digest = hash('sha256', actual, 'buffer')
    const verified =
      known && timingSafeEqual(digest, known.digest) ? known : verify(this, seal, actual, digest)
    if (!verified) return false
    if (verified !== known) verifiedSecrets.set(this, verified)
    const ctx = requestContext()
    if (ctx) requestState(ctx).secretMark = verified.mark
    return true
  }
}

/** Whether a secret is that of a key of the service account, which the request then uses. */
function acceptKey(seal: Seal, { keys }: ServiceClient, actual: string): boolean {
  const hashed = hashKey(seal, actual)
  const key = keys?.find((each) => sameText(hashed, each.hash))
  const ctx = requestContext()
  if (!key || !ctx) return false
  requestState(ctx).serviceKey = key
  return true
}

/**
 * Rejects a response type that a client may not use as `unsupported_response_type`: the library supports
 * `none` for the built-in client, which is no response type of a system.
 */
export function rejectResponseTypes(provider: Provider): void {
  provider.Client.prototype.responseTypeAllowed = function allowed(this: LibraryClient, type: string) {
    if (this.responseTypes?.includes(type as never)) return true
    throw new errors.UnsupportedResponseType()
  }
}

function verify(
  { clientSecret, tenantry: { previousSecretHash } }: LibraryClient,
  seal: Seal,
  actual: string,
  digest: Buffer,
): Verified | undefined {
  const stored = hashSecret(seal, actual)
  const found = [clientSecret, previousSecretHash].find((each) => each && sameText(stored, each))
  return !found ? undefined : { digest, mark: fingerprintOf(found) }
}

/**
 * Signs tokens with ES256. Synchronously and in DER, then converted: on Node 24 the JOSE form asked of OpenSSL, or signing
 * through WebCrypto, costs about twice as much for each token.
 */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { ExternalSigningKey } from 'oidc-provider'
import type { SigningKey } from './keys.ts'

/** A key as the library takes it from elsewhere. */
export class EcSigner extends ExternalSigningKey {
  readonly #key: SigningKey
  readonly #private: KeyObject
  readonly #public: KeyObject

  constructor(key: SigningKey) {
    super()
    this.#key = key
    this.#private = createPrivateKey({ key: key.privateJwk as JsonWebKey, format: 'jwk' })
    this.#public = createPublicKey({ key: key.publicJwk as JsonWebKey, format: 'jwk' })
  }

  override get kid(): string {
    return this.#key.kid
  }

  override get alg(): string {
    return this.#key.alg
  }

  override keyObject(): KeyObject {
    return this.#public
  }

  override sign(data: Uint8Array): Uint8Array {
    return joseSignature(sign('sha256', data, this.#private))
  }
}

/** DER (SEQUENCE of two INTEGERs, X.690) to the 64 bytes r || s of RFC 7518 section 3.4. */
function joseSignature(der: Uint8Array): Uint8Array {
  const signature = new Uint8Array(64)
  let at = 2 // SEQUENCE and its length, always one byte for P-256
  for (const end of [32, 64]) {
    const length = der[at + 1]!
    // Leading zeros of the INTEGER (its sign) are dropped, missing ones are left as zeros.
    const digits = der.subarray(at + 2 + Math.max(0, length - 32), at + 2 + length)
    signature.set(digits, end - digits.length)
    at += 2 + length
  }
  return signature
}

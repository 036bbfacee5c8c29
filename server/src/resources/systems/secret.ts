import { randomBytes } from 'node:crypto'
import { randomToken, type Seal } from '../../crypto/seal.ts'

/**
 * 96 random bits: unguessable, never the same twice, and never of the form of a
 * user's id (RFC 9068 section 5).
 */
export const newClientId = (): string => `sys_${randomBytes(12).toString('base64url')}`

/** A client secret: 256 random bits, shown once. */
export const newSecret = (): string => randomToken()

/**
 * The stored form of a secret. A fast keyed hash is sufficient for a random value, and /token computes one
 * per request.
 */
export const hashSecret = (seal: Seal, secret: string): string =>
  seal.hash(secret, 'client_secret').toString('base64url')

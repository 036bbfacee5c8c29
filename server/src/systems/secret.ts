import { randomToken, type Seal } from '../seal.ts'

/** What a client proves itself with: 256 random bits, shown once. */
export const newSecret = (): string => randomToken()

/** How it is stored. A fast keyed hash is enough for a random secret, and /token pays it at every call. */
export const hashSecret = (seal: Seal, secret: string): string => seal.hash(secret, 'client_secret').toString('base64url')

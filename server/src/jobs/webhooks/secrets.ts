import { EventEmitter } from 'node:events'
import type { Seal } from '../../crypto/seal.ts'

/** The secret of one webhook opens as no other's. */
const contextOf = (id: string) => `webhook:${id}`

export const sealSecret = (seal: Seal, id: string, secret: string): Buffer => seal.seal(secret, contextOf(id))

type Sealed = { id: string; sealedSecret: Buffer; previousSealedSecret: Buffer | null }

/** What a message is signed with: the secret, and after a rotation for a while the one before. */
export const openSecrets = (seal: Seal, { id, sealedSecret, previousSealedSecret }: Sealed): string[] =>
  [sealedSecret, previousSealedSecret].flatMap((sealed) => (sealed ? [seal.open(sealed, contextOf(id))] : []))

/** Tells the worker of this process that a delivery was queued by a request. */
export const queued = new EventEmitter<{ delivery: [] }>()

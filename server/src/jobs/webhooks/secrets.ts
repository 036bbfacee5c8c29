import { EventEmitter } from 'node:events'
import type { Seal } from '../../crypto/seal.ts'

/** Binds an encrypted secret to its webhook. */
export const webhookContextOf = (id: string) => `webhook:${id}`

export const sealSecret = (seal: Seal, id: string, secret: string): Buffer =>
  seal.seal(secret, webhookContextOf(id))

type Sealed = { id: string; sealedSecret: Buffer; previousSealedSecret: Buffer | null }

/** The secrets that sign a message: the current one, and for a time after a rotation the previous one. */
export const openSecrets = (seal: Seal, { id, sealedSecret, previousSealedSecret }: Sealed): string[] =>
  [sealedSecret, previousSealedSecret].flatMap((sealed) =>
    sealed ? [seal.open(sealed, webhookContextOf(id))] : [],
  )

/** Wakes the worker of this process: a delivery was queued by a request. */
export const queuedDeliveries = new EventEmitter<{ delivery: [] }>()

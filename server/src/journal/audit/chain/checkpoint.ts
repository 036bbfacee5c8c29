/**
 * Checkpoints: signed statements of the server that a block has a certain hash. A copy that is kept elsewhere
 * proves later that nothing up to this block was changed or removed.
 */
import { createPublicKey } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, compactVerify, type JWK } from 'jose'
import type { Seal } from '../../../crypto/seal.ts'
import { type Stamp, stampOf } from '../stamp.ts'

export type Checkpoint = { number: number; hash: string; closedAt: string }

/** Signs and verifies checkpoints of this installation. */
export type CheckpointKey = {
  /** The public key, for `/audit/jwks`. */
  jwk: JWK
  /** A JWS in compact serialization (RFC 7515) with the algorithm EdDSA. */
  sign(checkpoint: Checkpoint): Promise<string>
  /** Undefined unless the text is a checkpoint that this installation has signed. */
  verify(text: string): Promise<Checkpoint | undefined>
  /** States that a block is the newest one. Unlike a checkpoint, it is not kept for earlier blocks. */
  signHead(head: Head): Promise<string>
  verifyHead(text: string): Promise<Head | undefined>
  /** The stamp that an entry of this installation has. */
  stamp: Stamp
}

export type Head = Pick<Checkpoint, 'number' | 'hash'>

const CHECKPOINT = 'tenantry-audit-checkpoint+jwt'
const HEAD = 'tenantry-audit-head+jwt'

/** The key of an installation. */
export async function openCheckpointKey(seal: Seal): Promise<CheckpointKey> {
  const privateKey = seal.signingKey('audit')
  const publicKey = createPublicKey(privateKey)
  const exported = publicKey.export({ format: 'jwk' }) as JWK
  const kid = await calculateJwkThumbprint(exported)
  const sign = (typ: string) => (statement: object) =>
    new CompactSign(Buffer.from(JSON.stringify(statement)))
      .setProtectedHeader({ alg: 'EdDSA', kid, typ })
      .sign(privateKey)
  const verify = (typ: string) => async (text: string) => {
    try {
      const { payload, protectedHeader } = await compactVerify(text, publicKey, { algorithms: ['EdDSA'] })
      if (protectedHeader.typ !== typ) return undefined
      return JSON.parse(Buffer.from(payload).toString('utf8'))
    } catch {
      return undefined
    }
  }
  return {
    jwk: { ...exported, kid, alg: 'EdDSA', use: 'sig' },
    sign: sign(CHECKPOINT),
    verify: verify(CHECKPOINT),
    signHead: sign(HEAD),
    verifyHead: verify(HEAD),
    stamp: stampOf(seal),
  }
}

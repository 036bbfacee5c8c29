/**
 * The address that was typed in a sign-in, on its way to the provider of an organization. It is sealed in the
 * links of the connections, for this sign-in: histories and logs do not contain it.
 */
import type { Seal } from '../crypto/seal.ts'

const PARAMETER = 'hint'
const contextOf = (uid: string) => `connection:typed:${uid}`

/** The address of a connection in the sign-in `uid`. */
export function withTyped(seal: Seal, uid: string, address: string, typed: string | undefined): string {
  if (!typed) return address
  return `${address}?${PARAMETER}=${seal.seal(typed, contextOf(uid)).toString('base64url')}`
}

export function readTyped(seal: Seal, uid: string, query: unknown): string | undefined {
  const { [PARAMETER]: sealed } = (query ?? {}) as { [PARAMETER]?: unknown }
  if (typeof sealed !== 'string') return undefined
  try {
    return seal.open(Buffer.from(sealed, 'base64url'), contextOf(uid))
  } catch {
    return undefined // of another sign-in, or sealed under another key
  }
}

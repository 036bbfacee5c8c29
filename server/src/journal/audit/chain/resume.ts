/** How a server process continues the chain. */
import { ChainBroken, type ChainParts, extendToEnd } from './extend.ts'
import type { Block } from './queries.ts'
import { verifyRecent } from './verify.ts'

/** Faults in the message. `audit verify` prints the others. */
const NAMED_MAX = 5

/**
 * Extends the chain until there is nothing to add, and returns the newest block. A process that knows no
 * block verifies the end of the chain first: what was changed while no server was running is not signed.
 * Throws ChainBroken.
 */
export async function resumeChain(
  parts: ChainParts,
  known: Block | undefined,
  signal?: AbortSignal,
): Promise<Block | undefined> {
  return extendToEnd(parts, { known: known ?? (await findSound(parts)) }, signal)
}

async function findSound({ db, key }: ChainParts): Promise<Block | undefined> {
  const { faults, newest } = await verifyRecent(db, key)
  if (faults.length > 0) throw new ChainBroken(faults.slice(0, NAMED_MAX).join(' '))
  return newest
}

/**
 * `keys rotate`: new signing keys. They are published at once and sign once every verifier had time to read
 * them; the present ones stay published as long as a token of theirs is valid. With the embedded database,
 * stop the server first: it holds the data folder.
 */
import type { Config } from '../config/config.ts'
import { AHEAD, ensureSigningKeys, rotateKeys } from '../oidc/keys/signing-keys.ts'
import { openParts } from '../start.ts'
import type { CommandOutcome } from './command.ts'

export async function runRotateKeys(settings: () => Config): Promise<CommandOutcome> {
  // Checks SECRET_KEY too: keys sealed under another one would keep every server from starting.
  const { config, database, seal, close } = await openParts(settings())
  try {
    await ensureSigningKeys(database.db, seal)
    const kids = await rotateKeys(database.db, seal, config)
    const lines = [`New keys are published; they sign in ${AHEAD / 60} minutes: ${kids.join(', ')}`]
    return { code: 0, lines, data: { kids, signInSeconds: AHEAD } }
  } finally {
    await close()
  }
}

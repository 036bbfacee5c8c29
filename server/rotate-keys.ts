/**
 * `npm run keys:rotate`: new signing keys. They are published at once and sign once every verifier had time
 * to read them; the present ones stay published as long as a token they signed may live. With the embedded
 * database, stop the server first: it holds the data folder.
 */
import { explained, readConfig } from './src/config.ts'
import { AHEAD, ensureSigningKeys, rotateKeys } from './src/oidc/provider/signing-keys.ts'
import { openParts } from './src/start.ts'

async function rotate(): Promise<void> {
  const config = readConfig(process.env)
  // Checks SECRET_KEY too: keys sealed under another one would keep every server from starting.
  const { database, seal, close } = await openParts(config)
  try {
    await ensureSigningKeys(database.db, seal)
    const kids = await rotateKeys(database.db, seal, config)
    process.stdout.write(`New keys are published; they sign in ${AHEAD / 60} minutes: ${kids.join(', ')}\n`)
  } finally {
    await close()
  }
}

try {
  await rotate()
} catch (error) {
  process.stderr.write(explained(error))
  process.exit(1)
}

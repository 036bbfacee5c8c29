/**
 * `npm run keys:rotate`: new signing keys. They are published at once and sign once every verifier had time to read
 * them; the present ones stay published as long as a token they signed may live. With the embedded database, stop the
 * server first: it holds the data folder.
 */
import { explained, readConfig } from './src/config.ts'
import { ensureSigningKeys, rotateSigningKeys } from './src/oidc/keys.ts'
import { openParts } from './src/start.ts'

/** The 5 minutes for which /jwks may be kept, and 10 more for clocks and slow readers; in seconds. */
const AHEAD = 900

async function rotate(): Promise<void> {
  const config = readConfig(process.env)
  // Checks SECRET_KEY too: keys sealed under another one would keep every server from starting.
  const { database, seal, close } = await openParts(config)
  try {
    await ensureSigningKeys(database.db, seal)
    const longest = Math.max(config.TTL_ACCESS_TOKEN, config.TTL_ID_TOKEN, config.TTL_SERVICE_TOKEN)
    const kids = await rotateSigningKeys(database.db, seal, AHEAD, longest + AHEAD)
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

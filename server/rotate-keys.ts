/**
 * `npm run keys:rotate`: new signing keys. They are published at once and sign once every verifier had time to read
 * them; the present ones stay published as long as a token they signed may live. With the embedded database, stop the
 * server first: it holds the data folder.
 */
import { join } from 'node:path'
import { readConfig } from './src/config.ts'
import { lockDataDir, openDataDir, secretKeyOf } from './src/data-dir.ts'
import { openPglite, openPostgres } from './src/db.ts'
import { ensureSigningKeys, rotateSigningKeys } from './src/oidc/keys.ts'
import { createSeal } from './src/seal.ts'

/** The 5 minutes for which /jwks may be kept, and 10 more for clocks and slow readers; in seconds. */
const AHEAD = 900

const config = readConfig(process.env)
const folder = openDataDir(config.DATA_DIR)
const lock = config.DATABASE_URL ? undefined : lockDataDir(folder)
const seal = createSeal(config.SECRET_KEY ?? secretKeyOf(folder))
const { db, close } = config.DATABASE_URL
  ? await openPostgres(config.DATABASE_URL, 1)
  : await openPglite(join(folder, 'database'))
try {
  await ensureSigningKeys(db, seal)
  const longest = Math.max(config.TTL_ACCESS_TOKEN, config.TTL_ID_TOKEN, config.TTL_SERVICE_TOKEN)
  const kids = await rotateSigningKeys(db, seal, AHEAD, longest + AHEAD)
  process.stdout.write(`New keys are published; they sign in ${AHEAD / 60} minutes: ${kids.join(', ')}\n`)
} finally {
  await close()
  lock?.release()
}

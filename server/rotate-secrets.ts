/**
 * `npm run secrets:rotate`: encrypts what is stored again under SECRET_KEY, so that SECRET_KEY_PREVIOUS can
 * be removed (docs/secrets.md). It can be repeated. With the embedded database, stop the server first: it
 * holds the data folder.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError, explained, readConfig } from './src/config.ts'
import { inTransaction } from './src/database/transaction.ts'
import { resealEmails } from './src/jobs/email/reseal.ts'
import { resealWebhooks } from './src/jobs/webhooks/reseal.ts'
import { resealSigningKeys } from './src/oidc/provider/signing-keys.ts'
import { replaceSecretKey } from './src/platform.ts'
import { resealTotpSecrets } from './src/resources/factors/reseal.ts'
import { openParts } from './src/start.ts'

/**
 * 15 s, in ms: servers read the signing keys every 10 seconds, and seal with the new key as soon as they have
 * read one that is sealed under it.
 */
const NOTICED = 15_000

async function rotate(): Promise<void> {
  const config = readConfig(process.env)
  if (config.SECRET_KEY_PREVIOUS === undefined)
    throw new ConfigError('SECRET_KEY_PREVIOUS is required: the key that SECRET_KEY replaces.')
  const { database, seal, keys, close } = await openParts(config)
  const { db } = database
  try {
    seal.useNewKey()
    const signingKeys = await inTransaction(db, async (tx) => {
      await replaceSecretKey(tx, seal, keys)
      return resealSigningKeys(tx, seal)
    })
    if (config.DATABASE_URL) await pause(NOTICED)
    const webhooks = await resealWebhooks(db, seal)
    const apps = await resealTotpSecrets(db, seal)
    const emails = await resealEmails(db, seal)
    process.stdout.write(
      `Encrypted with SECRET_KEY: ${signingKeys} signing keys, ${webhooks} webhooks, ${apps} authenticator apps, ` +
        `${emails} emails. Remove SECRET_KEY_PREVIOUS after 24 hours.\n`,
    )
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

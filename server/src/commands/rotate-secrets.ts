/**
 * `secrets rotate`: encrypts what is stored again under SECRET_KEY, so that SECRET_KEY_PREVIOUS can be
 * removed (docs/secrets.md). It can be repeated. With the embedded database, stop the server first: it holds
 * the data folder.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, ConfigError } from '../config/config.ts'
import { inTransaction } from '../database/transaction.ts'
import { resealEmails } from '../jobs/email/reseal.ts'
import { resealWebhooks } from '../jobs/webhooks/reseal.ts'
import { resealSigningKeys } from '../oidc/keys/signing-keys.ts'
import { replaceSecretKey } from '../platform.ts'
import { resealConnections } from '../resources/connections/secret.ts'
import { resealTotpSecrets } from '../resources/factors/reseal.ts'
import { openParts } from '../start.ts'
import type { CommandOutcome } from './command.ts'

/**
 * 15 s, in ms: servers read the signing keys every 10 seconds, and seal with the new key as soon as they have
 * read one that is sealed under it.
 */
const NOTICED = 15_000

export async function rotateSecrets(settings: () => Config): Promise<CommandOutcome> {
  const config = settings()
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
    const connections = await resealConnections(db, seal)
    const emails = await resealEmails(db, seal)
    const lines = [
      `Encrypted with SECRET_KEY: ${signingKeys} signing keys, ${webhooks} webhooks, ${apps} authenticator apps, ` +
        `${connections} connections, ${emails} emails. Remove SECRET_KEY_PREVIOUS after 24 hours.`,
    ]
    return { code: 0, lines, data: { signingKeys, webhooks, authenticatorApps: apps, connections, emails } }
  } finally {
    await close()
  }
}

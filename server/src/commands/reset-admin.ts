/**
 * `admin reset`: a temporary password for an administrator of the platform who is locked out. Whoever can run
 * it can read DATABASE_URL and SECRET_KEY. With the embedded database, stop the server first: it holds the
 * data folder.
 */
import { type Config, ConfigError } from '../config/config.ts'
import { findConsoleRights } from '../console/queries.ts'
import { hashPassword } from '../crypto/password-hash.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { addressKey } from '../email-address.ts'
import { SERVER } from '../http/authority.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../jobs/email/enqueue.ts'
import { passwordReset } from '../jobs/email/messages.ts'
import { disableFactors } from '../lifecycle/disable-factors.ts'
import { replacePassword } from '../lifecycle/replace-password.ts'
import { TEMPORARY_HOURS, temporaryPassword } from '../resources/credentials/temporary-password.ts'
import { lockUserOf } from '../resources/users/queries.ts'
import { openParts } from '../start.ts'
import type { CommandOutcome, Options } from './command.ts'

export async function resetAdmin(settings: () => Config, options: Options): Promise<CommandOutcome> {
  const { config, database, seal, close } = await openParts(settings())
  const email = addressKey(String(options.email ?? config.ADMIN_EMAIL ?? 'admin@localhost'))
  const removesFactors = options['remove-second-factors'] === true
  try {
    const password = await resetIn(database.db, seal, email, removesFactors)
    const lines = [
      `Temporary password of ${email}: ${password}`,
      `It expires after ${TEMPORARY_HOURS} hours; the sign-in asks for a new one. All sessions of the user were ended.`,
    ]
    if (removesFactors) lines.push('Second factors of the user were removed.')
    return { code: 0, lines, data: { email, temporaryPassword: password, expiresInHours: TEMPORARY_HOURS } }
  } finally {
    await close()
  }
}

async function resetIn(db: Db, seal: Seal, email: string, removesFactors: boolean): Promise<string> {
  const password = temporaryPassword()
  const hash = await hashPassword(password, null)
  await inTransaction(db, async (tx) => {
    const user = await lockUserOf(tx, email)
    const rights = user && (await findConsoleRights(tx, user.id, {}))
    if (!user || rights?.platform !== 'admin')
      throw new ConfigError(`${email} is not an administrator of the platform. Name one: --email ADDRESS.`)
    const entry = { action: 'user.password_reset', target: { type: 'user', id: user.id } }
    const temporary = { hash, mustChange: true, goodFor: TEMPORARY_HOURS }
    const after = await replacePassword(tx, SERVER, user, null, temporary, entry)
    await enqueueEmail(tx, seal, passwordReset(after, undefined), OF_NO_SYSTEM)
    if (removesFactors) await disableFactors(tx, seal, SERVER, after, { scope: null, system: undefined })
  })
  return password
}

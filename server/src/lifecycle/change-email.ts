/**
 * A change of the e-mail address, confirmed from both sides: a link to the new address, and one to the
 * current address if that is verified. The second link that is used makes the change. The link to the new
 * address works only in a browser in which the user is signed in: the address may be another person's.
 */

import type { Config } from '../config/config.ts'
import { randomToken, type Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { type Actor, EVERYTHING } from '../http/authority.ts'
import { reserveForAsker } from '../jobs/email/budget.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../jobs/email/enqueue.ts'
import { emailChangeApprovalEmail, emailChanged, emailChangeEmail } from '../jobs/email/messages.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import {
  type ChangeLink,
  consumeChange,
  deleteChange,
  findChange,
  replaceChange,
} from '../resources/credentials/queries.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { lockUser, lockUserOf, type User } from '../resources/users/queries.ts'
import { findReadable } from '../resources/users/readable.ts'
import { hasAnythingEverywhere } from '../resources/users/remains.ts'
import { changeAddress } from './change-address.ts'

/** 30 minutes, in seconds. */
const EXPIRES_IN = 1_800
export const CHANGE_PATH = '/change-email'

const changeHashOf = (seal: Seal, token: string) => seal.hash(token, 'link:email_change')

/**
 * Emails the links for a row-locked user. An address of another user who has proved it, or one that has
 * received the maximum of emails, gets none; the current address always does, so that the caller cannot tell
 * the cases apart.
 */
export async function requestEmailChange(
  tx: Db,
  { seal, config }: { seal: Seal; config: Pick<Config, 'BASE_URL'> },
  actor: Actor,
  user: User,
  email: string,
): Promise<void> {
  const [there, here] = [randomToken(), randomToken()]
  const links: ChangeLink[] = [{ purpose: 'email_change', hash: changeHashOf(seal, there) }]
  if (user.emailVerified) links.push({ purpose: 'email_change_approval', hash: changeHashOf(seal, here) })
  const href = (token: string) => `${config.BASE_URL}${CHANGE_PATH}?token=${token}`
  await replaceChange(tx, user.id, email, links, EXPIRES_IN)
  const other = await findReadable(tx, { email, reader: undefined })
  const isFree = other === undefined || !(await hasAnythingEverywhere(tx, other))
  const free = isFree && (await reserveForAsker(tx, seal, email, { userId: user.id, ip: actor.ip }))
  const turn = { systemId: null, isAwaited: true }
  if (free) await enqueueEmail(tx, seal, emailChangeEmail({ ...user, email }, href(there), EXPIRES_IN), turn)
  if (user.emailVerified)
    await enqueueEmail(tx, seal, emailChangeApprovalEmail(user, email, href(here), EXPIRES_IN), turn)
  const changes = { email: [user.email, email] as [unknown, unknown] }
  await record(tx, actor, {
    action: 'user.email_change_asked',
    target: { type: 'user', id: user.id },
    changes,
  })
}

/** The change of a valid link; `ofNewAddress`: it was sent to the new address. */
export async function openChange(
  db: Db,
  seal: Seal,
  token: string,
): Promise<{ userId: string; email: string; ofNewAddress: boolean } | undefined> {
  const found = await findChange(db, changeHashOf(seal, token))
  if (!found) return undefined
  const { purpose, ...change } = found
  return { ...change, ofNewAddress: purpose === 'email_change' }
}

/** The user whom systems have created with the address. Throws `link_expired` if that user has proved it. */
async function otherOf(tx: Db, { id }: User, email: string): Promise<User | undefined> {
  const other = await lockUserOf(tx, email)
  if (!other || other.id === id) return undefined
  if (await hasAnythingEverywhere(tx, other.id)) throw new Failure('link_expired')
  return other
}

/**
 * Consumes a link. Returns whether the address has changed or the other link is still unused. Throws
 * `link_expired`, also if the address was taken meanwhile.
 */
export async function confirmEmailChange(
  db: Db,
  seal: Seal,
  actor: Actor,
  { userId, email, token }: { userId: string; email: string; token: string },
): Promise<'changed' | 'waiting'> {
  try {
    return await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, EVERYTHING, userId)
      const counted = await consumeChange(tx, userId, changeHashOf(seal, token))
      if (!counted || before.disabled) throw new Failure('link_expired')
      if (counted.waiting > 0) return 'waiting'
      // If the current address was verified since the request, it must confirm the change too.
      if (counted.used < (before.emailVerified ? 2 : 1)) throw new Failure('link_expired')
      const patch = { email, emailVerified: true }
      const other = await otherOf(tx, before, email)
      const after = await changeAddress(tx, seal, actor, before, patch, other)
      await deleteChange(tx, userId)
      const changes = difference(before, patch)
      await record(tx, actor, { action: 'user.email_changed', target: { type: 'user', id: userId }, changes })
      await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: Object.keys(changes) }))
      for (const message of emailChanged(before, after, ''))
        await enqueueEmail(tx, seal, message, OF_NO_SYSTEM)
      return 'changed'
    })
  } catch (error) {
    if (failureOf(error)?.code === 'email_taken') throw new Failure('link_expired', { cause: error })
    throw error
  }
}

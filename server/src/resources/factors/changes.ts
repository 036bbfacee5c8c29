/**
 * Adding, removing and renaming second factors: row, audit entry, event and email, for a sign-in that
 * requires one and for the self-service pages. Each takes the user as `lockUser` returned it.
 */

import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { enqueueEmail } from '../../jobs/email/enqueue.ts'
import { factorAdded, factorRemoved, recoveryCodesRenewed } from '../../jobs/email/messages.ts'
import type { Brand } from '../../ui/brand.ts'
import { record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { eventOf } from '../users/changes.ts'
import { type User, updateUser } from '../users/queries.ts'
import {
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  hasFactor,
  insertPasskey,
  type NewPasskey,
  renamePasskey,
  replaceRecoveryCodes,
  replaceTotp,
} from './queries.ts'
import { newRecoveryCodes, recoveryHash } from './recovery-code.ts'
import { sealTotpSecret } from './totp-secret.ts'

/** The system of a sign-in, if there is one. */
type SystemContext = { systemId: string | null; system: Brand | undefined }
const NO_SYSTEM: SystemContext = { systemId: null, system: undefined }

type Added =
  | { kind: 'totp'; secret: string; step: number }
  | { kind: 'passkey'; passkey: Omit<NewPasskey, 'userId'> }

/** Adds a factor. Returns new recovery codes, to be displayed once, if it is the first factor. */
export async function addFactor(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  added: Added,
  context = NO_SYSTEM,
): Promise<string[]> {
  const first = !(await hasFactor(tx, before.id))
  if (added.kind === 'totp')
    await replaceTotp(tx, before.id, sealTotpSecret(seal, before.id, added.secret), added.step)
  else await insertPasskey(tx, { ...added.passkey, userId: before.id })
  const codes = first ? await renewCodes(tx, seal, before.id) : []
  const name = added.kind === 'totp' ? null : added.passkey.name
  await recordChange(
    tx,
    actor,
    before,
    { action: 'user.factor_added', changes: { [added.kind]: [null, name ?? true] } },
    context,
  )
  await enqueueEmail(tx, seal, factorAdded(before, added.kind, context.system))
  return codes
}

type Removed = { kind: 'totp' } | { kind: 'passkey'; id: string }

/**
 * Removes a factor, and the recovery codes with the last one. False if the user has no such factor. Throws
 * `only_way_in` if the user could not sign in without it, also under concurrent removals.
 */
export async function removeFactor(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  removed: Removed,
): Promise<boolean> {
  const gone =
    removed.kind === 'totp' ? await deleteTotp(tx, before.id) : await deletePasskey(tx, before.id, removed.id)
  if (gone === false || gone === undefined) return false
  const after = await recordChange(
    tx,
    actor,
    before,
    { action: 'user.factor_removed', changes: { [removed.kind]: [gone, null] } },
    NO_SYSTEM,
  )
  if (!after.mfaEnabled) await deleteRecoveryCodes(tx, before.id)
  await enqueueEmail(tx, seal, factorRemoved(before, removed.kind))
  return true
}

/** Renames a passkey. */
export async function changePasskeyName(
  tx: Db,
  actor: Actor,
  userId: string,
  id: string,
  name: string,
): Promise<void> {
  const before = await renamePasskey(tx, userId, id, name)
  if (before === undefined || before === name) return
  const changes = { passkey: [before, name] as [unknown, unknown] }
  await record(tx, actor, { action: 'user.factor_renamed', target: { type: 'user', id: userId }, changes })
}

/** Replaces the recovery codes of a user. Returns the new ones, to be displayed once. */
export async function renewRecoveryCodes(tx: Db, seal: Seal, actor: Actor, user: User): Promise<string[]> {
  const codes = await renewCodes(tx, seal, user.id)
  await record(tx, actor, { action: 'user.recovery_codes_renewed', target: { type: 'user', id: user.id } })
  await enqueueEmail(tx, seal, recoveryCodesRenewed(user))
  return codes
}

async function renewCodes(tx: Db, seal: Seal, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => recoveryHash(seal, userId, code))
  await replaceRecoveryCodes(tx, userId, hashes)
  return codes
}

type Change = { action: string; changes: Record<string, [unknown, unknown]> }

async function recordChange(
  tx: Db,
  actor: Actor,
  before: User,
  change: Change,
  { systemId }: SystemContext,
): Promise<User> {
  const after = await updateUser(tx, before.id, {})
  await record(tx, actor, { ...change, target: { type: 'user', id: before.id }, systemId })
  await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['mfa'] }))
  return after
}

/**
 * Adding, removing and renaming second factors: row, audit entry, event and email, for a sign-in that
 * requires one and for the self-service pages, which change those that are valid everywhere. Each takes the
 * user as `lockUser` returned it.
 */

import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { Actor, Scope } from '../../http/authority.ts'
import { notify } from '../../jobs/email/budget.ts'
import { enqueueEmail, OF_NO_SYSTEM } from '../../jobs/email/enqueue.ts'
import { factorAdded, factorRemoved, recoveryCodesRenewed } from '../../jobs/email/messages.ts'
import { record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import type { BrandedSystem } from '../../texts/brand.ts'
import { eventOfUser } from '../users/changes.ts'
import { type User, updateUser } from '../users/queries.ts'
import {
  deletePasskey,
  deleteRecoveryCodes,
  deleteTotp,
  findFactors,
  insertPasskey,
  type NewPasskey,
  renamePasskey,
  replaceRecoveryCodes,
  replaceTotp,
} from './queries.ts'
import { newRecoveryCodes, recoveryHash } from './recovery-code.ts'
import { sealTotpSecret } from './totp-secret.ts'

/** Where the factor is valid, and the system of the sign-in, if there is one. */
type SystemContext = { scope: Scope; systemId: string | null; system: BrandedSystem | undefined }
const EVERYWHERE: SystemContext = { scope: null, systemId: null, system: undefined }

type Added = { id: string } & NewFactor
export type NewFactor =
  | { kind: 'totp'; secret: string; step: number }
  | { kind: 'passkey'; passkey: Omit<NewPasskey, 'id' | 'userId' | 'systemId'> }

/** Adds a factor. Returns new recovery codes, to be displayed once, if it is the first of its scope. */
export async function addFactor(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  added: Added,
  context = EVERYWHERE,
): Promise<string[]> {
  const { scope } = context
  const { ofScope } = await findFactors(tx, before.id, scope, scope)
  const owner = { id: added.id, userId: before.id, systemId: scope }
  if (added.kind === 'totp') {
    const sealedSecret = sealTotpSecret(seal, before.id, added.secret)
    await replaceTotp(tx, { ...owner, sealedSecret, lastStep: added.step })
  } else await insertPasskey(tx, { ...added.passkey, ...owner })
  const codes = ofScope ? [] : await renewCodes(tx, seal, before.id, scope)
  const name = added.kind === 'totp' ? null : added.passkey.name
  await recordChange(
    tx,
    actor,
    before,
    { action: 'user.factor_added', changes: { [added.kind]: [null, name ?? true] } },
    context,
  )
  await notify(tx, seal, factorAdded(before, added.kind, context.system), scope)
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
    removed.kind === 'totp'
      ? await deleteTotp(tx, before.id, null)
      : await deletePasskey(tx, before.id, null, removed.id)
  if (gone === false || gone === undefined) return false
  const after = await recordChange(
    tx,
    actor,
    before,
    { action: 'user.factor_removed', changes: { [removed.kind]: [gone, null] } },
    EVERYWHERE,
  )
  if (!after.mfaEnabled) await deleteRecoveryCodes(tx, before.id, null)
  await enqueueEmail(tx, seal, factorRemoved(before, removed.kind), OF_NO_SYSTEM)
  return true
}

/** Renames a passkey. */
export async function changePasskeyName(
  tx: Db,
  actor: Actor,
  { userId, scope }: { userId: string; scope: Scope },
  { id, name }: { id: string; name: string },
): Promise<void> {
  const before = await renamePasskey(tx, userId, scope, { id, name })
  if (before === undefined || before === name) return
  const changes = { passkey: [before, name] as [unknown, unknown] }
  await record(tx, actor, { action: 'user.factor_renamed', target: { type: 'user', id: userId }, changes })
}

/** Replaces the recovery codes of a user. Returns the new ones, to be displayed once. */
export async function renewRecoveryCodes(tx: Db, seal: Seal, actor: Actor, user: User): Promise<string[]> {
  const codes = await renewCodes(tx, seal, user.id, null)
  await record(tx, actor, { action: 'user.recovery_codes_renewed', target: { type: 'user', id: user.id } })
  await enqueueEmail(tx, seal, recoveryCodesRenewed(user), OF_NO_SYSTEM)
  return codes
}

async function renewCodes(tx: Db, seal: Seal, userId: string, scope: Scope): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => recoveryHash(seal, userId, code))
  await replaceRecoveryCodes(tx, userId, scope, hashes)
  return codes
}

type Change = { action: string; changes: Record<string, [unknown, unknown]> }

async function recordChange(
  tx: Db,
  actor: Actor,
  before: User,
  change: Change,
  { scope, systemId }: SystemContext,
): Promise<User> {
  const after = await updateUser(tx, before.id, {})
  await record(tx, actor, { ...change, target: { type: 'user', id: before.id }, systemId })
  await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: ['mfa'] }, scope))
  return after
}

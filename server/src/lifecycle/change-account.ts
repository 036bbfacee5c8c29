/**
 * A change of an account: the row, the audit entries, the events, and the sessions that a suspension ends.
 */
import type { Config } from '../config/config.ts'
import type { Db } from '../database/database.ts'
import type { AccountBranding } from '../database/schema.ts'
import { Failure } from '../errors.ts'
import { type Authority, authorityOf, type Caller, ranksAbove } from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueueAccounts, entryOf, recordPrivate } from '../resources/accounts/event.ts'
import {
  type Account,
  type AccountFields,
  type PrivateFields,
  requiresMfa,
  statusOf,
  updateAccount,
} from '../resources/accounts/queries.ts'
import { imageAddress, putImage } from '../resources/images/queries.ts'
import { isOfPlatform } from '../resources/systems/queries.ts'
import { endSessions } from './end-sessions.ts'

/** What a caller sends. `status` and `requireMfa` are the effective values, as the answers have them. */
export type AccountPatch = AccountFields &
  PrivateFields & {
    status?: 'active' | 'suspended' | undefined
    requireMfa?: boolean | undefined
  }

/**
 * Changes a row-locked account. The admin of an account changes an organization only, since the name of a
 * personal account follows the address of its user; otherwise throws `not_organization`.
 */
export async function changeAccount(
  tx: Db,
  caller: Caller,
  before: Account,
  { status, requireMfa, metadata, externalId, ...fields }: AccountPatch,
): Promise<Account> {
  const isOrganization = before.kind === 'organization'
  if (!isOrganization && (caller.authority === 'account' || fields.branding !== undefined))
    throw new Failure('not_organization')
  const requirement =
    requireMfa === undefined || requireMfa === requiresMfa(before)
      ? {}
      : { requireMfaBy: requireMfaBy(caller, before) }
  const changed = await changeFields(tx, caller, before, { ...fields, ...requirement })
  const given = {
    ...(metadata !== undefined && { metadata }),
    ...(externalId !== undefined && { externalId }),
  }
  const after = await changePrivate(tx, caller, changed, given)
  return status === undefined || status === statusOf(before) ? after : setStatus(tx, caller, after)
}

async function changeFields(
  tx: Db,
  { actor }: Caller,
  before: Account,
  fields: AccountFields & Partial<Pick<Account, 'requireMfaBy'>>,
): Promise<Account> {
  const changes = difference(before, { ...before, ...fields })
  if (Object.keys(changes).length === 0) return before
  const after = await updateAccount(tx, before.id, fields)
  await enqueueAccounts(tx, actor, 'account.updated', after)
  await record(tx, actor, { action: 'account.updated', ...entryOf(after), changes })
  return after
}

/** Throws `external_id_taken`. */
async function changePrivate(
  tx: Db,
  { actor }: Caller,
  before: Account,
  fields: PrivateFields,
): Promise<Account> {
  const { metadata, externalId } = before
  const isSame =
    Object.keys(difference({ metadata, externalId }, { metadata, externalId, ...fields })).length === 0
  if (isSame) return before
  const after = await updateAccount(tx, before.id, fields)
  await enqueueAccounts(tx, actor, 'account.updated', after)
  await recordPrivate(tx, actor, { metadata, externalId }, after)
  return after
}

/**
 * The ranks that hold a setting after a caller has asked for another effective value. A lower rank does not
 * undo the decision of a higher one: throws `insufficient_authority`.
 */
export function heldBy<Rank extends Authority>(now: readonly Rank[], by: Rank, detail: string): Rank[] {
  if (now.length === 0) return [by]
  if (now.some((rank) => ranksAbove(by).includes(rank)))
    throw new Failure('insufficient_authority', { detail })
  return []
}

function requireMfaBy(caller: Caller, { kind, requireMfaBy: now }: Account): Account['requireMfaBy'] {
  if (kind !== 'organization') throw new Failure('not_organization')
  return heldBy(
    now,
    authorityOf(caller),
    'A higher authority requires the second factor. Only it can stop requiring it.',
  )
}

/** Suspends an account, or resumes it. It is row-locked against sign-ins (`lockAgainstSignIns`). */
async function setStatus(tx: Db, caller: Caller, before: Account): Promise<Account> {
  const { actor } = caller
  const authority = authorityOf(caller)
  if (authority === 'account')
    throw new Failure('insufficient_authority', {
      detail: 'The system or the platform suspends and resumes an account.',
    })
  const suspendedBy = heldBy(
    before.suspendedBy,
    authority,
    'The platform has suspended the account. Only the platform can resume it.',
  )
  const isSuspended = suspendedBy.length > 0
  if (isSuspended && (await isOfPlatform(tx, [before.id]))) throw new Failure('platform_system')
  if (isSuspended && before.kind !== 'organization') throw new Failure('not_organization')
  const after = await updateAccount(tx, before.id, { suspendedBy })
  const how = isSuspended ? 'account.suspended' : 'account.resumed'
  await enqueueAccounts(tx, actor, how, after)
  await record(tx, actor, {
    action: how,
    ...entryOf(after),
    changes: {
      status: [statusOf(before), statusOf(after)],
      suspendedBy: [before.suspendedBy, after.suspendedBy],
    },
  })
  if (isSuspended) await endSessions(tx, actor, { accountId: after.id }, 'account_suspended')
  return after
}

/** Stores a checked image as the logo of a row-locked organization. Throws `not_organization`. */
export async function storeLogo(
  tx: Db,
  issuer: Pick<Config, 'BASE_URL'>,
  caller: Caller,
  before: Account,
  png: Buffer,
  { color }: AccountBranding = before.branding,
): Promise<Account> {
  if (before.kind !== 'organization') throw new Failure('not_organization')
  const hash = await putImage(tx, { systemId: before.systemId, accountId: before.id, kind: 'logo' }, png)
  const branding = { ...(color !== undefined && { color }), logoUrl: imageAddress(issuer, hash) }
  return changeAccount(tx, caller, before, { branding })
}

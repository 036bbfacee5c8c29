/**
 * A change of an account: the row, the audit entries, the events, and the sessions that a suspension ends.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import type { Db } from '../database/database.ts'
import type { AccountBranding } from '../database/schema.ts'
import { Failure } from '../errors.ts'
import {
  type Authority,
  authorityOf,
  type Caller,
  EVERYTHING,
  highestFirst,
  ranksAbove,
  reachOf,
} from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueueAccounts, entryOfAccount, recordPrivate } from '../resources/accounts/event.ts'
import {
  type Account,
  type AccountFields,
  findAccount,
  lockAccount,
  lockAgainstSignIns,
  type PrivateFields,
  statusOf,
  updateAccount,
} from '../resources/accounts/queries.ts'
import { imageAddress, putImage } from '../resources/images/queries.ts'
import { isOfPlatform, shareSystem } from '../resources/systems/queries.ts'
import { endSessions } from './end-sessions.ts'
import { requireSso } from './require-sso.ts'

/**
 * What a caller sends. `status` and `requireMfa` are decisions of its rank, which count together with those
 * of the other ranks. Leave out what was only read and sent back.
 */
export type AccountPatch = AccountFields &
  PrivateFields & {
    status?: 'active' | 'suspended' | undefined
    requireMfa?: boolean | undefined
    ssoRequired?: boolean | undefined
    ssoSelfService?: boolean | undefined
  }

/**
 * Locks an account for a change: what ends sessions locks it against sign-ins. Its system comes before it, as
 * in all transactions. Throws `account_not_found`.
 */
export async function lockToChange(
  tx: Db,
  caller: Caller,
  id: string,
  { status, ssoRequired }: Pick<AccountPatch, 'status' | 'ssoRequired'>,
): Promise<Account> {
  const reach = reachOf(caller)
  if (ssoRequired !== undefined)
    await shareSystem(tx, EVERYTHING, (await findAccount(tx, reach, id)).systemId)
  const isEnding = status === 'suspended' || ssoRequired === true
  return (isEnding ? lockAgainstSignIns : lockAccount)(tx, reach, id)
}

/**
 * Changes a row-locked account. The admin of an account changes an organization only, since the name of a
 * personal account follows the address of its user; otherwise throws `not_organization`.
 */
export async function changeAccount(
  tx: Db,
  caller: Caller,
  before: Account,
  { status, requireMfa, ssoRequired, ssoSelfService, metadata, externalId, ...fields }: AccountPatch,
): Promise<Account> {
  const isOrganization = before.kind === 'organization'
  if (!isOrganization && (caller.authority === 'account' || fields.branding !== undefined))
    throw new Failure('not_organization')
  const requirement =
    requireMfa === undefined ? {} : { requireMfaBy: requireMfaBy(caller, before, requireMfa) }
  const changed = await changeFields(tx, caller, before, {
    ...fields,
    ...requirement,
    ...(await selfServiceBy(tx, caller, before, ssoSelfService)),
  })
  const given = {
    ...(metadata !== undefined && { metadata }),
    ...(externalId !== undefined && { externalId }),
  }
  const noted = await changePrivate(tx, caller, changed, given)
  const after = ssoRequired === undefined ? noted : await requireSso(tx, caller, noted, ssoRequired)
  return status === undefined ? after : setStatus(tx, caller, after, status)
}

async function changeFields(
  tx: Db,
  { actor }: Caller,
  before: Account,
  fields: AccountFields & Partial<Pick<Account, 'requireMfaBy' | 'ssoSelfService'>>,
): Promise<Account> {
  const changes = difference(before, { ...before, ...fields })
  if (Object.keys(changes).length === 0) return before
  const after = await updateAccount(tx, before.id, fields)
  await enqueueAccounts(tx, actor, 'account.updated', after)
  await record(tx, actor, { action: 'account.updated', ...entryOfAccount(after), changes })
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
 * The ranks that have decided a setting, after one of them has decided it again. Each rank has a decision of
 * its own, and any of them counts: a higher rank decides beside a lower one, which then cannot undo it. A
 * rank that undoes its decision undoes those of the lower ranks too. Throws `insufficient_authority` if a
 * higher rank has decided it.
 */
function decidedBy<Rank extends Authority>(
  now: readonly Rank[],
  by: Rank,
  isWanted: boolean,
  detail: string,
): Rank[] {
  if (isWanted) return highestFirst(new Set([...now, by]))
  if (now.some((rank) => ranksAbove(by).includes(rank)))
    throw new Failure('insufficient_authority', { detail })
  return []
}

function requireMfaBy(
  caller: Caller,
  { kind, requireMfaBy: now }: Account,
  isWanted: boolean,
): Account['requireMfaBy'] {
  const after = decidedBy(
    now,
    authorityOf(caller),
    isWanted,
    'A higher authority requires the second factor. Only it can stop requiring it.',
  )
  if (after.length > 0 && kind !== 'organization') throw new Failure('not_organization')
  return after
}

/** Throws `insufficient_authority`, `not_organization` or `platform_system`. */
async function selfServiceBy(
  tx: Db,
  caller: Caller,
  before: Account,
  ssoSelfService: boolean | undefined,
): Promise<Partial<Pick<Account, 'ssoSelfService'>>> {
  if (ssoSelfService === undefined || ssoSelfService === before.ssoSelfService) return {}
  if (authorityOf(caller) === 'account')
    throw new Failure('insufficient_authority', {
      detail: 'The system or the platform decides who sets up single sign-on.',
    })
  if (ssoSelfService && before.kind !== 'organization') throw new Failure('not_organization')
  if (ssoSelfService && (await isOfPlatform(tx, [before.id]))) throw new Failure('platform_system')
  return { ssoSelfService }
}

/** Suspends an account, or resumes it. It is row-locked against sign-ins (`lockAgainstSignIns`). */
async function setStatus(
  tx: Db,
  caller: Caller,
  before: Account,
  status: 'active' | 'suspended',
): Promise<Account> {
  const authority = authorityOf(caller)
  if (authority === 'account') {
    if (status === statusOf(before)) return before
    throw new Failure('insufficient_authority', {
      detail: 'The system or the platform suspends and resumes an account.',
    })
  }
  const suspendedBy = decidedBy(
    before.suspendedBy,
    authority,
    status === 'suspended',
    'The platform has suspended the account. Only the platform can resume it.',
  )
  if (isDeepStrictEqual(suspendedBy, before.suspendedBy)) return before
  const isSuspended = suspendedBy.length > 0
  if (isSuspended && (await isOfPlatform(tx, [before.id]))) throw new Failure('platform_system')
  if (isSuspended && before.kind !== 'organization') throw new Failure('not_organization')
  const after = await updateAccount(tx, before.id, { suspendedBy })
  await noteStatus(tx, caller, before, after)
  return after
}

/** A rank that suspends an account beside another one ends nothing, and no application has to know it. */
async function noteStatus(tx: Db, { actor }: Caller, before: Account, after: Account): Promise<void> {
  const now = statusOf(after)
  const how = now === 'suspended' ? 'account.suspended' : 'account.resumed'
  const changes = difference(
    { status: statusOf(before), suspendedBy: before.suspendedBy },
    { status: now, suspendedBy: after.suspendedBy },
  )
  await record(tx, actor, { action: how, ...entryOfAccount(after), changes })
  if (now === statusOf(before)) return
  await enqueueAccounts(tx, actor, how, after)
  if (now === 'suspended') await endSessions(tx, actor, { accountId: after.id }, 'account_suspended')
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

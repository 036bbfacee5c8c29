/** The creation of connections, and the rules of their fields. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure, invalid } from '../../errors.ts'
import { authorityOf, type Caller, ranksAbove } from '../../http/authority.ts'
import { difference } from '../../journal/audit/record.ts'
import { lockToSetUp } from '../domains/rights.ts'
import { uniqueIds } from '../roles/assignment.ts'
import { recordConnection } from './event.ts'
import {
  type Connection,
  type ConnectionFields,
  hasForbiddenRole,
  insertConnection,
  replaceConnectionRoles,
  updateConnection,
} from './queries.ts'
import { demandSettings } from './settings.ts'

type Settings = Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE' | 'BASE_URL'>
export type ChangeParts = { config: Settings; seal: Seal }

export type ConnectionPatch = ConnectionFields & {
  clientSecret?: string
  defaultRoles?: string[]
}

/** What a test checks. */
const TESTED = [
  'issuer',
  'clientId',
  'scopes',
  'requiredClaims',
  'closedIssuer',
  'subjectAttribute',
  'groupAttribute',
  'mfaAcr',
  'clientSecret',
] as const

/**
 * Creates a connection that is not enabled. Throws as `lockToSetUp`, `insertConnection` and `applyPatch`.
 */
export async function createConnection(
  tx: Db,
  parts: ChangeParts,
  caller: Caller,
  accountId: string,
  { name, kind, ...given }: Omit<ConnectionPatch, 'enabled' | 'name'> & { name: string; kind: 'oidc' },
): Promise<Connection> {
  const { systemId } = await lockToSetUp(tx, caller, accountId)
  const setBy = authorityOf(caller)
  const created = await insertConnection(tx, { systemId, accountId, name, kind, setBy })
  const { after, changes } = await applyPatch(tx, parts, caller, created, given)
  await recordConnection(tx, caller.actor, 'connection.created', after, {
    ...difference({}, { name, kind, setBy }),
    ...changes,
  })
  return after
}

/**
 * Who may write a field at all. What a connection is trusted with counts in the whole system: it is for the
 * system and the platform. A field that is not listed is for no account admin.
 */
const LOWEST = {
  name: 'account',
  issuer: 'account',
  clientId: 'account',
  clientSecret: 'account',
  secretExpiresAt: 'account',
  scopes: 'account',
  requiredClaims: 'account',
  closedIssuer: 'account',
  subjectAttribute: 'account',
  groupAttribute: 'account',
  jit: 'account',
  defaultRoles: 'account',
  sessionHours: 'account',
  mfaAcr: 'account',
  reauthentication: 'account',
  enabled: 'account',
  setBy: 'account',
  reservedRoles: 'system',
  mfa: 'system',
} as const satisfies Record<keyof ConnectionPatch, 'system' | 'account'>

/** What decides whose people sign in, and as whom. */
const IDENTIFYING = ['issuer', 'clientId', 'requiredClaims', 'closedIssuer', 'subjectAttribute'] as const

/** What the system has decided was about the provider of before. */
const UNTRUSTED = { reservedRoles: false, mfa: null } as const

type Applied = { after: Connection; changes: Record<string, [unknown, unknown]> }

/**
 * Changes the fields of a row-locked connection. Throws `insufficient_authority`, `connection_exists`,
 * `connection_fixed`, `connection_untested`, and as `demandSettings` and `replaceConnectionRoles`.
 */
export async function applyPatch(
  tx: Db,
  { config, seal }: ChangeParts,
  caller: Caller,
  before: Connection,
  { defaultRoles, clientSecret, ...given }: ConnectionPatch,
): Promise<Applied> {
  const roles = defaultRoles && { defaultRoles: uniqueIds(defaultRoles).sort() }
  const asked = difference(before, { ...before, ...given, ...roles })
  demandAuthority(caller, asked, given)
  const isOther = authorityOf(caller) === 'account' && IDENTIFYING.some((field) => asked[field])
  const fields = { ...given, ...(isOther && UNTRUSTED) }
  const wanted = { ...before, ...fields }
  const changes = difference(before, { ...wanted, ...roles })
  if (before.testedAt && (changes.issuer || changes.subjectAttribute)) throw new Failure('connection_fixed')
  const isEnabled = changes.enabled !== undefined && wanted.enabled
  if (changes.issuer || changes.scopes || changes.requiredClaims || isEnabled) demandSettings(config, wanted)
  if (isEnabled && !before.testedAt) throw new Failure('connection_untested')
  // The audit log shows that the secret was replaced, and no part of it.
  if (clientSecret !== undefined) changes.clientSecret = [null, 'replaced']
  if (Object.keys(changes).length === 0) return { after: before, changes }
  if (changes.defaultRoles) {
    await replaceConnectionRoles(tx, before, defaultRoles ?? [], authorityOf(caller))
    if (await hasForbiddenRole(tx, before.id))
      throw invalid('/defaultRoles', 'must not contain an admin role or one that acts for members')
  }
  const isTested = TESTED.some((field) => changes[field])
  const after = await updateConnection(tx, seal, before.id, fields, { secret: clientSecret, isTested })
  return { after, changes }
}

/** Throws `insufficient_authority` for what a higher authority decides. */
function demandAuthority(
  caller: Caller,
  changes: Record<string, unknown>,
  { setBy }: Pick<ConnectionPatch, 'setBy'>,
): void {
  const authority = authorityOf(caller)
  if (changes.setBy && setBy && ranksAbove(authority).includes(setBy))
    throw new Failure('insufficient_authority', { detail: 'setBy: an authority above that of the caller.' })
  if (authority !== 'account') return
  const lowest: Record<string, 'system' | 'account'> = LOWEST
  const field = Object.keys(changes).find((each) => lowest[each] !== 'account')
  if (field)
    throw new Failure('insufficient_authority', { detail: `${field}: only the system and the platform.` })
}

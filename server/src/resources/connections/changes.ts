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
import { fingerprintsOf, metadataInvalid, type StatedSettings, statedFault } from './saml.ts'
import { type ConnectionKind, demandSettings, providerUrlFault } from './settings.ts'

type Settings = Pick<Config, 'CONNECTIONS_ALLOW_PRIVATE' | 'BASE_URL' | 'SAML'>
export type ChangeParts = { config: Settings; seal: Seal }

export type ConnectionPatch = ConnectionFields & {
  clientSecret?: string
  defaultRoles?: string[]
  /** What the metadata states that the caller has sent. */
  metadata?: StatedSettings
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
  'ssoUrl',
  'certificates',
] as const

/**
 * Creates a connection that is not enabled. Throws `saml_disabled`, and as `lockToSetUp`, `insertConnection`
 * and `applyPatch`.
 */
export async function createConnection(
  tx: Db,
  parts: ChangeParts,
  caller: Caller,
  accountId: string,
  {
    name,
    kind,
    ...given
  }: Omit<ConnectionPatch, 'enabled' | 'name'> & { name: string; kind: ConnectionKind },
): Promise<Connection> {
  const { systemId } = await lockToSetUp(tx, caller, accountId)
  if (kind === 'saml' && !parts.config.SAML) throw new Failure('saml_disabled')
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
  ssoUrl: 'account',
  certificates: 'account',
  metadata: 'account',
  metadataUrl: 'account',
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
const IDENTIFYING = [
  'issuer',
  'clientId',
  'requiredClaims',
  'closedIssuer',
  'subjectAttribute',
  'ssoUrl',
  'certificates',
  'metadataUrl',
] as const

/** The fields that connections of the other kind do not have. */
const OF_OTHER_KIND = {
  oidc: ['ssoUrl', 'certificates', 'metadata', 'metadataUrl'],
  saml: ['clientId', 'clientSecret', 'secretExpiresAt', 'scopes', 'requiredClaims', 'reauthentication'],
} as const satisfies Record<ConnectionKind, (keyof ConnectionPatch)[]>

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
  patch: ConnectionPatch,
): Promise<Applied> {
  demandKind(before, patch)
  const { defaultRoles, clientSecret, metadata, ...typed } = patch
  const given = { ...typed, ...(metadata && statedFor(config, before, typed, metadata)) }
  const roles = defaultRoles && { defaultRoles: uniqueIds(defaultRoles).sort() }
  const asked = difference(before, { ...before, ...given, ...roles })
  demandAuthority(caller, asked, given)
  const isOther = authorityOf(caller) === 'account' && IDENTIFYING.some((field) => asked[field])
  const fields = { ...given, ...(isOther && UNTRUSTED) }
  const wanted = { ...before, ...fields }
  const changes = difference(before, { ...wanted, ...roles })
  if (before.testedAt && (changes.issuer || changes.subjectAttribute)) throw new Failure('connection_fixed')
  const isEnabled = changes.enabled !== undefined && wanted.enabled
  demandValid(config, wanted, changes)
  if (isEnabled && !before.testedAt) throw new Failure('connection_untested')
  if (changes.certificates)
    changes.certificates = [fingerprintsOf(before.certificates), fingerprintsOf(wanted.certificates)]
  // The audit log shows that the secret was replaced, and no part of it.
  if (clientSecret !== undefined) changes.clientSecret = [null, 'replaced']
  // An address that is set again is read at once.
  if (Object.keys(changes).length === 0 && !given.metadataUrl) return { after: before, changes }
  if (changes.defaultRoles) {
    await replaceConnectionRoles(tx, before, defaultRoles ?? [], authorityOf(caller))
    if (await hasForbiddenRole(tx, before.id))
      throw invalid('/defaultRoles', 'must not contain an admin role or one that acts for members')
  }
  const isTested = TESTED.some((field) => changes[field])
  const after = await updateConnection(tx, seal, before.id, fields, { secret: clientSecret, isTested })
  return { after, changes }
}

/** Throws `invalid_request` for a field that only connections of the other kind have. */
function demandKind({ kind }: Connection, patch: ConnectionPatch): void {
  const field = OF_OTHER_KIND[kind].find((each) => patch[each] !== undefined)
  if (field) throw invalid(`/${field}`, `is no field of a connection with the kind ${kind}`)
}

/** What the metadata sets. Throws `saml_disabled`, `metadata_invalid` or `invalid_request`. */
function statedFor(
  config: Settings,
  { issuer: known }: Connection,
  typed: ConnectionFields,
  stated: StatedSettings,
): StatedSettings {
  if (!config.SAML) throw new Failure('saml_disabled')
  for (const field of ['ssoUrl', 'certificates'] as const)
    if (typed[field] !== undefined) throw invalid(`/${field}`, 'is stated by the metadata')
  const fault = statedFault(config, typed.issuer ?? known, stated)
  if (fault) throw metadataInvalid(fault)
  return stated
}

/** Throws `invalid_request` or `issuer_multi_tenant`. */
function demandValid(config: Settings, wanted: Connection, changes: Record<string, unknown>): void {
  const isEnabled = changes.enabled !== undefined && wanted.enabled
  if (wanted.kind === 'saml') {
    for (const field of ['ssoUrl', 'metadataUrl'] as const) {
      const url = changes[field] ? wanted[field] : null
      const fault = url ? providerUrlFault(config, url) : undefined
      if (fault) throw invalid(`/${field}`, fault)
    }
    return
  }
  if (changes.subjectAttribute && !CLAIMS.includes(wanted.subjectAttribute ?? ''))
    throw invalid('/subjectAttribute', 'must be sub or oid')
  if (changes.issuer || changes.scopes || changes.requiredClaims || isEnabled) demandSettings(config, wanted)
}

/** Claims of OpenID Connect that no person can edit. */
const CLAIMS = ['sub', 'oid']

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

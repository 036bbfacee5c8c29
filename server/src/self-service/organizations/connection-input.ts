/** What an admin types in the forms of a connection, as the fields of the admin API. */
import { oneLine } from '../../authentication/registration-input.ts'
import type { Config } from '../../config/config.ts'
import { Failure } from '../../errors.ts'
import { checkOf } from '../../http/schema-compilers.ts'
import type { ConnectionPatch } from '../../resources/connections/changes.ts'
import type { Connection } from '../../resources/connections/queries.ts'
import type { ReadMetadata } from '../../resources/connections/saml.ts'
import { patchOf, UpdateConnection } from '../../resources/connections/schemas.ts'
import type { ConnectionKind } from '../../resources/connections/settings.ts'
import type {
  ConnectionField,
  TypedConnection,
} from '../../ui/pages/self-service/organizations/connections.ts'

/** The fields of the form with what the provider shows. */
export const OF_PROVIDER: Record<ConnectionKind, readonly ConnectionField[]> = {
  oidc: [
    'issuer',
    'clientId',
    'clientSecret',
    'secretExpiresAt',
    'requiredClaims',
    'subjectAttribute',
    'scopes',
  ],
  saml: ['metadata', 'issuer', 'ssoUrl', 'certificates', 'subjectAttribute'],
}

/** Those of the form with the settings of the connection. */
export const OF_SETTINGS: Record<ConnectionKind, readonly ConnectionField[]> = {
  oidc: ['name', 'sessionHours', 'jit', 'closedIssuer', 'groupAttribute', 'mfaAcr', 'reauthentication'],
  saml: ['name', 'sessionHours', 'jit', 'closedIssuer', 'groupAttribute', 'mfaAcr'],
}

const yesOrNo = (isTrue: boolean) => (isTrue ? 'yes' : 'no')
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** As the forms show it. The secret is never shown, and metadata is not stored. */
export const typedOf = (connection: Connection): TypedConnection => ({
  name: connection.name,
  issuer: connection.issuer ?? '',
  clientId: connection.clientId ?? '',
  clientSecret: '',
  secretExpiresAt: connection.secretExpiresAt?.toISOString().slice(0, 10) ?? '',
  subjectAttribute: connection.subjectAttribute ?? '',
  requiredClaims: Object.entries(connection.requiredClaims)
    .flatMap(([claim, values]) => values.map((value) => `${claim}=${value}`))
    .join('\n'),
  scopes: connection.scopes.join(' '),
  sessionHours: String(connection.sessionHours),
  jit: yesOrNo(connection.jit),
  closedIssuer: yesOrNo(connection.closedIssuer),
  groupAttribute: connection.groupAttribute ?? '',
  mfaAcr: connection.mfaAcr.join('\n'),
  reauthentication: yesOrNo(connection.reauthentication === 'unconfirmed'),
  metadata: '',
  ssoUrl: connection.ssoUrl ?? '',
  certificates: connection.certificates.map(({ pem }) => pem.trim()).join('\n'),
})

/** One line for each value: `hd=acme.com`. A line without a value has an empty list, which is refused. */
function claimsOf(text: string): Record<string, string[]> {
  const claims = new Map<string, string[]>()
  for (const line of linesOf(text)) {
    const [claim = '', ...rest] = line.split('=')
    const value = rest.join('=').trim()
    claims.set(claim.trim(), [...(claims.get(claim.trim()) ?? []), ...(value ? [value] : [])])
  }
  return Object.fromEntries(claims)
}

/** The field in the body of the admin API. */
const VALUES: { [Field in ConnectionField]: (text: string) => unknown } = {
  name: oneLine,
  issuer: (text) => text.trim(),
  clientId: (text) => text.trim(),
  clientSecret: (text) => text.trim(),
  secretExpiresAt: (text) => (text === '' ? null : `${text}T00:00:00Z`),
  subjectAttribute: (text) => text.trim() || null,
  requiredClaims: claimsOf,
  scopes: (text) => text.split(/\s+/).filter(Boolean),
  sessionHours: (text) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : text),
  jit: (text) => text === 'yes',
  closedIssuer: (text) => text === 'yes',
  groupAttribute: (text) => text.trim() || null,
  mfaAcr: linesOf,
  reauthentication: (text) => (text === 'yes' ? 'unconfirmed' : 'stated'),
  metadata: (text) => text.trim(),
  ssoUrl: (text) => text.trim(),
  certificates: (text) =>
    text
      .split(/(?<=-----END CERTIFICATE-----)/)
      .map((each) => each.trim())
      .filter(Boolean),
}

/** Empty if nothing new is entered. */
const NEW_ONLY: readonly ConnectionField[] = ['clientSecret', 'metadata']

const CHECKS: readonly ConnectionField[] = ['jit', 'closedIssuer', 'reauthentication']

type Body = Record<string, unknown>

/** What the form has shown: it decides what has changed, so that what somebody else has changed stays. */
function shownIn({ before }: Body): Body {
  try {
    const shown: unknown = JSON.parse(String(before))
    return typeof shown === 'object' && shown !== null ? (shown as Body) : {}
  } catch {
    return {}
  }
}

function refusalIn(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}

export type ConnectionInput = {
  typed: Partial<TypedConnection>
  /** What differs from what the form has shown, or why it is refused. Undefined if a field is wrong. */
  patch: ConnectionPatch | Failure | undefined
  wrong: ConnectionField[]
}

export async function connectionInput(
  config: Pick<Config, 'SAML'>,
  body: Body,
  fields: readonly ConnectionField[],
  readMetadata: ReadMetadata,
): Promise<ConnectionInput> {
  const shown = shownIn(body)
  const textOf = (field: ConnectionField): string => {
    const value = body[field]
    if (CHECKS.includes(field)) return yesOrNo(value === 'yes')
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : String(shown[field] ?? '')
  }
  const typed = Object.fromEntries(fields.map((field) => [field, textOf(field)])) as Partial<TypedConnection>
  const changed = fields.filter(
    (field) => typed[field] !== shown[field] && (!NEW_ONLY.includes(field) || typed[field]?.trim()),
  )
  const given = Object.fromEntries(changed.map((field) => [field, VALUES[field](typed[field] ?? '')]))
  const check = checkOf(UpdateConnection)
  const isRight = check(given)
  const faulty = new Set((check.errors ?? []).map(({ instancePath }) => instancePath.split('/')[1]))
  return {
    typed: { ...typed, clientSecret: '' },
    patch: isRight
      ? await patchOf(config, given as Parameters<typeof patchOf>[1], readMetadata).catch(refusalIn)
      : undefined,
    wrong: fields.filter((field) => faulty.has(field)),
  }
}

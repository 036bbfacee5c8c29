/** The JSON of connections in requests and responses of the admin API. */
import { type Static, Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { Failure } from '../../errors.ts'
import { Id, Name, Nullable, oneOf, PageOf, pathId, Time, timeOf } from '../../http/schemas.ts'
import type { Attempt } from './attempts.ts'
import type { ConnectionPatch } from './changes.ts'
import { LINK_REFUSALS, LINKS_MAX } from './import-links.ts'
import type { ListedLink } from './links.ts'
import type { Connection } from './queries.ts'
import { type ReadMetadata, statedIn, storedCertificates } from './saml.ts'
import { addressesOf, missingOf } from './settings.ts'

const InAccount = { accountId: pathId('account') }
export const ConnectionsOf = Type.Object(InAccount)
export const OneConnection = Type.Object({ ...InAccount, connectionId: pathId('connection') })
export const ForcedEnd = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description:
        'Whether the system or the platform ends the last enabled connection of an account that requires single sign-on: the account stops requiring it.',
    }),
  ),
})
export const OneMember = Type.Object({ ...InAccount, membershipId: pathId('membership') })

const ISSUER_MAX = 1_024
const TEXT_MAX = 255
const LIST_MAX = 10
const VALUES_MAX = 20
const ATTRIBUTE_MAX = 256
const URL_MAX = 2_000
const CERTIFICATES_MAX = 5
/** Characters of a certificate, and of the metadata of a provider. */
const PEM_MAX = 20_000
const METADATA_MAX = 1_000_000

const Kind = oneOf(['oidc', 'saml'], {
  title: 'ConnectionKind',
  description: 'The protocol. `oidc`: OpenID Connect. `saml`: SAML 2.0.',
})
/** RFC 6749 section 3.3, without separators. */
const ScopeName = Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$' })
const Claim = Type.String({ minLength: 1, maxLength: TEXT_MAX })

const RequiredClaims = Type.Unsafe<Record<string, string[]>>({
  type: 'object',
  maxProperties: LIST_MAX,
  propertyNames: { type: 'string', minLength: 1, maxLength: 100 },
  additionalProperties: {
    type: 'array',
    minItems: 1,
    maxItems: VALUES_MAX,
    items: { type: 'string', minLength: 1, maxLength: TEXT_MAX },
  },
  'x-message': `must have at most ${LIST_MAX} claims, each with a list of 1 to ${VALUES_MAX} texts`,
  title: 'RequiredClaims',
  description:
    'Claims of the ID token, each of which has to be equal to one of a list of texts. At most 10. An update replaces all.',
})

/** What every authority may set, of a connection in its reach. */
const FIELDS = {
  issuer: Type.String({
    minLength: 1,
    maxLength: ISSUER_MAX,
    description:
      'The issuer of the provider, as its metadata states it; of a SAML provider its entityID, which is compared exactly. After the first test that succeeded it does not change. An issuer of OpenID Connect at which people of several organizations sign in is refused; `https://accounts.google.com` is accepted with the required claim `hd`.',
  }),
  clientId: Type.String({ minLength: 1, maxLength: TEXT_MAX, pattern: '^[\\x20-\\x7e]+$' }),
  scopes: Type.Array(ScopeName, {
    minItems: 1,
    maxItems: LIST_MAX,
    uniqueItems: true,
    description: 'The scopes that are requested. Contains `openid`. Default: `openid`, `email`, `profile`.',
  }),
  requiredClaims: RequiredClaims,
  closedIssuer: Type.Boolean({
    description:
      'Whether only people of the organization can sign in at the provider. Then an address of a verified domain counts as verified also if the provider does not state `email_verified`. Default: false.',
  }),
  subjectAttribute: Nullable(Type.String({ minLength: 1, maxLength: ATTRIBUTE_MAX }), {
    description:
      'What identifies a person at the provider. OpenID Connect: the claim `sub` or `oid`, which is for Entra ID, whose `sub` differs for each registered application. SAML: the exact name of an attribute; null: the NameID. After the first test that succeeded it does not change. Default: `sub`; null of SAML.',
  }),
  groupAttribute: Nullable(Type.String({ minLength: 1, maxLength: ATTRIBUTE_MAX }), {
    description: 'The claim, or the exact name of the attribute, with the groups of a person; null: none.',
  }),
  jit: Type.Boolean({
    description:
      'Whether people with an address of a verified domain become members when they sign in for the first time. Default: false.',
  }),
  defaultRoles: Type.Array(Id, {
    maxItems: 50,
    description:
      'Ids of the roles of members whom the connection adds. No admin role, and none that acts for members.',
  }),
  sessionHours: Type.Integer({
    minimum: 1,
    maximum: 720,
    description: 'After so many hours a sign-in by the connection ends. Default: 24.',
  }),
  mfaAcr: Type.Array(Claim, {
    maxItems: LIST_MAX,
    uniqueItems: true,
    description:
      'Values of `acr` that are requested, and that say that a second factor was verified. Of SAML: classes of the login (`AuthnContextClassRef`), which are not requested.',
  }),
  reauthentication: oneOf(['stated', 'unconfirmed'], {
    title: 'Reauthentication',
    description:
      'How a sign-in is known to be recent. `stated`: by `auth_time` in the ID token. `unconfirmed`: the time of the response counts, although the provider may have asked for nothing. Default: `stated`.',
  }),
}

const SsoUrl = Type.String({
  minLength: 1,
  maxLength: URL_MAX,
  description:
    'Where the SAML provider takes requests (binding HTTP-Redirect): an https address, which may have a query.',
})

const MetadataUrl = Nullable(Type.String({ minLength: 1, maxLength: URL_MAX }), {
  description:
    'The address of the metadata of the SAML provider: https. It is read at once when it is set, and daily; what it states replaces `ssoUrl` and `certificates`. Null: it is not read.',
})

/** Of a SAML provider. */
const OF_SAML = {
  metadataUrl: MetadataUrl,
  ssoUrl: SsoUrl,
  certificates: Type.Array(Type.String({ minLength: 1, maxLength: PEM_MAX }), {
    minItems: 1,
    maxItems: CERTIFICATES_MAX,
    description:
      'The certificates with which the SAML provider signs, in PEM, with RSA keys of at least 2,048 bits. A list replaces the one before. Their keys are trusted until they are replaced, also after their end.',
  }),
  metadata: Type.String({
    minLength: 1,
    maxLength: METADATA_MAX,
    description:
      'The metadata of the SAML provider, as XML. It sets `issuer`, if there is none, `ssoUrl` and `certificates`, and is not stored.',
  }),
}

const Certificate = Type.Object(
  { pem: Type.String(), notBefore: Time, notAfter: Time },
  { title: 'SamlCertificate' },
)

/** What only the system and the platform set. */
const RESERVED = {
  reservedRoles: Type.Boolean({
    description:
      'Whether the connection signs in members who have a role that account admins do not assign. Set by the system and the platform. Default: false.',
  }),
  mfa: Nullable(
    oneOf(['reported', 'trusted'], {
      title: 'ConnectionMfa',
      description:
        'When a sign-in has a second factor. `reported`: if the ID token says so. `trusted`: always. Null: as `connectionMfa` of the system says, and `reported` for a connection that an account admin has set up. Set by the system and the platform.',
    }),
  ),
  setBy: oneOf(['platform', 'system', 'account'], {
    title: 'ConnectionSetBy',
    description:
      'The authority that has created the connection: a lower one does not change or delete it. Only the system and the platform change it, to their own or a lower one.',
  }),
}

const WRITTEN = {
  clientSecret: Type.String({
    minLength: 1,
    maxLength: 1_000,
    pattern: '^[\\x20-\\x7e]+$',
    description: 'Stored encrypted, sent to the provider only, and never returned.',
  }),
  secretExpiresAt: Nullable(timeOf('When the client secret expires at the provider; null: not known.')),
}

const SETTABLE = Type.Partial(
  Type.Object({
    ...FIELDS,
    ...OF_SAML,
    ...WRITTEN,
    reservedRoles: RESERVED.reservedRoles,
    mfa: RESERVED.mfa,
  }),
).properties

export const CreateConnection = Type.Object(
  { name: Name, kind: Kind, ...SETTABLE },
  { title: 'CreateConnection' },
)
export const UpdateConnection = Type.Object(
  {
    name: Type.Optional(Name),
    ...SETTABLE,
    setBy: Type.Optional(RESERVED.setBy),
    enabled: Type.Optional(
      Type.Boolean({ description: 'A connection can be enabled after a test that succeeded.' }),
    ),
  },
  { title: 'UpdateConnection' },
)

export const ConnectionAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    accountId: Id,
    name: Type.String(),
    kind: Kind,
    enabled: Type.Boolean(),
    redirectUri: Nullable(Type.String(), {
      description:
        'The redirect URI, which is registered at the provider. The connection has its own. Null of SAML.',
    }),
    acsUrl: Nullable(Type.String(), {
      description:
        'Where a SAML provider sends its responses (assertion consumer service). Null of OpenID Connect.',
    }),
    entityId: Nullable(Type.String(), {
      description:
        'How a SAML provider calls this server: the audience of its assertions, and the address of the metadata for it. Null of OpenID Connect.',
    }),
    startUrl: Type.String({ description: 'The address to which a tile of the provider leads.' }),
    ...FIELDS,
    ...RESERVED,
    issuer: Nullable(FIELDS.issuer),
    clientId: Nullable(FIELDS.clientId),
    hasSecret: Type.Boolean({ description: 'Whether a client secret is stored.' }),
    secretExpiresAt: WRITTEN.secretExpiresAt,
    ssoUrl: Nullable(SsoUrl),
    metadataUrl: MetadataUrl,
    certificates: Type.Array(Certificate, {
      description: 'The certificates with which the SAML provider signs.',
    }),
    missing: Type.Array(
      oneOf(['issuer', 'clientId', 'clientSecret', 'ssoUrl', 'certificates'], { title: 'MissingSetting' }),
      { description: 'What has to be set before a test.' },
    ),
    testedAt: Nullable(timeOf('The last test that succeeded; null: none.')),
    changedSinceTest: Type.Boolean({
      description: 'Whether a field that a test checks has changed since the last one that succeeded.',
    }),
    lastUsedAt: Nullable(timeOf('The last sign-in.')),
    lastError: Nullable(Type.String(), {
      description:
        'Why the last sign-in or test was refused, or what `metadataUrl` serves (`metadata_invalid`, `metadata_unavailable`); null after one that succeeded.',
    }),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Connection' },
)

export const TestAnswer = Type.Object(
  { testUrl: Type.String({ description: 'For one browser.' }), expiresAt: Time },
  { title: 'ConnectionTest' },
)

export const AttemptAnswer = Type.Object(
  {
    id: Id,
    time: Time,
    outcome: oneOf(['signed_in', 'tested', 'refused'], { title: 'AttemptOutcome' }),
    code: Nullable(Type.String(), { description: 'Why it was refused.' }),
    subject: Nullable(Type.String(), { description: 'The subject that the provider has stated.' }),
    email: Nullable(Type.String(), { description: 'The address that the provider has stated.' }),
    requestId: Nullable(Type.String(), { description: 'The request, as in the log and the audit log.' }),
  },
  { title: 'ConnectionAttempt' },
)

/** Of SAML, a subject is a list in JSON with names of the provider and of this server. */
const SUBJECT_MAX = 2_000
const WANTED_LINK = { subject: Type.String({ minLength: 1, maxLength: SUBJECT_MAX }), userId: Id }

export const ImportLinks = Type.Object(
  {
    links: Type.Array(Type.Object(WANTED_LINK, { title: 'WantedLink' }), {
      minItems: 1,
      maxItems: LINKS_MAX,
    }),
  },
  { title: 'ImportLinks' },
)
export const LinkResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          subject: Type.String(),
          userId: Type.String(),
          code: Nullable(oneOf(LINK_REFUSALS, { title: 'LinkRefusal' }), {
            description:
              'Null: the member is linked to the subject. `membership_not_found`: the user is no member of the account. `address_foreign`: the address is not in a verified domain of the account. `link_taken`: the subject is linked to another member. `link_exists`: the member is linked to another subject.',
          }),
        },
        { title: 'LinkResult' },
      ),
      { description: 'One for each link of the request, in its order.' },
    ),
  },
  { title: 'LinkResults' },
)

const LinkAnswer = Type.Object(
  {
    id: Id,
    userId: Id,
    membershipId: Id,
    subject: Type.String({ description: 'What the provider calls the member.' }),
    email: Type.String({ description: 'The address with which the member was linked.' }),
    user: Type.Object(
      { id: Id, email: Type.String(), name: Nullable(Type.String()) },
      { title: 'LinkedUser', description: 'The member as the system reads them.' },
    ),
    createdAt: Time,
    lastUsedAt: Nullable(timeOf('The last sign-in of the member by the connection.')),
  },
  { title: 'ConnectionLink' },
)
export const LinkList = PageOf(LinkAnswer, 'ConnectionLinkList')

export const linkOf = ({ createdAt, lastUsedAt, ...link }: ListedLink): Static<typeof LinkAnswer> => ({
  ...link,
  createdAt: createdAt.toISOString(),
  lastUsedAt: textOf(lastUsedAt),
})

const textOf = (time: Date | null) => time?.toISOString() ?? null

export function answerOf(
  config: Pick<Config, 'BASE_URL'>,
  { configuredAt: _, testedBy: __, isChanged: changedSinceTest, ...connection }: Connection,
): Static<typeof ConnectionAnswer> {
  return {
    ...connection,
    ...addressesOf(config, connection),
    missing: missingOf(connection),
    changedSinceTest,
    secretExpiresAt: textOf(connection.secretExpiresAt),
    testedAt: textOf(connection.testedAt),
    lastUsedAt: textOf(connection.lastUsedAt),
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  }
}

export const attemptOf = ({ time, ...attempt }: Attempt): Static<typeof AttemptAnswer> => ({
  ...attempt,
  time: time.toISOString(),
})

type Body = {
  secretExpiresAt?: string | null | undefined
  certificates?: string[] | undefined
  metadata?: string | undefined
  metadataUrl?: string | null | undefined
}
type Read = Pick<ConnectionPatch, 'secretExpiresAt' | 'certificates' | 'metadata' | 'metadataUrl'>

/**
 * The fields of a request, with times as such, and certificates and metadata as they are stored. It is called
 * outside of a transaction. Throws `saml_disabled`, `metadata_invalid` or `invalid_request`.
 */
export async function patchOf<Given extends Body>(
  { SAML }: Pick<Config, 'SAML'>,
  { secretExpiresAt, certificates, metadata, metadataUrl, ...fields }: Given,
  readMetadata: ReadMetadata,
): Promise<Omit<Given, keyof Body> & Read> {
  // The switch is for faults of the reader.
  if ((metadata !== undefined || metadataUrl) && !SAML) throw new Failure('saml_disabled')
  return {
    ...fields,
    ...(secretExpiresAt !== undefined && {
      secretExpiresAt: secretExpiresAt === null ? null : new Date(secretExpiresAt),
    }),
    ...(certificates && { certificates: storedCertificates(certificates) }),
    ...(metadataUrl !== undefined && { metadataUrl }),
    ...(metadata !== undefined && { metadata: await statedIn(Buffer.from(metadata), readMetadata) }),
  }
}

/** The JSON of accounts in requests and responses of the admin API. */
import { Type } from 'typebox'
import { invalid } from '../../errors.ts'
import type { Caller } from '../../http/authority.ts'
import { Id, NameSearch, Nullable, oneOf, pathId, Time } from '../../http/schemas.ts'
import { Color } from '../systems/schemas.ts'
import { type Account, type PrivateFields, requiresMfa, requiresSso, statusOf } from './queries.ts'

/** In bytes. */
const METADATA_MAX = 10_240
const EXTERNAL_ID_MAX = 255

export const OneAccount = Type.Object({ accountId: pathId('account') })

export const AccountKind = oneOf(['personal', 'organization'], {
  title: 'AccountKind',
  description: 'Whether the account is the personal one of a user.',
})
export const MembersVisible = Type.Boolean({
  description:
    'Whether members who are not admins see the list of members, on the pages at /account/organizations. Default: true.',
})
export const AcceptOtherAddress = Type.Boolean({
  description:
    'Whether the user of another verified address can accept an emailed invitation. Default: false.',
})
export const Status = oneOf(['active', 'suspended'], {
  title: 'AccountStatus',
  description:
    'The members and service accounts of a suspended account get no access. Only the system and the platform suspend an organization.',
})
const SuspendedBy = Type.Array(
  oneOf(['platform', 'system'], { description: 'An authority that can suspend an account.' }),
  {
    description:
      'The authority that has suspended the account: a lower one cannot resume it. Empty unless it is suspended.',
  },
)
export const RequireMfa = Type.Boolean({
  description: 'Whether a sign-in of a member to the account requires a second factor.',
})
const RequireMfaBy = Type.Array(
  oneOf(['platform', 'system', 'account'], { description: 'An authority that can require a second factor.' }),
  {
    description:
      'The authority that requires the second factor: a lower one cannot undo it. Empty unless it is required.',
  },
)
export const SsoRequired = Type.Boolean({
  description:
    'Whether the memberships open only to a login by a connection of the organization. Default: false.',
})
const SsoRequiredBy = Nullable(
  oneOf(['platform', 'system', 'account'], {
    title: 'SsoRequiredBy',
    description: 'The authority that requires single sign-on: a lower one cannot undo it. Null: none does.',
  }),
)
export const SsoSelfService = Type.Boolean({
  description:
    'Whether the admins of the organization set up its single sign-on, where `organizationSso` of the system is `system`. Only the system and the platform change it. Default: false.',
})
/** The system and the platform read it: an answer to the admin of an account has no metadata. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  'x-bytes': METADATA_MAX,
  'x-message': 'must have at most 10,240 bytes',
  description:
    'Any JSON object of at most 10,240 bytes. An update replaces the whole object. The admin of the account neither reads nor writes it.',
})
export const ExternalId = Type.String({
  minLength: 1,
  maxLength: EXTERNAL_ID_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  description:
    'The id of the account elsewhere, at most 255 bytes: unique in the system (`external_id_taken`). An import uses `source:id`. The admin of the account neither reads nor writes it.',
})

export const NameOrIdSearch = Type.String({
  ...NameSearch,
  title: 'NameOrIdSearch',
  description:
    'Returns only items whose name or, for platform and system, `externalId` contains this text. Case-insensitive.',
})

export const OrganizationBranding = Type.Object(
  {
    logoUrl: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description:
          'The address of the uploaded logo. Only the present address is accepted; without it, the upload is removed.',
      }),
    ),
    color: Type.Optional(Color),
  },
  {
    title: 'AccountBranding',
    description:
      'What active members see of the organization. A change replaces the whole object. `putAccountLogo` uploads a logo.',
  },
)

/** Bytes of UTF-8, which the schema counts as characters. */
export function demandBytes(externalId: string | null | undefined, path: string): void {
  if (externalId && Buffer.byteLength(externalId) > EXTERNAL_ID_MAX)
    throw invalid(path, `must have at most ${EXTERNAL_ID_MAX} bytes`)
}

/** For a caller who can't read them, the fields do not exist. */
export function demandKnown({ authority }: Caller, given: PrivateFields): void {
  for (const field of ['metadata', 'externalId'] as const)
    if (authority === 'account' && given[field] !== undefined) throw invalid(`/${field}`, 'is not a field')
  demandBytes(given.externalId, '/externalId')
}

export const AccountAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    name: Type.String(),
    kind: AccountKind,
    status: Status,
    suspendedBy: SuspendedBy,
    requireMfa: RequireMfa,
    requireMfaBy: RequireMfaBy,
    membersVisible: MembersVisible,
    acceptOtherAddress: AcceptOtherAddress,
    ssoRequired: SsoRequired,
    ssoRequiredBy: SsoRequiredBy,
    ssoSelfService: SsoSelfService,
    branding: OrganizationBranding,
    metadata: Type.Optional(Metadata),
    externalId: Type.Optional(Nullable(ExternalId)),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Account' },
)
export const ListedAccountAnswer = Type.Object(
  {
    ...AccountAnswer.properties,
    memberCount: Type.Integer({ description: 'The number of memberships of any status.' }),
  },
  { title: 'ListedAccount' },
)

export const AccountSummary = Type.Object(
  {
    ...ListedAccountAnswer.properties,
    adminCount: Type.Integer({ description: 'The number of active admins who are not disabled.' }),
    pendingCount: Type.Integer({ description: 'The number of pending memberships.' }),
  },
  { title: 'AccountSummary' },
)

export const answerOf = <A extends Account>(
  { authority }: Pick<Caller, 'authority'>,
  { personalOf, awaitsMember, metadata, externalId, ...account }: A,
) => ({
  ...account,
  ...(authority !== 'account' && { metadata, externalId }),
  status: statusOf(account),
  requireMfa: requiresMfa(account),
  ssoRequired: requiresSso(account),
  createdAt: account.createdAt.toISOString(),
  updatedAt: account.updatedAt.toISOString(),
})

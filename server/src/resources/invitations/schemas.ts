/** The JSON of invitations in requests and responses of the admin API. */
import { Type } from 'typebox'
import type { Rank, Reach } from '../../http/authority.ts'
import { Email, Id, Nullable, oneOf, PageOf, pathId, Time, timeOf } from '../../http/schemas.ts'
import { Ids } from '../memberships/schemas.ts'
import type { Invitation } from './queries.ts'

export const OfAccount = Type.Object({ accountId: pathId('account') })
export const OneInvitation = Type.Object({
  ...OfAccount.properties,
  invitationId: pathId('invitation'),
})

export const InvitationStatusSchema = oneOf(['pending', 'accepted', 'declined', 'revoked', 'expired'], {
  title: 'InvitationStatus',
  description: 'The status of an invitation.',
})

const FIELDS = {
  id: Id,
  systemId: Id,
  accountId: Id,
  email: Type.String({ description: 'The address that is invited.' }),
  roles: Type.Array(Id, { description: 'The ids of the roles that the membership gets.' }),
  profiles: Type.Array(Id, { description: 'The ids of the profiles that the membership gets.' }),
  message: Nullable(Type.String({ description: 'Shown in the email and on the page of the link.' })),
  status: InvitationStatusSchema,
  invitedBy: Nullable(
    Type.String({
      format: 'uuid',
      description: 'The user; null: a service, or a user with an authority above that of the caller.',
    }),
  ),
  acceptedBy: Nullable(Type.String({ format: 'uuid', description: 'The user; null unless accepted.' })),
  sends: Type.Integer({ description: 'The number of emails that were sent.' }),
  lastSentAt: Nullable(timeOf('When the last email was sent.')),
  expiresAt: timeOf('When a pending invitation expires.'),
  createdAt: Time,
  updatedAt: Time,
}
export const InvitationAnswer = Type.Object(FIELDS, { title: 'Invitation' })
export const CreatedInvitation = Type.Object(
  {
    ...FIELDS,
    url: Type.Optional(
      Type.String({ description: 'The link, if `notify` is false. It is returned only once.' }),
    ),
  },
  { title: 'CreatedInvitation' },
)
export const InvitationList = PageOf(InvitationAnswer, 'InvitationList')

const Invited = {
  email: Type.String({ ...Email, description: 'The address to invite.' }),
  roles: Type.Optional(Ids),
  profiles: Type.Optional(Ids),
  message: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Plain text for the email, without links.',
    }),
  ),
  expiresIn: Type.Optional(
    Type.Integer({
      minimum: 3_600,
      maximum: 2_592_000,
      description: 'Lifetime in seconds, from one hour to 30 days. Default: `TTL_INVITATION`.',
    }),
  ),
  notify: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'If false, no email is sent and the response has `url`. Not for the admin of an account. Such a link does not verify the address.',
    }),
  ),
}
export const InvitationBody = Type.Object(Invited, { title: 'CreateInvitation' })
/** An address is checked on its own, so that one that is no address does not prevent the others. */
const Listed = Type.Object(
  {
    ...Invited,
    email: Type.String({ minLength: 1, maxLength: 320, description: 'The address to invite.' }),
  },
  { title: 'InvitationOfList' },
)
export const BatchBody = Type.Object(
  { invitations: Type.Array(Listed, { minItems: 1, maxItems: 100 }) },
  { title: 'CreateInvitations' },
)
export const BatchAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          email: Type.String(),
          status: Type.Integer({ description: 'The status code of `createInvitation` for this address.' }),
          invitation: Type.Optional(CreatedInvitation),
          code: Type.Optional(Type.String({ description: 'The error code, if it was not invited.' })),
          detail: Type.Optional(Type.String()),
        },
        { title: 'InvitationResult' },
      ),
      { description: 'One for each address, in the order of the request.' },
    ),
  },
  { title: 'InvitationResults' },
)

/** A caller does not see an actor with an authority above its own, here and in the audit log. */
const isInviterShown = ({ systemId, accountId }: Reach, addedBy: Rank): boolean =>
  addedBy === 'account' || systemId === undefined || (addedBy !== 'platform' && accountId === undefined)

export const answerOf = (
  { mailed, lifetime, addedBy, invitedBy, ...invitation }: Invitation,
  reach: Reach,
) => ({
  ...invitation,
  invitedBy: isInviterShown(reach, addedBy) ? invitedBy : null,
  lastSentAt: invitation.lastSentAt?.toISOString() ?? null,
  expiresAt: invitation.expiresAt.toISOString(),
  createdAt: invitation.createdAt.toISOString(),
  updatedAt: invitation.updatedAt.toISOString(),
})

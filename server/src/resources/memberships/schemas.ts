/** The JSON of memberships in requests and responses of the admin API. */
import { Type } from 'typebox'
import { Email, Id, Name, Nullable, oneOf, PageOf, pathId, Query, Search, Time } from '../../http/schemas.ts'
import type { LockedMembership, Membership } from './queries.ts'

export const OneMembership = Type.Object({ membershipId: pathId('membership') })
export const MembershipStatusSchema = oneOf(['pending', 'active', 'blocked'], {
  title: 'MembershipStatus',
  description: 'The status of a membership.',
})
export const Sort = oneOf(['createdAt', 'updatedAt'], {
  title: 'MembershipSort',
  description: '`createdAt`: the newest first (default). `updatedAt`: the last changed first.',
})
/** The ids of roles or profiles; the bound is ours. */
export const Ids = Type.Array(Id, { maxItems: 200 })

export const SsoExempt = Type.Boolean({
  description: 'Required single sign-on of the organization does not apply to the member.',
})

export const MembershipAnswer = Type.Object(
  {
    id: Id,
    userId: Id,
    systemId: Id,
    accountId: Id,
    status: MembershipStatusSchema,
    blockedBy: Nullable(
      oneOf(['platform', 'system', 'account'], {
        title: 'BlockedBy',
        description:
          'The authority that blocked the membership. Only this one or a higher one can activate it.',
      }),
    ),
    roles: Type.Array(Id, { description: 'The ids of the roles.' }),
    profiles: Type.Array(Id, { description: 'The ids of the profiles.' }),
    account: Type.Object({ id: Id, name: Type.String() }, { title: 'MembershipAccount' }),
    connection: Nullable(
      Type.Object(
        { id: Id, name: Type.String() },
        {
          title: 'MembershipConnection',
          description:
            'The connection of the organization by which the member signs in; of several the one that was used last. Null: the member is linked to none.',
        },
      ),
    ),
    confirmEntry: Type.Boolean({
      description:
        'A connection has created the membership for a user who existed before. Credentials of the user open it only after a sign-in by the connection, or a code sent to the address of the user.',
    }),
    ssoExempt: Type.Boolean({
      description:
        'Where the organization requires single sign-on, credentials of the user with a second factor open the membership too.',
    }),
    ssoExemptBy: Nullable(
      oneOf(['platform', 'system', 'account'], {
        title: 'SsoExemptBy',
        description:
          'The authority that has exempted the member. Only this one or a higher one can end it, and it does not count while a higher one requires single sign-on.',
      }),
    ),
    user: Type.Object(
      {
        id: Id,
        email: Type.String(),
        name: Nullable(
          Type.String({
            description:
              'The name as the system reads it: what it states, or the own name of a user who has entered it.',
          }),
        ),
      },
      { title: 'MembershipUser' },
    ),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Membership' },
)

export const MembershipList = PageOf(MembershipAnswer, 'MembershipList')

export const MembershipBody = Type.Object(
  {
    userId: Type.Optional(Id),
    email: Type.Optional(
      Type.String({ ...Email, description: 'The email address of the user, instead of `userId`.' }),
    ),
    systemId: Type.Optional(Id),
    accountId: Type.Optional(Id),
    accountName: Type.Optional(Name),
    roles: Type.Optional(Ids),
    profiles: Type.Optional(Ids),
    status: Type.Optional(MembershipStatusSchema),
  },
  { title: 'CreateMembership' },
)

export const MEMBERSHIP_FILTERS = {
  status: Type.Optional(MembershipStatusSchema),
  search: Type.Optional(Search),
  query: Type.Optional(Query),
}

/** The whole set, or what to add to it and remove from it. */
export const SetChange = { add: Type.Optional(Ids), remove: Type.Optional(Ids) }

export const answerOf = ({
  awaitsActivation,
  hasReservedRole,
  ...membership
}: Membership & Partial<LockedMembership>) => ({
  ...membership,
  ssoExempt: membership.ssoExemptBy !== null,
  createdAt: membership.createdAt.toISOString(),
  updatedAt: membership.updatedAt.toISOString(),
})

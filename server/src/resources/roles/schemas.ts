/**
 * The JSON of roles in requests and responses of the admin API. The length of a name is that of `Name`, its
 * uniqueness in the system is decided by the constraint `role_name_taken`.
 */
import { type Static, Type } from 'typebox'
import { Id, Name, pathId, Time } from '../../http/schemas.ts'
import type { Role } from './queries.ts'

const systemId = pathId('system')

export const InSystem = Type.Object({ systemId })
export const OneRole = Type.Object({ systemId, roleId: pathId('role') })

/**
 * One scope token as RFC 6749 section 3.3 defines it: printable ASCII without space, quote and
 * backslash. The limits are ours.
 */
const Scope = Type.String({
  pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$',
  'x-message': 'must be 1 to 100 printable ASCII characters without space, quote and backslash',
})

const FIELDS = {
  isAdmin: Type.Boolean({
    description:
      'Whether a member with this role administers the account. The token then has `is_admin` true.',
  }),
  assignableByAccountAdmins: Type.Boolean({
    description:
      'Whether admins of accounts can assign and remove the role. Default true. If false, the role is reserved: only the system and the platform assign and remove it, and account admins cannot change a membership that has it.',
  }),
  canActForMembers: Type.Boolean({
    description:
      'Whether a member with this role can act for other members of the system, if it has `allowActingForMembers`. Default false; requires `assignableByAccountAdmins` false.',
  }),
  scopes: Type.Array(Scope, {
    maxItems: 200,
    uniqueItems: true,
    description:
      'The permissions of the role, named by the application. The token has those of all roles as `permissions`.',
  }),
}

export const UpdateRole = Type.Object(
  {
    name: Type.Optional(Name),
    isAdmin: Type.Optional(FIELDS.isAdmin),
    assignableByAccountAdmins: Type.Optional(FIELDS.assignableByAccountAdmins),
    canActForMembers: Type.Optional(FIELDS.canActForMembers),
    scopes: Type.Optional(FIELDS.scopes),
  },
  { title: 'UpdateRole' },
)
export const CreateRole = Type.Object({ ...UpdateRole.properties, name: Name }, { title: 'CreateRole' })
export const RoleAnswer = Type.Object(
  { id: Id, systemId: Id, name: Name, ...FIELDS, createdAt: Time, updatedAt: Time },
  { title: 'Role' },
)

/** The deletion of the last admin role is refused without `force`: its assignments would be lost. */
export const Forced = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description: 'Whether to delete the role although no admin role remains. Default false.',
    }),
  ),
})

export const answerOf = ({
  isLastAdmin,
  isFounder,
  ...role
}: Role & { isLastAdmin?: boolean; isFounder?: boolean }): Static<typeof RoleAnswer> => ({
  ...role,
  createdAt: role.createdAt.toISOString(),
  updatedAt: role.updatedAt.toISOString(),
})

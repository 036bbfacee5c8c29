import { docsOf } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const ROLE = {
  id: EXAMPLE.role,
  systemId: EXAMPLE.system,
  name: 'Accountant',
  isAdmin: false,
  assignableByAccountAdmins: true,
  canActForMembers: false,
  scopes: ['invoices:read', 'invoices:write'],
  createdAt: TIME,
  updatedAt: TIME,
}
const APPROVING = { scopes: ['invoices:read', 'invoices:write', 'invoices:approve'] }

export const DOCS = docsOf('roles', {
  listRoles: {
    summary: 'List roles',
    description: `Returns all roles of the system, newest first, as an array and not as a page. The admin of an
      account can read the roles of the system of the account.`,
    success: 'The roles of the system.',
    response: [ROLE],
  },
  createRole: {
    summary: 'Create a role',
    description: `Creates a role in the system. Two roles of a system cannot have the same name.
      \`updateMembershipRoles\` assigns roles to memberships. The first admin role of the system becomes its
      \`founderRoleId\`. A system has at most ${quotaText('rolesOfSystem')} roles (\`limit_reached\`). Audit entry: \`role.created\`.`,
    success: 'The role was created.',
    request: { name: 'Accountant', isAdmin: false, scopes: ['invoices:read', 'invoices:write'] },
    response: ROLE,
  },
  getRole: {
    summary: 'Get a role',
    description: 'Returns one role of the system.',
    success: 'The role.',
    response: ROLE,
  },
  updateRole: {
    summary: 'Update a role',
    description: `Changes the fields in the body and leaves the others as they are. Access tokens contain the
      change after the next refresh. Each membership with the role causes an event \`user.access_updated\`.
      Audit entry: \`role.updated\`.

      It is refused with \`limit_reached\` if a member with the role would have more than
      ${quotaText('scopesOfToken')} different scopes in a token, or more than ${quotaText('scopeBytesOfToken')} bytes of them.

      If the role has these values already, nothing is recorded and no event is sent.`,
    success: 'The role after the update.',
    request: APPROVING,
    response: { ...ROLE, ...APPROVING },
  },
  deleteRole: {
    summary: 'Delete a role',
    description: `Deletes the role and removes it from all memberships. Each of these memberships causes an event
      \`user.access_updated\`. The last admin role of a system that has accounts is deleted only if \`force\` is true
      (\`last_admin_role\`): without it these accounts have no admins. Audit entry: \`role.deleted\`.`,
    success: 'The role was deleted.',
  },
})

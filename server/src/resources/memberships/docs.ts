import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const MEMBERSHIP = {
  id: EXAMPLE.membership,
  userId: EXAMPLE.user,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  status: 'active' as const,
  blockedBy: null,
  roles: [EXAMPLE.role],
  profiles: [],
  account: { id: EXAMPLE.account, name: 'Acme' },
  connection: null,
  confirmEntry: false,
  ssoExempt: false,
  ssoExemptBy: null,
  user: { id: EXAMPLE.user, email: 'ana@acme.example', name: 'Ana Souza' },
  createdAt: TIME,
  updatedAt: TIME,
}

export const MEMBERSHIPS = docsOf('memberships', {
  listMemberships: {
    summary: 'List memberships',
    description: `Returns memberships, newest first. The filters are combined with AND. A service token receives the
      memberships of its system, the admin of an account those of the account. \`user\` has the email address and the name
      as the system reads them, and \`query\` compares these.`,
    success: 'A page of memberships.',
    response: pageWith(MEMBERSHIP),
  },
  createMembership: {
    summary: 'Create a membership',
    description: `Gives a user access to an account of a system. With \`systemId\` a new account is created, named
      \`accountName\`; with \`accountId\` the user becomes a member of an existing account. Without \`status\` the
      membership is \`pending\` if the system has \`requireAdminActivation\`, otherwise \`active\`. Sends the event
      \`user.access_granted\` or \`user.access_requested\`, and \`account.created\` for a new account. Audit entry:
      \`membership.created\`.

      The user is named by \`userId\` or by \`email\`: a system names its own users by the address that it reads, and its
      other addresses count as asked (\`too_many_requests\`). By \`userId\` a system adds a user who is none of its users and
      has changed the address before only within 24 hours after it has named the present address; otherwise the response
      is \`user_not_found\`. The admin of an account adds users who are already members of
      the system, by \`userId\`; for any other, existing or not, the response is \`user_not_found\`. An address is
      invited instead (\`createInvitation\`), which answers alike for every address. With
      \`requireAdminActivation\` the membership that an account admin adds is \`pending\`, whatever \`status\` is.

      A user who was blocked by a higher authority cannot be added again (\`insufficient_authority\`), also after the
      membership was deleted: a block by the platform covers all accounts of the system, one by the system the
      account. The authority that blocked the user, or a higher one, lifts the block by creating the membership.

      A user has at most ${quotaText('membershipsOfUser')} memberships in a system; the limits of roles and profiles are those of
      \`updateMembershipRoles\` and \`updateMembershipProfiles\` (\`limit_reached\`).

      Where the system does not have \`multiAccount\`, only the platform creates memberships: a user then has one account
      (\`account_taken\`) and an account one member (\`account_occupied\`).`,
    success: 'The membership was created.',
    request: {
      userId: EXAMPLE.user,
      systemId: EXAMPLE.system,
      accountName: 'Acme',
      roles: [EXAMPLE.role],
    },
    response: MEMBERSHIP,
  },
  getMembership: {
    summary: 'Get a membership',
    description: 'Returns one membership.',
    success: 'The membership.',
    response: MEMBERSHIP,
  },
  updateMembership: {
    summary: 'Change the status or the exemption of a membership',
    description: `Activates or blocks the membership. A blocked member cannot sign in to the account, and the sessions of
      the membership end. Sends the event \`user.access_granted\`, \`user.access_restored\` or \`user.access_blocked\`; the
      audit entry is \`membership.granted\`, \`membership.restored\` or \`membership.blocked\`. A membership cannot become
      \`pending\` again. The admin of an account cannot block its last active admin.

      A membership is activated by the authority that blocked it or by a higher one (platform, system, account);
      for others the response is \`insufficient_authority\`. With \`requireAdminActivation\` the admin of an account
      can activate only memberships that were active before.

      With \`ssoExempt\`, a member of an organization that requires single sign-on also signs in with their own credentials
      and a second factor that they have. Nothing is enrolled in such a sign-in. It needs a second factor that counts in the
      system (\`factor_missing\`); one that is valid everywhere counts once the user has entered the system. Only factors that
      the member has at that time count, and those that the member enrolls with one of them. The admins of an
      account exempt others, not themselves, and where they may set up single sign-on (\`sso_not_enabled\`). Where a higher authority
      requires single sign-on, only it exempts, and an exemption by a lower one does not count; what a higher
      one has set, a lower one does not end (\`insufficient_authority\`). The other admins of the account get an email (at most 20).
      \`false\` ends the sessions of the membership that no connection has opened, if the organization requires single
      sign-on. Audit entry: \`membership.sso_exempt\`. A membership as it was read, sent back with \`ssoExemptBy\`,
      changes nothing of it.`,
    success: 'The membership after the change.',
    request: { status: 'blocked' },
    response: { ...MEMBERSHIP, status: 'blocked' as const, blockedBy: 'system' as const },
  },
  updateMembershipRoles: {
    summary: 'Change the roles of a membership',
    description: `Replaces the roles by \`roles\`, or changes them by \`add\` and \`remove\`. Access tokens contain the
      change after the next refresh. Sends the event \`user.access_updated\`. Audit entry:
      \`membership.roles_changed\`. The admin of an account cannot remove its last active admin, nor assign or remove
      roles with \`assignableByAccountAdmins\` false (\`insufficient_authority\`).

      A membership has at most ${quotaText('rolesOfMembership')} roles, with ${quotaText('scopesOfToken')} different scopes and ${quotaText('scopeBytesOfToken')} bytes of
      names and scopes (\`limit_reached\`).`,
    success: 'The membership after the change.',
    request: { add: [EXAMPLE.role] },
    response: MEMBERSHIP,
  },
  updateMembershipProfiles: {
    summary: 'Change the profiles of a membership',
    description: `Replaces the profiles by \`profiles\`, or changes them by \`add\` and \`remove\`. Access tokens contain
      the change after the next refresh. Sends the event \`user.access_updated\`. Audit entry:
      \`membership.profiles_changed\`. A membership has at most ${quotaText('profilesOfMembership')} profiles (\`limit_reached\`).`,
    success: 'The membership after the change.',
    request: { profiles: [EXAMPLE.profile] },
    response: { ...MEMBERSHIP, profiles: [EXAMPLE.profile] },
  },
  deleteMembership: {
    summary: 'Delete a membership',
    description: `Removes the user from the account. The sessions of the membership end. The account and a block remain. Sends the
      event \`user.access_revoked\`. Audit entry: \`membership.deleted\`. The admin of an account cannot remove its last
      active admin.`,
    success: 'The membership was deleted.',
  },
})

export const MEMBERS = docsOf('accounts', {
  listAccountMembers: {
    summary: 'List the members of an account',
    description: 'Returns the memberships of the account, newest first.',
    success: 'A page of memberships.',
    response: pageWith(MEMBERSHIP),
  },
})

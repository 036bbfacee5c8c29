import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

export const ACCOUNT = {
  id: EXAMPLE.account,
  systemId: EXAMPLE.system,
  name: 'Acme',
  kind: 'organization' as const,
  status: 'active' as const,
  suspendedBy: [],
  requireMfa: false,
  requireMfaBy: [],
  ssoRequired: false,
  ssoRequiredBy: null,
  membersVisible: true,
  acceptOtherAddress: false,
  ssoSelfService: false,
  branding: { color: '#336699' },
  metadata: { plan: 'gold' },
  externalId: 'crm:A-1042',
  createdAt: TIME,
  updatedAt: TIME,
}

export const DOCS = docsOf('accounts', {
  listAccounts: {
    summary: 'List the accounts of a system',
    description: `Returns the accounts of the system, newest first, with the number of their members. The admin of an
      account receives only this account.`,
    success: 'A page of accounts.',
    response: pageWith({ ...ACCOUNT, memberCount: 3 }),
  },
  listAllAccounts: {
    summary: 'List accounts',
    description: `Returns the accounts of all systems, newest first, with the numbers of their members, admins and
      pending memberships. A service token receives those of its system. The filters are combined with AND.`,
    success: 'A page of accounts.',
    response: pageWith({ ...ACCOUNT, memberCount: 3, adminCount: 1, pendingCount: 0 }),
  },
  createAccount: {
    summary: 'Create an account',
    description: `Creates an account without members, in a system with \`multiAccount\`. \`createMembership\` with its
      \`accountId\` adds members; with \`systemId\` it creates an account itself. A system can have at most
      ${quotaText('accountsWithoutMember')} accounts that have had no member (\`limit_reached\`). Sends the event
      \`account.created\`. Audit entry: \`account.created\`.`,
    success: 'The account was created.',
    request: { name: 'Acme', metadata: { plan: 'gold' }, externalId: 'crm:A-1042' },
    response: ACCOUNT,
  },
  deleteAccount: {
    summary: 'Delete an account',
    description: `Deletes the account with its memberships. Their sessions end, and their tokens are invalid. Sends the
      events \`user.access_revoked\` for each membership, \`session.ended\`, and \`account.deleted\`. A service token
      cannot delete an account in which the platform has blocked a user (\`insufficient_authority\`). Accounts of a
      platform system cannot be deleted (\`platform_system\`). Audit entry: \`account.deleted\`.`,
    success: 'The account was deleted.',
  },
  getAccount: {
    summary: 'Get an account',
    description: 'Returns one account.',
    success: 'The account.',
    response: ACCOUNT,
  },
  updateAccount: {
    summary: 'Update an account',
    description: `Changes the name of the account, whether its members see each other, and whether an invitation can be
      accepted with another address than the invited one, and its branding, which active members see. The admin of an account can change it if it is an organization
      (\`not_organization\`). Sends the event \`account.updated\`. Audit entry: \`account.updated\`.

      \`metadata\` and \`externalId\` are of the system and the platform: the admin of the account neither reads nor writes
      them, and reads no audit entry of them. \`externalId\` is unique in the system (\`external_id_taken\`); null clears it.

      With \`requireMfa\` a sign-in of a member to the account requires a second factor, which is enrolled there if there
      is none; sessions that exist continue. The admin of the account can set it as well. Each authority has its own
      decision, in \`requireMfaBy\`: true adds that of the caller, false removes it and those of lower authorities, and is
      refused while a higher authority requires it (\`insufficient_authority\`).

      With \`ssoRequired\` the memberships open only to a login by an enabled connection of the organization
      (\`connection_required\`), not to a password, a passkey or another credential of the user, and all sessions that no
      connection has opened end. Service accounts and users who act for a member are not affected. The authority that
      requires it is \`ssoRequiredBy\`; a lower one cannot undo it (\`insufficient_authority\`). An admin of the account needs the right to
      set up single sign-on (\`sso_not_enabled\`) and, to require it, a token of a sign-in by a connection of the account within the last 5
      minutes (\`insufficient_user_authentication\`). A system has to have \`multiAccount\` (\`not_organization\`). Sends the events
      \`account.updated\` and \`session.ended\`. Audit entry: \`account.sso_required\`.

      With \`ssoSelfService\` the admins of the organization set up its single sign-on, which is its domains and connections. Only the
      system and the platform change it (\`insufficient_authority\`).

      With the \`status\` \`suspended\`, which only the platform and the system set, its sessions end, its members and
      service accounts get no tokens, its invitations cannot be accepted, and its admins do not administer it. With
      \`active\` its keys are accepted again and its members can sign in; sessions that have ended do not continue. The
      platform and the system suspend it independently, in \`suspendedBy\`; a suspension by the platform is lifted by the
      platform only, which also lifts that of the system (\`insufficient_authority\`). A body that also has \`suspendedBy\`,
      \`requireMfaBy\` or \`ssoRequiredBy\`, as it was read, decides nothing by the present value. Personal accounts (\`not_organization\`) and those of platform systems (\`platform_system\`) are not
      suspended. Sends the events \`account.suspended\` and \`session.ended\`, or \`account.resumed\`. Audit entries:
      \`account.suspended\`, \`account.resumed\`.`,
    success: 'The account after the update.',
    request: { name: 'Acme Ltd' },
    response: { ...ACCOUNT, name: 'Acme Ltd' },
  },
})

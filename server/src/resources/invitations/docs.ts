import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const INVITATION = {
  id: EXAMPLE.invitation,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  email: 'rui@acme.example',
  roles: [EXAMPLE.role],
  profiles: [],
  message: 'We start on Monday.',
  status: 'pending' as const,
  invitedBy: EXAMPLE.user,
  acceptedBy: null,
  sends: 1,
  lastSentAt: TIME,
  expiresAt: '2026-03-09T09:30:00.000Z',
  createdAt: TIME,
  updatedAt: TIME,
}
const REQUEST = { email: 'rui@acme.example', roles: [EXAMPLE.role], message: 'We start on Monday.' }

export const DOCS = docsOf('invitations', {
  listInvitations: {
    summary: 'List the invitations of an account',
    description: `Returns the invitations of an organization, newest first. Those that have ended are deleted 90 days
      later. A member who was invited is found by \`listAccountMembers\`.`,
    success: 'A page of invitations.',
    response: pageWith(INVITATION),
  },
  createInvitation: {
    summary: 'Invite an address',
    description: `Sends an email with a link by which whoever has the mailbox joins the organization: with a new
      account, or with the one that has the address. The response is the same for every address, whether or not it has a
      user; only a member of the account is refused (\`membership_exists\`).

      The membership is \`active\` if the platform or the system invited. With \`requireAdminActivation\` it is
      \`pending\` if the admin of the account did. Roles and profiles that do not exist any more at acceptance are left
      out. An account sends at most \`INVITATIONS_PER_DAY\` of these emails in 24 hours, a system \`SYSTEM_INVITATIONS_PER_DAY\`,
      and all its account admins together as many again; an address gets at most three from an account, then one an hour
      (\`too_many_requests\`). It has at most ${quotaText('invitationsOfAccount')} pending invitations
      (\`limit_reached\`), with as many roles and profiles as a membership can have. Only organizations have invitations (\`not_organization\`).

      Sends the event \`invitation.created\`; later \`invitation.accepted\`, \`invitation.declined\`,
      \`invitation.revoked\` or \`invitation.expired\`. Audit entry: \`invitation.created\`.`,
    success: 'The invitation.',
    request: REQUEST,
    response: INVITATION,
  },
  createInvitations: {
    summary: 'Invite several addresses',
    description: `As \`createInvitation\`, for up to 100 addresses. Each is invited on its own: the others are invited
      if one is refused.`,
    success: 'The result for each address.',
    request: { invitations: [REQUEST, { email: 'ana@acme.example' }] },
    response: {
      results: [
        { email: 'rui@acme.example', status: 201, invitation: INVITATION },
        { email: 'ana@acme.example', status: 409, code: 'membership_exists' },
      ],
    },
  },
  getInvitation: {
    summary: 'Get an invitation',
    description: 'Returns one invitation of the account. Its link is never returned.',
    success: 'The invitation.',
    response: INVITATION,
  },
  resendInvitation: {
    summary: 'Resend an invitation',
    description: `Sends a pending invitation again, with a new link and a new lifetime. The previous link is invalid.
      Audit entry: \`invitation.resent\`.`,
    success: 'The invitation.',
    response: { ...INVITATION, sends: 2 },
  },
  revokeInvitation: {
    summary: 'Revoke an invitation',
    description: `Makes the link of a pending invitation invalid. The invitation remains in the list. Does nothing if it
      has ended. Sends the event \`invitation.revoked\`. Audit entry: \`invitation.revoked\`.`,
    success: 'The invitation is not pending any more.',
  },
})

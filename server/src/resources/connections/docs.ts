import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'
import { ATTEMPTS_MAX } from './attempts.ts'
import { LINKS_MAX } from './import-links.ts'

const AT = `https://id.example.com/sso/${EXAMPLE.connection}`

const CONNECTION = {
  id: EXAMPLE.connection,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  name: 'Okta',
  kind: 'oidc' as const,
  enabled: false,
  redirectUri: `${AT}/callback`,
  acsUrl: null,
  entityId: null,
  startUrl: `${AT}/start`,
  issuer: 'https://acme.okta.com',
  clientId: '0oa1example',
  hasSecret: true,
  secretExpiresAt: null,
  ssoUrl: null,
  metadataUrl: null,
  certificates: [],
  scopes: ['openid', 'email', 'profile'],
  requiredClaims: {},
  closedIssuer: false,
  subjectAttribute: 'sub' as const,
  groupAttribute: null,
  jit: false,
  defaultRoles: [],
  sessionHours: 24,
  mfaAcr: [],
  reauthentication: 'stated' as const,
  reservedRoles: false,
  mfa: null,
  setBy: 'account' as const,
  missing: [],
  testedAt: TIME,
  changedSinceTest: false,
  lastUsedAt: null,
  lastError: null,
  createdAt: TIME,
  updatedAt: TIME,
}
const LINK = {
  id: EXAMPLE.entry,
  userId: EXAMPLE.user,
  membershipId: EXAMPLE.membership,
  subject: '00u1example',
  email: 'ana@acme.example',
  user: { id: EXAMPLE.user, email: 'ana@acme.example', name: 'Ana Souza' },
  createdAt: TIME,
  lastUsedAt: TIME,
}
const DRAFT = {
  ...CONNECTION,
  ...{ issuer: null, clientId: null, hasSecret: false, testedAt: null },
  missing: ['issuer' as const, 'clientId' as const, 'clientSecret' as const],
}

export const DOCS = docsOf('connections', {
  listConnections: {
    summary: 'List the connections of an account',
    description: 'Returns all connections of an account, the oldest first.',
    success: 'The connections.',
    response: [CONNECTION],
  },
  createConnection: {
    summary: 'Create a connection',
    description: `Creates a connection to an identity provider of an organization. It is not enabled. With \`name\` and \`kind\` alone
      it is a draft with its \`redirectUri\`, which many providers ask for before they show a client id and a secret; with
      \`kind: "saml"\` with its \`acsUrl\` and \`entityId\`.

      A connection has the fields of its kind: \`clientId\`, \`clientSecret\`, \`secretExpiresAt\`, \`scopes\`, \`requiredClaims\`
      and \`reauthentication\` of OpenID Connect, \`ssoUrl\`, \`certificates\`, \`metadata\` and \`metadataUrl\` of SAML. \`metadata\` is the
      document of the provider: it sets \`ssoUrl\` and \`certificates\`, and \`issuer\` if there is none; of another \`issuer\` it is
      refused (\`metadata_invalid\`). \`metadataUrl\` is its address, from which the server reads it after the response; \`lastError\`
      says if it does not take it. Where the setting \`SAML\` is false, no such connection is created (\`saml_disabled\`).

      An account has at most ${quotaText('connectionsOfAccount')} connections (\`limit_reached\`). \`organizationSso\` of the
      system and \`ssoSelfService\` of the account decide who sets up connections (\`sso_not_enabled\`). The account has to be an
      organization of a system with \`multiAccount\` (\`not_organization\`). An issuer at which people of several organizations
      sign in is refused (\`issuer_multi_tenant\`). A user must have authenticated within the last 5 minutes.

      Audit entry: \`connection.created\`.`,
    success: 'The connection.',
    request: { name: 'Okta', kind: 'oidc' },
    response: DRAFT,
  },
  getConnection: {
    summary: 'Get a connection',
    description: 'Returns one connection of the account. No response contains the client secret.',
    success: 'The connection.',
    response: CONNECTION,
  },
  updateConnection: {
    summary: 'Update a connection',
    description: `Changes a connection. \`issuer\` and \`subjectAttribute\` do not change after the first test that succeeded
      (\`connection_fixed\`): create another connection. \`enabled: true\` needs such a test (\`connection_untested\`).
      A change of what a test checks ends the test in progress. With \`enabled: false\` the
      sessions that the connection has opened end: enabled again, it accepts no sign-in from before. The last enabled connection of an
      account that requires single sign-on is not disabled (\`connection_required\`); with \`force\`, by the system or the platform, the
      account stops requiring it. \`sessionHours\` is for later sign-ins.

      A lower authority than \`setBy\` does not change a connection, and an account admin does not change \`reservedRoles\`,
      \`mfa\` and \`setBy\` (\`insufficient_authority\`). If an account admin changes \`issuer\`, \`clientId\`,
      \`requiredClaims\`, \`closedIssuer\`, \`subjectAttribute\`, \`ssoUrl\`, \`certificates\` or \`metadataUrl\`, \`reservedRoles\` becomes false
      and \`mfa\` null: the system and the platform decide again. Who has lost the right to set up connections still disables those of
      its authority. A user must have authenticated within the last 5 minutes.

      Sends the events \`connection.enabled\` and \`connection.disabled\`. Audit entries: \`connection.updated\`,
      \`connection.metadata_changed\` for what \`metadata\` or \`metadataUrl\` has changed, \`connection.enabled\`, \`connection.disabled\`.`,
    success: 'The connection after the update.',
    request: { name: 'Okta (new)', sessionHours: 12 },
    response: { ...CONNECTION, name: 'Okta (new)', sessionHours: 12 },
  },
  deleteConnection: {
    summary: 'Delete a connection',
    description: `Deletes a connection with its links: created again, it knows no member. The sessions that it has opened end. The
      last enabled connection of an account that requires single sign-on is not deleted (\`connection_required\`); with \`force\`, by the
      system or the platform, the account stops requiring it. A lower authority than \`setBy\` does not delete it (\`insufficient_authority\`). A user must have authenticated within the last 5 minutes.

      Sends the event \`connection.disabled\` if the connection was enabled. Audit entry: \`connection.deleted\`.`,
    success: 'The connection was deleted.',
  },
  testConnection: {
    summary: 'Test a connection',
    description: `Begins a test in place of one in progress, and returns its address. It works in the first browser that opens it, for
      30 minutes or until the test succeeds. Its page leads to the provider, and then shows what the provider states, and what a
      sign-in would meet. The test starts no session, and the user of the browser stays signed in. One that succeeded sets
      \`testedAt\`; then the connection can be enabled. A change of what a test checks ends it, and so does the loss of the right of
      the user who has requested it.

      \`missing\` has to be empty (\`connection_incomplete\`). Ten tests are allowed at once for an account,
      then ten a minute (\`too_many_requests\`). A user must have authenticated within the last 5 minutes.

      Audit entries: \`connection.test_requested\`, and \`connection.tested\` when it succeeded.`,
    success: 'The address of the test.',
    response: { testUrl: `${AT}/test?token=Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsAk4`, expiresAt: TIME },
  },
  listConnectionAttempts: {
    summary: 'List the last sign-ins and tests of a connection',
    description: `Returns the last ${ATTEMPTS_MAX} of 14 days, the newest first: what was refused and why. There are no claims, tokens or
      secrets in it.`,
    success: 'The attempts.',
    response: [
      {
        id: EXAMPLE.entry,
        time: TIME,
        outcome: 'refused' as const,
        code: 'provider_answer_invalid',
        subject: null,
        email: null,
        requestId: EXAMPLE.entry,
      },
    ],
  },
  endConnectionSessions: {
    summary: 'End the sessions of a connection',
    description: `Ends all sessions that the connection has opened, and refuses its sign-ins until now: each member signs in at the
      provider again. Other sessions of the members go on. A lower authority than \`setBy\` does not do it
      (\`insufficient_authority\`).

      Sends \`session.ended\` for each session. Audit entry: \`connection.sessions_ended\`.`,
    success: 'The sessions have ended.',
    response: { ended: 12 },
  },
  listConnectionLinks: {
    summary: 'List the links of a connection',
    description: `Returns the members whom the connection knows, and the subject of each at the provider, newest first. A link
      is made by the first sign-in of a member, or imported. It ends with the membership and with the connection.`,
    success: 'A page of links.',
    response: pageWith(LINK),
  },
  importConnectionLinks: {
    summary: 'Import links of a connection',
    description: `Links members to their subjects at the provider, up to ${LINKS_MAX.toLocaleString('en')} at once: for a product that
      moves in with subjects that it knows already. Without it, the first sign-in links a member by the address. Only members with
      an address in a verified domain of the account are linked. Each link of the request has a result, and one that is refused
      does not prevent the others. A link that exists already is no failure. A user must have authenticated within the last 5
      minutes.

      Audit entry for each link: \`connection.linked\`.`,
    success: 'A result for each link.',
    request: { links: [{ subject: LINK.subject, userId: EXAMPLE.user }] },
    response: { results: [{ subject: LINK.subject, userId: EXAMPLE.user, code: null }] },
  },
  deleteConnectionLinks: {
    summary: 'Delete the links of a connection',
    description: `Deletes all links of a connection, and ends the sessions that it has opened. The memberships remain, and the next
      sign-in of each member links again. A lower authority than \`setBy\` does not do it (\`insufficient_authority\`). A user must
      have authenticated within the last 5 minutes.

      Audit entry: \`connection.unlinked\`.`,
    success: 'The links were deleted.',
  },
  deleteMemberLink: {
    summary: 'Delete the link of a member',
    description: `Deletes the links between a member and the connections of the account, and ends the sessions that rest on them. The
      next sign-in links again, also with another subject: for a person who was created again at the provider. Without a link
      nothing changes. Links at connections that a higher authority has set up remain. If there are no others, or the
      caller is an account admin and the membership has a role that only the system assigns, the operation is refused
      (\`insufficient_authority\`). A user must have authenticated within the last 5 minutes.

      Audit entry for each link: \`connection.unlinked\`.`,
    success: 'The member is not linked.',
  },
})

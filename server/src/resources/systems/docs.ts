import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const CLIENT_ID = 'sys_8Jt2mQvX4rLw9ZbN'
const SECRET = 'kq7Zr3bT9wLm2XcV5nHs8yGd4jFp6aQe1uRo0iEt-Ys'
const FIELDS = {
  name: 'Ledger',
  redirectUris: ['https://ledger.example/callback'],
  postLogoutRedirectUris: ['https://ledger.example/'],
  allowedScopes: ['openid' as const, 'email' as const, 'offline_access' as const],
  multiAccount: true,
  allowSelfRegister: true,
  allowClientCredentials: true,
}
export const SYSTEM = {
  id: EXAMPLE.system,
  clientId: CLIENT_ID,
  clientType: 'confidential' as const,
  ...FIELDS,
  tokenEndpointAuthMethod: 'client_secret' as const,
  jwks: null,
  jwksUri: null,
  requireSignedRequestObject: false,
  requirePkce: true,
  accessTokenType: 'at+jwt' as const,
  accessTokenAlg: 'ES256' as const,
  securityProfile: null,
  backchannelLogoutUri: null,
  invitationUri: null,
  clientUri: 'https://ledger.example/',
  initiateLoginUri: 'https://ledger.example/login',
  policyUri: 'https://ledger.example/privacy',
  tosUri: 'https://ledger.example/terms',
  supportUri: null,
  emailFrom: null,
  emailReplyTo: null,
  introspectableBy: [],
  allowedOrigins: [],
  branding: { color: '#336699' },
  idTokenAlg: 'RS256' as const,
  requireAdminActivation: false,
  allowDeviceFlow: false,
  allowActingForMembers: false,
  allowServiceAccounts: false,
  requireEmailOtp: false,
  requireMfa: false,
  skipConsent: false,
  accountAdminApi: true,
  organizationSso: 'system' as const,
  connectionMfa: 'reported' as const,
  addressFirst: false,
  founderRoleId: EXAMPLE.role,
  platform: false,
  previousSecretUntil: null,
  createdAt: TIME,
  updatedAt: TIME,
}

export const DOCS = docsOf('systems', {
  listSystems: {
    summary: 'List systems',
    description: 'Returns the systems, newest first. A service token receives only its own system.',
    success: 'A page of systems.',
    response: pageWith(SYSTEM),
  },
  createSystem: {
    summary: 'Create a system',
    description: `Registers a client application. The response is the only one that contains the \`clientSecret\`: store
      it. \`rotateSystemSecret\` replaces it. A public client (\`clientType\` \`public\`) has no secret. The type of a
      client cannot be changed later. Audit entry: \`system.created\`.`,
    success: 'The system was created.',
    request: { ...FIELDS, branding: { color: '#336699' } },
    response: { ...SYSTEM, clientSecret: SECRET },
  },
  getSystem: {
    summary: 'Get a system',
    description: 'Returns one system, without its client secret.',
    success: 'The system.',
    response: SYSTEM,
  },
  updateSystem: {
    summary: 'Update a system',
    description: `Changes the fields in the body and leaves the others as they are; lists are replaced as a whole. The
      change takes effect at the next request of the client. Audit entry: \`system.updated\`.

      \`multiAccount\` can be turned off only if each user of the system has one account (\`account_taken\` otherwise)
      and each account has one member (\`account_occupied\` otherwise).`,
    success: 'The system after the update.',
    request: { requireMfa: true },
    response: { ...SYSTEM, requireMfa: true },
  },
  deleteSystem: {
    summary: 'Delete a system',
    description: `Deletes the system with its roles, profiles, accounts, memberships and webhooks. All its sessions
      end. Each membership causes an event \`user.access_revoked\`. A platform system cannot be deleted. Audit entry:
      \`system.deleted\`.`,
    success: 'The system was deleted.',
  },
  rotateSystemSecret: {
    summary: 'Rotate the client secret',
    description: `Replaces the client secret of a confidential client. The response is the only one that contains the
      new secret. The old secret and the service tokens issued for it are rejected from now on, or after
      \`graceSeconds\`; this includes the token of this request. Sends the event \`system.secret_rotated\`. Audit entry:
      \`system.secret_rotated\`.`,
    success: 'The secret was replaced.',
    request: { graceSeconds: 3600 },
    response: { clientId: CLIENT_ID, clientSecret: SECRET },
  },
})

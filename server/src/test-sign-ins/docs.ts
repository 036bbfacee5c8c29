import { docsOf } from '../http/docs.ts'
import { EXAMPLE, TIME } from '../http/example.ts'
import { quotaText } from '../http/quotas.ts'

const UNTIL = '2026-03-02T09:40:00.000Z'
const REQUEST = { scope: 'openid email', acr: 'mfa', forUserId: EXAMPLE.user } as const

export const DOCS = docsOf('systems', {
  createTestSignIn: {
    summary: 'Create a test of the sign-in',
    description: `Returns an address that a user opens in a browser to sign in to the system without its application. The user
      authenticates as always. Instead of the application, a page of this server shows what it would have received: the
      claims of an access token, and the steps of the sign-in. No code is issued, no session is opened, and nothing is
      sent to the redirect URI. Steps that would change something, such as joining, the consent and a new password, are listed
      and not executed.

      The result is returned by \`getTestSignIn\` after the user has shared it. A system can have ${quotaText('testSignInsOfSystem')} tests that
      have not expired. A system that accepts only pushed or signed requests cannot be tested. Audit entry:
      \`test_sign_in.created\`.`,
    success: 'The test was created.',
    request: REQUEST,
    response: {
      id: EXAMPLE.testSignIn,
      url: 'https://id.example.com/auth?client_id=orders&response_type=code&redirect_uri=https%3A%2F%2Forders.example%2Fcallback&scope=openid+email&test=Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsAk4',
      expiresAt: UNTIL,
    },
  },
  getTestSignIn: {
    summary: 'Get a test of the sign-in',
    description: `Returns a test and, after the user has shared it, the result. Before that, nothing about the user is returned.
      Tests are deleted a day after they expire.`,
    success: 'The test.',
    response: {
      id: EXAMPLE.testSignIn,
      systemId: EXAMPLE.system,
      status: 'shared' as const,
      accountId: null,
      prompt: null,
      ...REQUEST,
      createdAt: TIME,
      expiresAt: UNTIL,
      sharedAt: '2026-03-02T09:33:00.000Z',
      result: {
        steps: [
          { step: 'credential', verdict: 'passed', code: 'password' },
          { step: 'factor', verdict: 'passed', code: 'verify' },
          { step: 'membership', verdict: 'passed', code: 'active' },
          { step: 'consent', verdict: 'asked', code: 'scopes' },
        ],
        claims: {
          sub: EXAMPLE.user,
          client_id: 'orders',
          scope: 'openid email',
          account_id: EXAMPLE.account,
          membership_id: EXAMPLE.membership,
          roles: ['clerk'],
          is_admin: false,
          permissions: ['orders:read'],
          acr: 'urn:tenantry:aal2',
          amr: ['pwd', 'otp', 'mfa'],
        },
      },
    },
  },
})

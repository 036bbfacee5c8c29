import { docsOf } from '../http/docs.ts'
import { EXAMPLE, TIME } from '../http/example.ts'

const { system: _system, membership, account } = EXAMPLE

const EXPLANATION = {
  outcome: 'refused' as const,
  code: 'membership_pending',
  at: TIME,
  complete: true,
  steps: [
    { step: 'client' as const, verdict: 'passed' as const, code: 'registered' },
    { step: 'user' as const, verdict: 'passed' as const, code: 'enabled', facts: { createdAt: TIME } },
    {
      step: 'membership' as const,
      verdict: 'refused' as const,
      code: 'pending',
      facts: { accountId: account, membershipId: membership, since: TIME, by: 'requireAdminActivation' },
      fix: { operation: `PATCH /admin/memberships/${membership}`, body: { status: 'active' } },
    },
    { step: 'token' as const, verdict: 'unreached' as const, code: null },
  ],
  request: null,
  attempts: [
    {
      time: TIME,
      action: 'sign_in.refused',
      outcome: 'failure',
      reason: 'pending',
      ip: '203.0.113.7',
      requestId: '5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11',
    },
  ],
  token: null,
}

export const DOCS = docsOf('audit', {
  explainSignIn: {
    summary: 'Explain a sign-in',
    description: `Returns each step of a sign-in of one user to one system from a new browser: what would be passed, asked
      or refused, why, and the operation that changes it. Nothing is executed. Decided with the rules of the real sign-in.
      The password is assumed to be right; the sign-in is one with the password, if the user has one.

      The user is named by \`userId\`, \`email\` or \`requestId\`. The platform also names the system, unless the request
      does. A user who is not in the caller's system, or not in its account, is answered like one that does not exist.
      A system does not receive what is valid elsewhere: credentials of the user, guesses, and flags that the platform has set
      before the user has entered the system. The admin of an account receives the membership and what the system requires
      of everyone. Steps that are not shown have the code \`not_shown\`, and \`complete\` is false.`,
    success: 'The steps, in the order of a sign-in.',
    response: EXPLANATION,
  },
})

import { docsOf } from '../../http/docs.ts'
import { EXAMPLE } from '../../http/example.ts'

export const DOCS = docsOf('users', {
  listLimits: {
    summary: 'List the users who have to wait',
    description: `Returns who has to wait after too many wrong passwords, second factors or emailed codes, and until when: at
      most 100 limits, the longest wait first. With \`userId\` also the limits of this user that allow another attempt.
      Which network or browser the attempts came from is not stored; the audit log has the address of each. The limits of a
      network at the passwords of all users, of emails and of device codes are not listed.

      A service token reads the attempts at the sign-in to its system, by network or browser. The attempts of all
      networks together are counted for all systems, and are shown to the platform only.`,
    success: 'The limits.',
    response: {
      data: [
        {
          userId: EXAMPLE.user,
          email: 'ana@example.com',
          credential: 'password' as const,
          from: 'network' as const,
          systemId: EXAMPLE.system,
          attempts: 7,
          until: '2026-03-02T09:30:16.000Z',
        },
      ],
    },
  },
  clearLimits: {
    summary: 'Clear the limits of a user',
    description: `Forgets the wrong passwords, second factors and emailed codes that were counted for the user, so that the
      next attempt is checked at once. A service token clears what \`listLimits\` shows it. Audit entry:
      \`user.limits_cleared\`.`,
    success: 'The limits were cleared.',
  },
})

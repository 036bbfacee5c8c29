import { docsOf } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

export const DOCS = docsOf('users', {
  listUserFactors: {
    summary: 'List the second factors',
    description: `Returns each authenticator app and each passkey of the user, oldest first, with the system in which it
      is valid; without one it is valid everywhere. The time of the last use of an app is exact to 30 seconds.

      With a service token: the factors that are valid in its system only.`,
    success: 'The second factors of the user.',
    response: {
      data: [
        {
          id: EXAMPLE.factor,
          kind: 'passkey' as const,
          name: 'Laptop',
          systemId: null,
          createdAt: TIME,
          lastUsedAt: TIME,
        },
      ],
    },
  },
  deleteUserFactor: {
    summary: 'Remove a second factor',
    description: `Deletes an authenticator app or a passkey of the user, for example after the loss of a device. The
      others remain; with the last one of the same validity the recovery codes are deleted too. The sessions in which it
      could have been used end: all sessions of the user, or those of the system in which the factor is valid. The user
      is notified by email, and can sign in with the factors that remain. A user who has neither a password nor
      another passkey can only choose a password by an emailed link.
      Sends the event \`user.updated\`. Audit entry: \`user.factor_removed\`.

      With a service token: only a factor that is valid in its system only.`,
    success: 'The factor was removed.',
  },
})

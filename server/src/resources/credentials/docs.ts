import { docsOf } from '../../http/docs.ts'
import { USER } from '../users/docs.ts'

const LIMIT = `An address receives three such emails at once from a system, then one per hour, and a system sends
  \`SYSTEM_EMAILS_PER_DAY\` in 24 hours; beyond that the response is 429 with \`Retry-After\`. Systems take turns,
  and what a person waits for on a page is sent first.`

export const DOCS = docsOf('users', {
  setUserPassword: {
    summary: 'Set the password',
    description: `Replaces the password of the user. All sessions of the user end, and the user is notified by email. With
      \`mustChangePassword\` the next sign-in asks for another password. Sends the event \`user.updated\`. Audit entry: \`user.password_set\`.

      The password that a service token sets is valid in its system only, in place of the user's own, and ends only
      sessions of that system.`,
    success: 'The user, with the new password set.',
    request: { password: 'correct horse battery staple', mustChangePassword: true },
    response: { ...USER, mustChangePassword: true },
  },
  resetUserPassword: {
    summary: 'Generate a temporary password',
    description: `Replaces the password of the user by a temporary one, which expires after 72 hours and must be changed
      at the next sign-in. The response is the only one that contains it. All sessions of the user end, and the user is
      notified by email. Audit entry: \`user.password_reset\`. With a service token it is valid in its system only.`,
    success: 'The temporary password.',
    response: { temporaryPassword: 'k7m2pqx-9htb4na-w3cdyf8' },
  },
  sendPasswordReset: {
    summary: 'Send a password reset email',
    description: `Sends an email with a link by which the user chooses a password. The link expires after 30 minutes and
      works once; earlier links stay valid. ${LIMIT} Audit entry: \`user.password_reset_sent\`.`,
    success: 'Accepted. The email is queued.',
    response: { expiresAt: '2026-03-02T10:00:00.000Z' },
  },
  resendVerification: {
    summary: 'Send a verification email',
    description: `Sends an email with a link by which the user verifies the address. The link expires after 24 hours and
      works once; earlier links stay valid. ${LIMIT} Audit entry: \`user.verification_sent\`.`,
    success: 'Accepted. The email is queued.',
    response: { expiresAt: '2026-03-03T09:30:00.000Z' },
  },
  disableUserMfa: {
    summary: 'Remove the second factors',
    description: `Deletes the authenticator apps, passkeys and recovery codes of the user, for example after the loss of a
      device. All sessions of the user end, and the user is notified by email. Sends the event \`user.updated\`. Audit
      entry: \`user.mfa_disabled\`. If no factor is enrolled, nothing happens.

      With a service token: deletes the factors of its system, and in that system refuses the others that are enrolled.
      Only sessions of that system end.`,
    success: 'The user, without second factors.',
    response: USER,
  },
  unlinkUserIdentity: {
    summary: 'Unlink an identity provider',
    description: `Removes the identity of the user at another identity provider. Active sessions continue, and the user is
      notified by email. The only way to sign in cannot be removed (\`only_way_in\`). Sends the event \`user.updated\`.
      Audit entry: \`user.identity_removed\`.

      With a service token: removes the identity that is valid in its system only, if there is one.`,
    success: 'The identity was removed.',
  },
})

import { VERSION } from '../../config/config.ts'
import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const LATER = '2026-03-02T09:45:00.000Z'

const EMAIL = {
  id: EXAMPLE.email,
  kind: 'password_reset',
  recipient: 'a***@acme.example',
  userId: EXAMPLE.user,
  status: 'pending' as const,
  attempts: 2,
  lastError: 'EENVELOPE 451 4.7.1 at RCPT TO',
  problem: 'recipient' as const,
  nextAttemptAt: LATER,
  expiresAt: LATER,
  createdAt: TIME,
  sentAt: null,
}

export const DOCS = docsOf('installation', {
  getInstallation: {
    summary: 'Get the state of the installation',
    description: `Returns the version, the database with the size of each table, the server processes with their
      versions, the migrations that are missing, how email is sent, and the effective
      settings of the process that responds. Secrets are not included, only whether they are set; addresses have no
      user name and no password.`,
    success: 'The state of the installation.',
    response: {
      version: VERSION,
      baseUrl: 'https://id.example.com',
      startedAt: TIME,
      health: { database: 'ok' as const },
      database: {
        kind: 'postgresql' as const,
        bytes: 8_192_000,
        tables: [{ name: 'users', bytes: 4_096_000, rows: 12_000 }],
      },
      processes: [{ version: VERSION, startedAt: TIME, seenAt: TIME }],
      migrations: [],
      mail: {
        transport: 'smtp' as const,
        host: 'smtp.example.com',
        pending: 0,
        failed: 0,
        oldestPendingAt: null,
      },
      identityProviders: ['google'],
      settings: [{ name: 'TTL_ACCESS_TOKEN', value: '600', isDefault: true, secret: false }],
    },
  },
  listKeys: {
    summary: 'List the signing keys',
    description: `Returns the published signing keys, newest first: \`next\` is published and does not sign yet, \`active\`
      signs, \`retired\` verifies tokens that are still valid.`,
    success: 'The signing keys.',
    response: {
      data: [
        {
          kid: 'q1mzXW8Q0cXJmI4VfI9b3yqcT1m0sF9cUj3v6yqvKp0',
          alg: 'ES256' as const,
          state: 'active' as const,
          createdAt: TIME,
          activeFrom: TIME,
          retiredFrom: null,
          removeFrom: null,
        },
      ],
      nextRotationAt: '2026-05-31T09:30:00.000Z',
    },
  },
  rotateKeys: {
    summary: 'Rotate the signing keys',
    description: `Publishes new signing keys, as \`npm run keys:rotate\`. They sign after 15 minutes, when every verifier
      has read them; the present ones stay published until the tokens that they signed have expired. Audit entry:
      \`signing_keys.rotated\`.`,
    success: 'The ids of the new keys.',
    response: { kids: ['q1mzXW8Q0cXJmI4VfI9b3yqcT1m0sF9cUj3v6yqvKp0'] },
  },
  listMail: {
    summary: 'List emails',
    description: `Returns the emails of the queue, newest first, without their content. Recipients are masked: the first
      character and the domain are shown.`,
    success: 'A page of emails.',
    response: pageWith(EMAIL),
  },
  getMail: {
    summary: 'Get an email',
    description: `Returns an email of the queue without its content. \`problem\` is the kind of the error of the last
      attempt: \`host_unknown\`, \`unreachable\`, \`timeout\` and \`encryption\` concern the connection to the
      mail server, \`authentication\` its user name and password, \`sender\` the address of \`MAIL_FROM\`,
      \`recipient\` the address of the recipient. An email that is \`pending\` is sent again; one that was sent
      has no error.`,
    success: 'The email.',
    response: EMAIL,
  },
  sendTestEmail: {
    summary: 'Send a test email',
    description: `Queues an email with a fixed text, as every other email is queued, to \`email\`, or without it to
      the user who calls; a service must name an address. The response does not wait for the mail server: read the
      email by its id until its \`status\` is not \`pending\` or it has a \`problem\`. It expires after ten minutes.

      A caller sends ten at once, then one per minute; an address receives three, then one per hour, else 429
      \`too_many_requests\`. Audit entry: \`mail.tested\`.`,
    success: 'The queued email.',
    request: { email: 'ana@acme.example' },
    response: { ...EMAIL, kind: 'test', userId: null, attempts: 0, lastError: null, problem: null },
  },
})

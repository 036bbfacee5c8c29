import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const HASH = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'
export const USER = {
  id: EXAMPLE.user,
  email: 'ana@acme.example',
  emailVerified: true,
  name: 'Ana Souza',
  givenName: 'Ana',
  familyName: 'Souza',
  middleName: null,
  nickname: 'Aninha',
  preferredUsername: null,
  profile: null,
  picture: 'https://acme.example/people/ana.jpg',
  website: null,
  gender: null,
  birthdate: '1988-04-17',
  zoneinfo: 'America/Sao_Paulo',
  locale: 'pt-BR',
  phoneNumber: '+5511987654321',
  phoneNumberVerified: false,
  address: { locality: 'São Paulo', country: 'Brazil' },
  metadata: { crmId: 'A-1042' },
  disabled: false,
  hasPassword: true,
  mustChangePassword: false,
  mfaEnabled: false,
  identities: [{ provider: EXAMPLE.provider, subject: '110169484474386276334', email: 'ana@gmail.com' }],
  lastLoginAt: TIME,
  createdAt: TIME,
  updatedAt: TIME,
}
const NEW_USER = { email: 'ana@acme.example', emailVerified: true, name: 'Ana Souza', locale: 'pt-BR' }

export const DOCS = docsOf('users', {
  importUsers: {
    summary: 'Import users',
    description: `Creates up to 10,000 users from a body of up to 16 MiB with one JSON object on each line; the media type
      \`application/jsonl\` is accepted as well. Each line is processed on its own, as by \`createUser\`, and has one line in
      the response, in the same order. A line has no \`password\`, only a \`passwordHash\` or none.

      Import the users whose address the other service has verified with \`emailVerified\` true. Otherwise the password
      is valid only together with a code that the first sign-in emails; the code confirms it. With a service token it is
      valid at once, in its system only.

      With \`dryRun=true\` nothing is changed: the response has the lines that the import would return now, a created
      one with its \`email\` instead of an \`id\`. Two lines with one address are compared within a request only.

      Searches by address, creations, imports and dry runs of a system ask about at most 100,000 addresses in 24 hours that
      are not of its users; the lines after that fail with \`too_many_requests\`.

      \`Idempotency-Key\` is not accepted. If an import is interrupted, send it again: users that exist already are
      \`email_taken\`.`,
    success: 'The result of each line.',
    request: { ...NEW_USER, passwordHash: HASH },
    response: { line: 1, status: 'created', id: EXAMPLE.user },
  },
  listUsers: {
    summary: 'List users',
    description: `Returns the users, newest first. A service token receives the users of its
      system: those with a membership there, and those it has created. With \`email\` it also receives a user of another system who has exactly this address, as \`id\` and
      \`email\` only, so that it can create a membership for them; not with other filters. Searches by address, creations, imports and dry runs of a system ask about at most 100,000 addresses in 24 hours that
      are not of its users; then 429 with \`Retry-After\`.

      \`query\` finds users by a part of the email address or of the name, of those that the response contains. It never
      finds a user of another system.

      The filters are combined with AND. They refer to the values that the caller reads: of \`disabled\`, for example, to
      what its system states and, once the user has entered the system, what the platform states.`,
    success: 'A page of users.',
    response: pageWith(USER),
  },
  createUser: {
    summary: 'Create a user',
    description: `Creates a user with a \`password\`, with a \`passwordHash\` of another system, or without a password.
      \`sendPasswordReset\` lets the user choose one. The user has no access to a system before
      \`createMembership\`. All that a service token sends except the address, also the password, is valid in its own
      system only. If the address has a user, the error \`email_taken\` names it in \`userId\`. Sends the event
      \`user.created\`. Audit entry: \`user.created\`. A system can have created at most
      ${quotaText('usersWithoutMembership')} users without a membership in it (\`limit_reached\`).`,
    success: 'The user was created.',
    request: NEW_USER,
    response: { ...USER, hasPassword: false, identities: [], lastLoginAt: null },
  },
  getUser: {
    summary: 'Get a user',
    description: 'Returns one user.',
    success: 'The user.',
    response: USER,
  },
  updateUser: {
    summary: 'Update a user',
    description: `Changes the fields in the body and leaves the others as they are; \`metadata\` is replaced as a whole.
      Sends the event \`user.updated\`. Audit entry: \`user.updated\`.

      A new \`email\` is unverified unless the body says otherwise, makes links in earlier emails invalid, and both
      addresses are notified. The password, factors and identities that the user has by then are valid only together with
      a code that the next sign-in emails to the new address; the code confirms them. Restoring the previous address, if
      it was verified, makes them valid again. Credentials of a system are not affected. \`disabled\` true ends all sessions of the user and prevents new ones.

      A service token changes what its system states about the user: it is valid in that system only, \`null\` removes a
      value there, and a field that is not stated is the user's own once they have signed in to the system. It changes no
      address (\`user_shared\`).`,
    success: 'The user after the update.',
    request: { name: 'Ana Souza Lima', metadata: { crmId: 'A-1042', tier: 'gold' } },
    response: { ...USER, name: 'Ana Souza Lima', metadata: { crmId: 'A-1042', tier: 'gold' } },
  },
  deleteUser: {
    summary: 'Delete a user',
    description: `Deletes the user with all memberships, credentials, identities and sessions, and removes personal data
      from the audit log. Each membership causes an event \`user.access_revoked\`; \`user.deleted\` follows. A personal
      account that has other members becomes an organization. Audit entry: \`user.deleted\`.

      A service token removes the user from its system: memberships, statements and credentials of that system. The user
      is deleted too if nothing else is stored about them.`,
    success: 'The user was deleted.',
  },
  exportUser: {
    summary: 'Export the data of a user',
    description: `Returns all stored data about the user as one document (GDPR, articles 15 and 20), without secrets. Of
      sessions, audit entries, emails and links the latest 10,000 each; \`activity\` has the days (UTC)
      on which the user was active in a system, of the 64 that end with the last one. \`stated\` of a membership is what
      the organization states of the user, and \`connectionLinks\` how its connections know them. A service token receives only what belongs to its
      system. Audit entry: \`user.exported\`.`,
    success: 'The data of the user.',
    response: {
      exportedAt: TIME,
      user: USER,
      identities: [],
      statedAddresses: [],
      factors: { authenticators: [], passkeys: [], recoveryCodes: { left: 0, used: 0 } },
      memberships: [
        {
          id: EXAMPLE.membership,
          status: 'active',
          system: { id: EXAMPLE.system, name: 'Ledger' },
          account: { id: EXAMPLE.account, name: 'Acme', kind: 'organization' },
          roles: ['Accountant'],
          profiles: [],
          stated: {},
          statedEmail: null,
          createdAt: TIME,
          updatedAt: TIME,
        },
      ],
      connectionLinks: [],
      blocks: [],
      operators: [],
      personalAccounts: [],
      sessions: [],
      activity: [{ systemId: EXAMPLE.system, days: ['2026-03-02'] }],
      consents: [],
      audit: [],
      mails: [],
      links: [],
    },
  },
})

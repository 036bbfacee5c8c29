import { docsOf } from '../../http/docs.ts'
import { EXAMPLE } from '../../http/example.ts'

export const DOCS = docsOf('search', {
  getNames: {
    summary: 'Get names by id',
    description: `Returns the type and the name of each of up to 200 ids: of users, systems, accounts, roles, profiles,
      memberships, service accounts and webhooks, and of systems also by client id. Ids that do not exist, or that the
      caller cannot read, are missing in the response. A user without a name that the caller reads has the email address as
      name. The admin of an account receives its members only.`,
    success: 'The names by id.',
    response: {
      [EXAMPLE.user]: { type: 'user', name: 'Ana Souza', detail: 'ana@acme.example' },
      [EXAMPLE.account]: { type: 'account', name: 'Acme', detail: null },
    },
  },
  search: {
    summary: 'Search everything',
    description: `Returns up to 20 resources that the caller can read. An id finds the user, system, account, role, profile,
      membership, webhook, session or request that has it. Any other text finds users by the email address and the name that the
      caller reads, systems by name and client id, and accounts by name and \`externalId\`; the admin of an account finds
      memberships by the email address and the name of the user. Those that start with the text come first, then the
      newest.`,
    success: 'The resources that were found.',
    response: {
      data: [
        {
          type: 'user' as const,
          id: EXAMPLE.user,
          name: 'Ana Souza',
          detail: 'ana@acme.example',
          systemId: null,
          href: `/admin/users/${EXAMPLE.user}`,
        },
      ],
    },
  },
})

import { docsOf, pageWith } from '../../http/openapi/docs.ts'
import { EXAMPLE, TIME } from '../../http/openapi/example.ts'

const ACCOUNT = {
  id: EXAMPLE.account,
  systemId: EXAMPLE.system,
  name: 'Acme',
  kind: 'organization' as const,
  createdAt: TIME,
  updatedAt: TIME,
}

export const DOCS = docsOf('accounts', {
  listAccounts: {
    summary: 'List the accounts of a system',
    description: `Returns the accounts of the system, newest first, with the number of their members. The admin of an
      account receives only this account.`,
    success: 'A page of accounts.',
    response: pageWith({ ...ACCOUNT, memberCount: 3 }),
  },
  getAccount: {
    summary: 'Get an account',
    description: 'Returns one account. Accounts are created together with their first membership.',
    success: 'The account.',
    response: ACCOUNT,
  },
  updateAccount: {
    summary: 'Update an account',
    description: `Changes the name of the account. Sends the event \`account.updated\`. Audit entry:
      \`account.updated\`.`,
    success: 'The account after the update.',
    request: { name: 'Acme Ltd' },
    response: { ...ACCOUNT, name: 'Acme Ltd' },
  },
})

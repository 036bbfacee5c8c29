import { docsOf } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const KEY = { id: EXAMPLE.key, hint: 'x7Qa', expiresAt: null, lastUsedAt: TIME, createdAt: TIME }
const SERVICE_ACCOUNT = {
  id: EXAMPLE.serviceAccount,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  clientId: 'sa_Zk3vT9qLw1XyB2cd',
  name: 'Nightly export',
  disabled: false,
  roles: [EXAMPLE.role],
  keys: [KEY],
  createdAt: TIME,
  updatedAt: TIME,
}

export const DOCS = docsOf('serviceAccounts', {
  listServiceAccounts: {
    summary: 'List the service accounts of an account',
    description:
      'Returns all service accounts of an account with their keys, oldest first. No secret is returned.',
    success: 'The service accounts.',
    response: [SERVICE_ACCOUNT],
  },
  createServiceAccount: {
    summary: 'Create a service account',
    description: `Creates a program of a tenant, with roles of the system. It has no key yet: see
      \`createServiceAccountKey\`. With a key it gets access tokens at \`/token\` (\`grant_type=client_credentials\`, its
      \`clientId\` and the key as the client secret). Their audience is the client id of the system; \`sub\` is the
      \`clientId\` of the service account, and \`account_id\`, \`roles\`, \`permissions\` and \`is_admin\` are as for a member.
      They are not accepted by the admin API.

      The system needs \`allowServiceAccounts\` (\`service_accounts_not_allowed\`), and the account has to be an
      organization (\`not_organization\`). An account has at most
      ${quotaText('serviceAccountsOfAccount')} service accounts (\`limit_reached\`).

      Sends the event \`service_account.created\`. Audit entry: \`service_account.created\`.`,
    success: 'The service account.',
    request: { name: 'Nightly export', roles: [EXAMPLE.role] },
    response: { ...SERVICE_ACCOUNT, keys: [] },
  },
  getServiceAccount: {
    summary: 'Get a service account',
    description: 'Returns one service account of the account with its keys. No secret is returned.',
    success: 'The service account.',
    response: SERVICE_ACCOUNT,
  },
  updateServiceAccount: {
    summary: 'Update a service account',
    description: `Changes the name, replaces the roles, or disables and enables it. Roles apply to tokens that are issued
      from now on. A disabled one gets no tokens; applications that follow the events reject its earlier tokens within a
      second, others until they expire.

      Sends the event \`service_account.disabled\`, \`service_account.enabled\` or, if neither, \`service_account.updated\`.
      Audit entry: \`service_account.updated\`.`,
    success: 'The service account.',
    request: { name: 'Nightly export', disabled: true },
    response: { ...SERVICE_ACCOUNT, disabled: true },
  },
  deleteServiceAccount: {
    summary: 'Delete a service account',
    description: `Deletes a service account with its keys. Its tokens are rejected as those of a disabled one.

      Sends the event \`service_account.deleted\`. Audit entry: \`service_account.deleted\`.`,
    success: 'The service account is deleted.',
  },
  createServiceAccountKey: {
    summary: 'Create a key of a service account',
    description: `Returns a new secret, which is stored as a hash and never returned again. All keys of a service account
      are valid side by side: to replace one, create another, use it, and revoke the first. It has at most
      ${quotaText('keysOfServiceAccount')} keys (\`limit_reached\`); a key that has expired gives way to a new one. A user must have authenticated within the last 5
      minutes.

      Sends the event \`service_account.key_created\`. Audit entry: \`service_account.key_created\`.`,
    success: 'The key with its secret.',
    request: { expiresIn: 7_776_000 },
    response: {
      ...KEY,
      lastUsedAt: null,
      expiresAt: '2026-05-31T09:30:00.000Z',
      secret: 'tk_V1StGXR8Z5jdHi6BmyTq0nLw3Kc9Pf2Ra7Eu4Yo_x7Qa',
    },
  },
  revokeServiceAccountKey: {
    summary: 'Revoke a key of a service account',
    description: `The key gets no more tokens. Applications that follow the events reject the tokens that were issued for it
      within a second, others until they expire.

      Sends the event \`service_account.key_revoked\`. Audit entry: \`service_account.key_revoked\`.`,
    success: 'The key is revoked.',
  },
})

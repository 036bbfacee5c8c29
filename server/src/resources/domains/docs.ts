import { docsOf } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const DOMAIN = {
  id: EXAMPLE.domain,
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  name: 'acme.example',
  subdomains: false,
  setBy: 'account' as const,
  status: 'verified' as const,
  record: {
    name: '_tenantry-challenge.acme.example',
    type: 'TXT' as const,
    value: 'tenantry-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE',
  },
  checking: false,
  checkedAt: TIME,
  outcome: 'verified' as const,
  found: null,
  verifiedAt: TIME,
  missingSince: null,
  failingSince: null,
  lapsesAt: null,
  createdAt: TIME,
  updatedAt: TIME,
}
const PENDING = {
  ...DOMAIN,
  status: 'pending' as const,
  ...{ checkedAt: null, outcome: null, verifiedAt: null },
}

export const DOCS = docsOf('domains', {
  listDomains: {
    summary: 'List the domains of an account',
    description: 'Returns all domains of an account, by name.',
    success: 'The domains.',
    response: [DOMAIN],
  },
  addDomain: {
    summary: 'Add a domain',
    description: `Adds a domain of email addresses to an organization. It is \`pending\` until a check finds its TXT record:
      publish \`record\` where the domain is managed. The server checks after 1, 5 and 15 minutes, then hourly for a week;
      a domain that is still pending after 30 days is deleted. A verified domain is checked daily, and lapses if the record
      is missing for 7 days, or no name server answers for 30 days.

      Several organizations can verify one domain, each with a record of its own. An account has at most
      ${quotaText('domainsOfAccount')} domains (\`limit_reached\`).

      \`organizationSso\` of the system and \`ssoSelfService\` of the account decide who sets up domains
      (\`sso_not_enabled\`). The account has to be an organization of a system with \`multiAccount\`
      (\`not_organization\`). A user must have authenticated within the last 5 minutes.

      Sends the events \`domain.verified\` and \`domain.lapsed\` when the checks have that result. Audit entries:
      \`domain.added\`, \`domain.verified\`, \`domain.lapsed\`.`,
    success: 'The domain with its record.',
    request: { name: 'acme.example' },
    response: PENDING,
  },
  getDomain: {
    summary: 'Get a domain',
    description: 'Returns one domain of the account, with what the last check has found.',
    success: 'The domain.',
    response: DOMAIN,
  },
  updateDomain: {
    summary: 'Update a domain',
    description: `Changes whether the domains below it belong to it, or the authority that it is of. A lower authority than
      that does not change it (\`insufficient_authority\`). A user must have authenticated within the last 5 minutes.

      Audit entry: \`domain.updated\`.`,
    success: 'The domain after the update.',
    request: { subdomains: true },
    response: { ...DOMAIN, subdomains: true },
  },
  deleteDomain: {
    summary: 'Delete a domain',
    description: `Deletes a domain. Added again, it needs a new record. A lower authority than \`setBy\` does not delete it
      (\`insufficient_authority\`). A user must have authenticated within the last 5 minutes.

      Sends the event \`domain.removed\` if the domain was verified. Audit entry: \`domain.removed\`.`,
    success: 'The domain was deleted.',
  },
  checkDomain: {
    summary: 'Check a domain now',
    description: `Makes a check of the domain due. It begins within a second, and the domain has its result when
      \`checking\` is false. Ten are allowed at once for an account, then one every 6 minutes (\`too_many_requests\`). A
      lapsed domain is verified again if the record is there.

      Audit entry: \`domain.check_requested\`.`,
    success: 'A check is due.',
    response: { ...DOMAIN, checking: true },
  },
})

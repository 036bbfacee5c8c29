import { docsOf, pageWith } from '../../http/openapi/docs.ts'
import { EXAMPLE, TIME } from '../../http/openapi/example.ts'

const ENTRY = {
  id: EXAMPLE.entry,
  time: TIME,
  action: 'membership.blocked',
  outcome: 'success' as const,
  actor: {
    type: 'user' as const,
    id: EXAMPLE.user,
    ip: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  },
  target: { type: 'membership', id: EXAMPLE.membership },
  systemId: EXAMPLE.system,
  accountId: EXAMPLE.account,
  changes: { status: ['active', 'blocked'] },
  requestId: '5d4c3c1e-5f0b-4d7e-9a3e-0d0f8f3b2a11',
}

export const DOCS = docsOf('audit', {
  listAuditEntries: {
    summary: 'List audit entries',
    description: `Returns the entries of the audit log, newest first. The filters are combined with AND. A service token
      receives the entries of its system, the admin of an account those of the account. No operation changes or deletes
      entries; the retention settings do.`,
    success: 'A page of audit entries.',
    response: pageWith(ENTRY),
  },
})

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
    via: null,
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
      receives the entries of its system, the admin of an account those of the account. Of an actor who is not its own
      both learn only the \`type\`; \`id\`, \`ip\`, \`userAgent\` and \`via\` are null, and no filter finds them. Own are: to a
      system its client, its users, its operators and the admins of its accounts; to an account its members and the
      client of its system; never a user who acts with platform authority. No operation changes or deletes entries; the
      retention settings do.`,
    success: 'A page of audit entries.',
    response: pageWith(ENTRY),
  },
  exportAuditEntries: {
    summary: 'Export audit entries',
    description: `Returns up to 100,000 entries of the audit log, newest first, as one JSON object on each line. The filters
      are those of \`listAuditEntries\`. The entries are read while they are sent; if the connection ends early, the export
      is incomplete. To read more, repeat the request with the time of the last entry as \`to\`. Audit entry:
      \`audit.exported\`.`,
    success: 'One entry on each line.',
    response: ENTRY,
  },
})

import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

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
  readAuditCheckpoint: {
    summary: 'Read the checkpoint of the audit log',
    description: `Returns the hash of the newest block of the audit log, signed by the server. Entries are added to a
      block about a minute after they were written. Keep checkpoints outside of the database: \`npm run audit:verify --
      --checkpoint FILE\` then proves that nothing up to this block was changed or removed.`,
    success: 'The newest checkpoint.',
    response: {
      number: 4711,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      closedAt: TIME,
      checkpoint: 'eyJhbGciOiJFZERTQSJ9.eyJudW1iZXIiOjQ3MTF9.c2lnbmF0dXJl',
    },
  },
  readAuditKeys: {
    summary: 'Read the key of the audit log',
    description: `Returns the public key that verifies the checkpoints of the audit log, as a JWK Set (RFC 7517). It is not
      a key of \`/jwks\`: no token is signed with it.`,
    success: 'A JWK Set with one Ed25519 key.',
    response: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
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

import { docsOf } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'

const EVENT = {
  id: EXAMPLE.event,
  type: 'user.access_revoked' as const,
  timestamp: TIME,
  data: {
    user: { id: EXAMPLE.user, email: 'ana@acme.example' },
    membershipId: EXAMPLE.membership,
    accountId: EXAMPLE.account,
    systemId: EXAMPLE.system,
    roles: ['Accountant'],
    isAdmin: false,
    status: 'removed',
    actor: { type: 'user', id: EXAMPLE.user },
  },
}

export const DOCS = docsOf('events', {
  listEvents: {
    summary: 'List events',
    description: `Returns events in the order of the log, oldest first. To follow the log, call it again with \`after\` set
      to the \`next\` of the last response: at once if \`more\` is true, after a while otherwise. Without \`after\` it
      starts with the oldest event that is stored. A service token receives the events of its system.

      410 \`cursor_expired\` means that the events after the cursor have been deleted: synchronize everything anew.`,
    success: 'Events, and the cursor from which to continue.',
    response: { data: [EVENT], next: 'c1k9', more: false },
  },
  streamEvents: {
    summary: 'Stream events',
    description: `Sends events as they are written, as server-sent events. The \`id\` of each is its cursor, which a
      client sends as \`Last-Event-ID\` when it reconnects. Without a cursor the stream starts with the next event. The
      stream ends when the token expires or is revoked.`,
    success: 'A stream of events. It ends when the token expires.',
    response: `id: c1k9\ndata: ${JSON.stringify(EVENT)}\n\n`,
  },
})

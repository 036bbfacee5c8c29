import { docsOf, pageWith } from '../../http/docs.ts'
import { EXAMPLE, TIME } from '../../http/example.ts'
import { quotaText } from '../../http/quotas.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwQ4mX1bTz7Yk='
const WEBHOOK = {
  id: EXAMPLE.webhook,
  systemId: EXAMPLE.system,
  url: 'https://ledger.example/hooks/tenantry',
  events: ['user.access_revoked' as const, 'session.ended' as const],
  enabled: true,
  disabledReason: null,
  createdAt: TIME,
  updatedAt: TIME,
}
const DELIVERY = {
  id: EXAMPLE.delivery,
  eventId: EXAMPLE.event,
  type: 'user.access_revoked',
  timestamp: TIME,
  status: 'delivered' as const,
  nextAttemptAt: null,
  finishedAt: '2026-03-02T09:30:01.204Z',
  attempts: [{ time: '2026-03-02T09:30:01.000Z', durationMs: 204, status: 204, error: null }],
  payload: {
    id: EXAMPLE.event,
    type: 'user.access_revoked',
    timestamp: TIME,
    data: { userId: EXAMPLE.user, accountId: EXAMPLE.account, membershipId: EXAMPLE.membership },
  },
}

export const DOCS = docsOf('webhooks', {
  listWebhooks: {
    summary: 'List webhooks',
    description: 'Returns the webhooks of the system, newest first, without their secrets.',
    success: 'A page of webhooks.',
    response: pageWith(WEBHOOK),
  },
  listAllWebhooks: {
    summary: 'List the webhooks of all systems',
    description: `Returns the webhooks of all systems, newest first, with their state and the numbers of their deliveries
      in the last 24 hours. A service token receives those of its system.`,
    success: 'A page of webhooks.',
    response: pageWith({
      ...WEBHOOK,
      state: 'ok' as const,
      failingSince: null,
      pausedUntil: null,
      deliveries: { delivered: 1204, failed: 0, pending: 0, countedMax: 10_000, oldestPendingAt: null },
    }),
  },
  sampleWebhookRequest: {
    summary: 'Show a sample request',
    description: `Returns a request as a webhook would receive it, about an event of this type that did not happen. Nothing
      is sent or stored, and no webhook is needed. It is signed with a new secret, so that no receiver of a webhook
      accepts it.`,
    success: 'The signed request.',
    response: {
      secret: SECRET,
      headers: {
        'user-agent': 'Tenantry',
        'content-type': 'application/json',
        'webhook-id': EXAMPLE.event,
        'webhook-timestamp': '1772443800',
        'webhook-signature': 'v1,5oP0Q5VbQ1xJj0m5yXo3y2mD9c0f3sV8lq7r1nT4a2E=',
      },
      body: `{"id":"${EXAMPLE.event}","type":"user.deleted","timestamp":"${TIME}","data":{…}}`,
    },
  },
  createWebhook: {
    summary: 'Create a webhook',
    description: `Registers an HTTPS endpoint that receives the events of the system from now on. The response is the
      only one that contains the \`secret\` that signs the requests: store it. Requests are signed as the Standard
      Webhooks specification defines. Audit entry: \`webhook.created\`. A system has at most ${quotaText('webhooksOfSystem')}
      webhooks (\`limit_reached\`).`,
    success: 'The webhook was created.',
    request: { url: WEBHOOK.url, events: WEBHOOK.events },
    response: { ...WEBHOOK, secret: SECRET },
  },
  getWebhook: {
    summary: 'Get a webhook',
    description: 'Returns one webhook of the system, without its secret.',
    success: 'The webhook.',
    response: WEBHOOK,
  },
  updateWebhook: {
    summary: 'Update a webhook',
    description: `Changes the fields in the body and leaves the others as they are. While \`enabled\` is false no
      deliveries are queued; after it is enabled again, \`resendEvents\` sends the events of that time. A new \`url\`
      receives the pending deliveries at once. Audit entry: \`webhook.updated\`.`,
    success: 'The webhook after the update.',
    request: { enabled: false },
    response: { ...WEBHOOK, enabled: false },
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    description: `Deletes the webhook and all its deliveries. Pending deliveries are not sent. Audit entry:
      \`webhook.deleted\`.`,
    success: 'The webhook was deleted.',
  },
  rotateWebhookSecret: {
    summary: 'Rotate the webhook secret',
    description: `Replaces the secret that signs the requests. The response is the only one that contains the new
      secret. For \`graceSeconds\` each request has a signature by the old secret as well. Audit entry:
      \`webhook.secret_rotated\`.`,
    success: 'The secret was replaced.',
    request: { graceSeconds: 86400 },
    response: { id: EXAMPLE.webhook, secret: SECRET },
  },
  testWebhook: {
    summary: 'Send a test event',
    description: `Queues a delivery of the event \`webhook.test\` to this webhook. The outcome is in \`listDeliveries\`.
      Audit entry: \`webhook.tested\`.`,
    success: 'Accepted. The test event is queued.',
    response: { eventId: EXAMPLE.event },
  },
  listDeliveries: {
    summary: 'List deliveries',
    description: `Returns the deliveries of the webhook, newest first, each with the body of its requests and its latest attempts. Only the platform
      receives the body that the endpoint responded with (\`answer\`).`,
    success: 'A page of deliveries.',
    response: pageWith(DELIVERY),
  },
  getDelivery: {
    summary: 'Get a delivery',
    description: `Returns one delivery of the webhook with the body of its requests and its attempts. The headers of an
      attempt are \`webhook-id\`, which is \`eventId\`, \`webhook-timestamp\`, which is the \`time\` of the attempt in seconds, and
      \`webhook-signature\`, which is not stored.`,
    success: 'The delivery.',
    response: DELIVERY,
  },
  resendDelivery: {
    summary: 'Resend a delivery',
    description: `Queues one delivery again, whatever its status. The webhook must be enabled. Audit entry:
      \`webhook.resent\`.`,
    success: 'Accepted. The delivery is queued.',
    response: { queued: 1 },
  },
  resendEvents: {
    summary: 'Resend events',
    description: `Queues deliveries of all events after a position of the event log, for example after an outage of the
      endpoint. Up to 10,000 events are read: if \`next\` is not null, repeat the request with it as \`after\`. The
      webhook must be enabled. Audit entry: \`webhook.resent\`.`,
    success: 'Accepted. The deliveries are queued.',
    request: { after: '2026-03-02T00:00:00Z' },
    response: { queued: 42, next: null },
  },
})

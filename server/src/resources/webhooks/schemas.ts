/** The JSON of webhooks and deliveries in requests and responses of the admin API. */
import { Type } from 'typebox'
import { Id, Nullable, oneOf, PageOf, pathId, type Static, Time, timeOf } from '../../http/schemas.ts'
import { EVENT_TYPES } from '../../journal/events/enqueue.ts'
import { EventAnswer, EventType, answerOf as eventOf } from '../../journal/events/schemas.ts'
import { DELIVERIES_COUNTED_MAX, type Delivery, type DeliveryAttempt } from './delivery-queries.ts'
import type { Webhook } from './queries.ts'

/** The number of latest attempts in the response for a delivery. */
export const ATTEMPTS_SHOWN = 20
/** 30 days, in seconds. */
const GRACE_MAX = 2_592_000

const systemId = pathId('system')
const webhookId = pathId('webhook')
export const InSystem = Type.Object({ systemId })
export const OneWebhook = Type.Object({ systemId, webhookId })
export const OneDelivery = Type.Object({ systemId, webhookId, deliveryId: pathId('delivery') })

const Events = Type.Array(EventType, {
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description:
    'The types of event to send. An empty list means all, including types of later versions. Default empty.',
})
const Enabled = Type.Boolean({
  description: 'While it is false, no deliveries are queued. Default true.',
})
const Url = Type.String({
  maxLength: 2_000,
  description:
    'A public https URL. While `BASE_URL` is a loopback address, also a URL of this machine, with http or https.',
})

export const UpdateWebhook = Type.Object(
  { url: Type.Optional(Url), events: Type.Optional(Events), enabled: Type.Optional(Enabled) },
  { title: 'UpdateWebhook' },
)
export const CreateWebhook = Type.Object(
  { ...UpdateWebhook.properties, url: Url },
  { title: 'CreateWebhook' },
)
export const WebhookAnswer = Type.Object(
  {
    id: Id,
    systemId: Id,
    url: Type.String({ description: 'The endpoint.' }),
    events: Type.Array(Type.String(), { description: 'The types of event to send. Empty: all.' }),
    enabled: Enabled,
    disabledReason: Nullable(
      oneOf(['gone', 'failing'], {
        title: 'WebhookDisabledReason',
        description:
          'Why the server disabled the webhook: `gone`, the endpoint responded 410; `failing`, no delivery succeeded for five days. Null if it did not.',
      }),
    ),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'Webhook' },
)
export const WebhookStateName = oneOf(['ok', 'paused', 'failing', 'disabled'], {
  title: 'WebhookState',
  description:
    '`failing`: the last attempt failed. `paused`: the endpoint has asked to wait. `disabled`: nothing is sent.',
})
const counted = (description: string) => Type.Integer({ description })
export const WebhookStateAnswer = Type.Object(
  {
    ...WebhookAnswer.properties,
    state: WebhookStateName,
    failingSince: Nullable(timeOf('The time of the first of the consecutive failures.')),
    pausedUntil: Nullable(timeOf('The time until which nothing is sent.')),
    deliveries: Type.Object(
      {
        delivered: counted('Delivered in the last 24 hours.'),
        failed: counted('Failed for good in the last 24 hours.'),
        pending: counted('Not delivered yet.'),
        countedMax: counted('Each number is at most this one, which stands for more.'),
        oldestPendingAt: Nullable(timeOf('When the oldest pending delivery was queued.')),
      },
      { title: 'DeliveryNumbers', description: `Counted up to ${DELIVERIES_COUNTED_MAX}.` },
    ),
  },
  { title: 'WebhookWithState' },
)
export const WebhookStateList = PageOf(WebhookStateAnswer, 'WebhookStateList')
export const WebhookList = PageOf(WebhookAnswer, 'WebhookList')
const Secret = Type.String({
  description: 'The key that signs the requests (Standard Webhooks). Only in this response.',
})
export const CreatedWebhook = Type.Object(
  { ...WebhookAnswer.properties, secret: Secret },
  { title: 'CreatedWebhook' },
)
export const RotateWebhookSecret = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_MAX,
        description: 'The number of seconds for which the old secret signs as well. Default 0.',
      }),
    ),
  },
  { title: 'RotateWebhookSecret' },
)
export const RotatedWebhookSecret = Type.Object({ id: Id, secret: Secret }, { title: 'RotatedWebhookSecret' })
export const TestSent = Type.Object(
  { eventId: Type.String({ format: 'uuid', description: 'The id of the test event.' }) },
  { title: 'WebhookTest' },
)

export const SampleRequest = Type.Object(
  {
    secret: Type.String({ description: 'The key of the signature. No webhook has it.' }),
    headers: Type.Record(Type.String(), Type.String(), { description: 'The headers of the POST request.' }),
    body: Type.String({ description: 'The body, byte by byte: the signature covers it.' }),
  },
  { title: 'SampleWebhookRequest' },
)

export const DeliveryStatus = oneOf(['pending', 'delivered', 'failed', 'superseded'], {
  title: 'DeliveryStatus',
  description:
    'The status of a delivery. `superseded`: it is not sent, because a later event has ended the access.',
})
const DeliveryAttemptAnswer = Type.Object(
  {
    time: Time,
    durationMs: Type.Integer({ description: 'The duration of the request in milliseconds.' }),
    status: Nullable(Type.Integer({ description: 'The HTTP status code; null if there was no response.' })),
    error: Nullable(Type.String({ description: 'Why the request failed; null if there was a response.' })),
    answer: Type.Optional(
      Nullable(
        Type.String({ description: 'The first 1,024 bytes of the response. Only with platform authority.' }),
      ),
    ),
  },
  { title: 'DeliveryAttempt' },
)
export const DeliveryAnswer = Type.Object(
  {
    id: Id,
    eventId: Id,
    type: Type.String({ description: 'The type of the event.' }),
    timestamp: timeOf('The time of the event.'),
    status: DeliveryStatus,
    nextAttemptAt: Nullable(timeOf('The earliest time of the next attempt; null if there is none.')),
    finishedAt: Nullable(
      timeOf('When the delivery succeeded, failed for good or was superseded; null while it is pending.'),
    ),
    attempts: Type.Array(DeliveryAttemptAnswer, {
      description: `The latest ${ATTEMPTS_SHOWN} attempts, oldest first.`,
    }),
    payload: Type.Object(
      { ...EventAnswer.properties, type: Type.String() },
      { title: 'DeliveryPayload', description: 'The body of the request.' },
    ),
  },
  { title: 'Delivery' },
)
export const DeliveryList = PageOf(DeliveryAnswer, 'DeliveryList')
const queued = Type.Integer({ description: 'The number of deliveries that are queued again.' })
export const Queued = Type.Object({ queued }, { title: 'QueuedDelivery' })
export const ResendEvents = Type.Object(
  {
    after: Type.String({
      maxLength: 100,
      description:
        'A cursor of the event log or the id of an event: the events after it. Or a date and time: the events from then on.',
    }),
  },
  { title: 'ResendEvents' },
)
export const QueuedSince = Type.Object(
  {
    queued,
    next: Nullable(
      Type.String({
        description: 'The `after` of the next request if there may be more events; null if not.',
      }),
    ),
  },
  { title: 'QueuedDeliveries' },
)

export const answerOf = (webhook: Webhook) => ({
  ...webhook,
  createdAt: webhook.createdAt.toISOString(),
  updatedAt: webhook.updatedAt.toISOString(),
})

/**
 * Only the platform reads the response of the endpoint: it may contain data of a
 * network that the caller cannot reach.
 */
export function deliveryOf(
  delivery: Delivery,
  attempts: DeliveryAttempt[],
  withAnswers: boolean,
): Static<typeof DeliveryAnswer> {
  const { id, eventId, type, time, data, status, nextAttemptAt, finishedAt } = delivery
  return {
    id,
    eventId,
    type,
    timestamp: time.toISOString(),
    status,
    nextAttemptAt: status === 'pending' ? nextAttemptAt.toISOString() : null,
    finishedAt: finishedAt?.toISOString() ?? null,
    attempts: attempts.map(({ startedAt, durationMs, status, error, answer }) => ({
      time: startedAt.toISOString(),
      durationMs,
      status,
      error,
      ...(withAnswers && { answer }),
    })),
    payload: eventOf({ id: eventId, type, time, data }),
  }
}

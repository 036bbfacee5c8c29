/** Webhooks and their deliveries as the admin API shows them. */
import { Type } from 'typebox'
import { Id, Nullable, type Static, Time } from '../../http/shapes.ts'
import { EVENT_TYPES } from '../events/enqueue.ts'
import type { Attempt, Delivery, Webhook } from './queries.ts'

/** Attempts shown of a delivery, the newest. */
export const ATTEMPTS_SHOWN = 20

const Kinds = Type.Array(Type.Enum([...EVENT_TYPES]), {
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The kinds of event to send; none: all, also those to come.',
})
const Enabled = Type.Boolean({
  description: 'Nothing is queued while it is false; resend tells what was missed.',
})
const Url = Type.String({ description: 'A public https address.' })

export const WebhookPatchBody = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Kinds),
  enabled: Type.Optional(Enabled),
})
export const WebhookBody = Type.Object({ ...WebhookPatchBody.properties, url: Url })
export const WebhookAnswer = Type.Object({
  id: Id,
  systemId: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  disabledReason: Nullable(
    Type.Enum(['gone', 'failing'], {
      description:
        'Why we disabled it: its receiver said 410, or nothing but failures came of it for five days.',
    }),
  ),
  createdAt: Time,
  updatedAt: Time,
})
/** The secret is shown here and when it is rotated, never again. */
export const CreatedWebhook = Type.Object({ ...WebhookAnswer.properties, secret: Type.String() })

export const Status = Type.Enum(['pending', 'delivered', 'failed'])
const AttemptAnswer = Type.Object({
  time: Time,
  durationMs: Type.Integer(),
  status: Nullable(Type.Integer({ description: 'The HTTP status; null when nothing was answered.' })),
  error: Nullable(Type.String()),
  answer: Type.Optional(
    Nullable(Type.String({ description: 'Its first 1,024 bytes; for the platform only.' })),
  ),
})
export const DeliveryAnswer = Type.Object({
  id: Id,
  eventId: Id,
  type: Type.String(),
  timestamp: Type.Unsafe<string>({ ...Time, description: 'Of the event.' }),
  status: Status,
  nextAttemptAt: Nullable(Type.Unsafe<string>({ ...Time, description: 'Not before; null when it is done.' })),
  finishedAt: Nullable(Time),
  attempts: Type.Array(AttemptAnswer, { description: `The newest ${ATTEMPTS_SHOWN}, oldest first.` }),
})
export const Queued = Type.Object({
  queued: Type.Integer({ description: 'Deliveries that are on their way again.' }),
})
export const QueuedSince = Type.Object({
  ...Queued.properties,
  next: Nullable(
    Type.String({ description: 'Where to go on: there may be more after it. Null when that was all.' }),
  ),
})

export const answerOf = (webhook: Webhook) => ({
  ...webhook,
  createdAt: webhook.createdAt.toISOString(),
  updatedAt: webhook.updatedAt.toISOString(),
})

/** What a receiver answers may tell of a network that the caller can't see: only the platform reads it. */
export function deliveryOf(
  delivery: Delivery,
  attempts: Attempt[],
  withAnswers: boolean,
): Static<typeof DeliveryAnswer> {
  const { id, eventId, type, time, status, nextAttemptAt, finishedAt } = delivery
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
  }
}

import type { components } from '../../../../sdk/src/api.ts'
import type { Answer, Item } from '../../api/queries.ts'
import type { Tone } from '../../parts/Badge.tsx'

export type WebhookState = Item<'/admin/webhooks'>
export type Webhook = Answer<'/admin/systems/{systemId}/webhooks/{webhookId}'>
export type Delivery = Item<'/admin/systems/{systemId}/webhooks/{webhookId}/deliveries'>
export type EventType = components['schemas']['EventType']

export const EVENT_TYPES: readonly EventType[] = [
  'user.access_requested',
  'user.access_granted',
  'user.access_updated',
  'user.access_blocked',
  'user.access_restored',
  'user.access_revoked',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.merged',
  'account.created',
  'account.updated',
  'account.deleted',
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'invitation.revoked',
  'invitation.expired',
  'session.acting_started',
  'session.ended',
  'system.secret_rotated',
  'security.refresh_reuse',
]

export const TONES: Record<WebhookState['state'], Tone> = {
  ok: 'good',
  paused: 'wait',
  failing: 'bad',
  disabled: 'plain',
}

export const STATUS_TONES: Record<Delivery['status'], Tone> = {
  delivered: 'good',
  pending: 'wait',
  failed: 'bad',
}

import type { components } from '../../../../sdk/src/api.ts'
import type { Answer, Item } from '../../api/queries.ts'
import type { Tone } from '../../parts/Badge.tsx'

export type WebhookState = Item<'/admin/webhooks'>
export type Webhook = Answer<'/admin/systems/{systemId}/webhooks/{webhookId}'>
export type Delivery = Item<'/admin/systems/{systemId}/webhooks/{webhookId}/deliveries'>
export type EventType = components['schemas']['EventType']

/** Each type of the API, in its order. */
const TYPES: Record<EventType, true> = {
  'user.access_requested': true,
  'user.access_granted': true,
  'user.access_updated': true,
  'user.access_blocked': true,
  'user.access_restored': true,
  'user.access_revoked': true,
  'user.created': true,
  'user.updated': true,
  'user.deleted': true,
  'user.merged': true,
  'account.created': true,
  'account.updated': true,
  'account.deleted': true,
  'account.suspended': true,
  'account.resumed': true,
  'invitation.created': true,
  'invitation.accepted': true,
  'invitation.declined': true,
  'invitation.revoked': true,
  'invitation.expired': true,
  'service_account.created': true,
  'service_account.updated': true,
  'service_account.enabled': true,
  'service_account.disabled': true,
  'service_account.deleted': true,
  'service_account.key_created': true,
  'service_account.key_revoked': true,
  'service_account.token_revoked': true,
  'connection.enabled': true,
  'connection.disabled': true,
  'domain.verified': true,
  'domain.lapsed': true,
  'domain.removed': true,
  'session.acting_started': true,
  'session.ended': true,
  'system.secret_rotated': true,
  'security.refresh_reuse': true,
}
export const EVENT_TYPES = Object.keys(TYPES) as EventType[]

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
  superseded: 'plain',
}

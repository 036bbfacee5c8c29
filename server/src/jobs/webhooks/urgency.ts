/**
 * Which events end access, and which earlier ones of the same membership, user, service account or account
 * they make void. A revocation that waited behind the retries of a grant would reach the receiver days later.
 */
import { type SQL, sql } from '../../database/drizzle.ts'
import type { EventType } from '../../journal/events/enqueue.ts'

/** They make the earlier statements about the same access, user, account or service account void. */
const ENDING = [
  'user.access_blocked',
  'user.access_revoked',
  'user.deleted',
  'account.suspended',
  'service_account.disabled',
  'service_account.deleted',
] as const satisfies readonly EventType[]
/** Sent before all others. */
const URGENT = [
  ...ENDING,
  'session.ended',
  'service_account.key_revoked',
  'service_account.token_revoked',
] as const satisfies readonly EventType[]
/** What a later ending event makes void. */
const VOIDED = [
  'user.access_requested',
  'user.access_granted',
  'user.access_updated',
  'user.access_restored',
  'user.created',
  'user.updated',
  'account.resumed',
  'service_account.created',
  'service_account.updated',
  'service_account.enabled',
] as const satisfies readonly EventType[]

/** What `event` is about: deliveries with the same key are sent in sequence. */
export const orderOf = (event: SQL): SQL => sql`coalesce(${event}.membership_id, ${event}.user_id,
  (${event}.data->'serviceAccount'->>'id')::uuid, ${event}.account_id, ${event}.id)`

/** It is no parameter: the planner would not use the index of the events that end access. */
const list = (types: readonly string[]): SQL => sql.raw(types.map((type) => `'${type}'`).join())

export const isUrgent = (type: SQL): SQL => sql`${type} in (${list(URGENT)})`
export const isVoidable = (type: SQL): SQL => sql`${type} in (${list(VOIDED)})`

/** The value of `deliveries.urgency`: 2 ends access, 1 is urgent, 0 is neither. */
export const urgencyOf = (type: SQL): SQL =>
  sql`case when ${type} in (${list(ENDING)}) then 2 when ${isUrgent(type)} then 1 else 0 end`

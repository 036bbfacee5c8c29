/**
 * A request as a webhook sends it, about an event that did not happen: for the development of a receiver. It
 * is signed with a secret of its own, so that no receiver of a webhook accepts it.
 */
import type { Static } from 'typebox'
import { EXAMPLE } from '../../http/example.ts'
import { USER_AGENT } from '../../http/outbound.ts'
import { newWebhookSecret, signedHeaders } from '../../jobs/webhooks/signature.ts'
import type { EventType } from '../../journal/events/enqueue.ts'
import { answerOf } from '../../journal/events/schemas.ts'
import type { SampleRequest } from './schemas.ts'

type Data = Record<string, unknown>

/** The data of each type, with the fields that the server writes. */
function dataOf(systemId: string): Record<EventType, Data> {
  const { account: accountId, membership: membershipId, session: sid } = EXAMPLE
  const user = { id: EXAMPLE.user, email: 'ana@acme.example' }
  const actor = { type: 'user', id: EXAMPLE.user }
  const place = { accountId, systemId, actor }
  const access = (status: string) => ({
    ...{ user, membershipId, ...place },
    ...{ roles: ['Accountant'], isAdmin: false, status },
  })
  const account = { account: { id: accountId, name: 'Acme', kind: 'organization' }, ...place }
  const invited = {
    invitation: { id: EXAMPLE.invitation, email: 'bo@acme.example', roles: ['Accountant'] },
    invitedBy: EXAMPLE.user,
    ...place,
  }
  const { serviceAccount: id, key: keyId } = EXAMPLE
  const owner = {
    id,
    clientId: 'sa_Zm9vYmFyYmF6cXV4',
    name: 'Ledger',
    disabled: false,
    roles: ['Accountant'],
  }
  const service = { serviceAccount: owner, ...place }
  const domain = (status: string) => ({
    domain: { id: EXAMPLE.domain, name: 'acme.example', subdomains: false, status },
    ...{ accountId, systemId, actor: { type: 'server', id: null } },
  })
  const connection = (enabled: boolean) => ({
    connection: { id: EXAMPLE.connection, name: 'Okta', kind: 'oidc', enabled },
    ...place,
  })
  return {
    'user.access_requested': access('pending'),
    'user.access_granted': access('active'),
    'user.access_updated': access('active'),
    'user.access_blocked': access('blocked'),
    'user.access_restored': access('active'),
    'user.access_revoked': access('removed'),
    'user.created': { user, actor },
    'user.updated': { user, changed: ['name'], actor },
    'user.deleted': { user, actor },
    'user.merged': { user, mergedUserId: EXAMPLE.operator, actor },
    'account.created': account,
    'account.updated': account,
    'account.deleted': account,
    'account.suspended': account,
    'account.resumed': account,
    'invitation.created': invited,
    'invitation.accepted': { ...invited, userId: EXAMPLE.operator },
    'invitation.declined': invited,
    'invitation.revoked': invited,
    'invitation.expired': invited,
    'service_account.created': service,
    'service_account.updated': service,
    'service_account.enabled': service,
    'service_account.disabled': { ...service, serviceAccount: { ...owner, disabled: true } },
    'service_account.deleted': service,
    'service_account.key_created': { ...service, keyId },
    'service_account.key_revoked': { ...service, keyId },
    'service_account.token_revoked': { ...service, jti: EXAMPLE.entry },
    'connection.enabled': connection(true),
    'connection.disabled': connection(false),
    'domain.verified': domain('verified'),
    'domain.lapsed': domain('lapsed'),
    'domain.removed': { ...domain('verified'), actor },
    'session.acting_started': {
      ...{ sid, user, membershipId, accountId, systemId },
      ...{ actor: { ...actor, name: 'Support' }, reason: 'Ticket 4711', lifetime: 1_800 },
    },
    'session.ended': { sid, reason: 'logout', user: { id: user.id }, membershipId, ...place },
    'system.secret_rotated': { systemId, clientId: 'orders', graceSeconds: 86_400, actor },
    'security.refresh_reuse': { sid, user, membershipId, ...place },
  }
}

/** `now`: in ms since 1970. */
export function sampleRequest(type: EventType, systemId: string, now: number): Static<typeof SampleRequest> {
  const secret = newWebhookSecret()
  const id = crypto.randomUUID()
  const body = JSON.stringify(answerOf({ id, type, time: new Date(now), data: dataOf(systemId)[type] }))
  const signed = signedHeaders([secret], id, Math.floor(now / 1_000), body)
  return { secret, headers: { 'user-agent': USER_AGENT, ...signed }, body }
}

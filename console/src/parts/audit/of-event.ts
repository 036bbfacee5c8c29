/** Events as entries of the audit log, which have sentences. */
import type { Entry } from './Sentence.tsx'

export type AnyEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

/** What an event is about. Ids and names of one that is gone are in the event itself. */
type Thing = { id?: string; name?: string; email?: string }
type Data = {
  user?: Thing
  account?: Thing
  invitation?: Thing
  serviceAccount?: Thing
  domain?: Thing
  connection?: Thing
  actor?: { type?: string; id?: string | null; name?: string }
  sid?: string
  webhookId?: string
  reason?: string
  systemId?: string
  accountId?: string
}

/** The actions of the audit log that say the same in other words. */
const ACTIONS: Record<string, string> = {
  'user.access_blocked': 'membership.blocked',
  'user.access_restored': 'membership.restored',
  'user.access_revoked': 'membership.deleted',
  'webhook.test': 'webhook.tested',
}

const ACTORS = ['user', 'service', 'anonymous', 'server'] as const
const actorTypeOf = (given: string | undefined): (typeof ACTORS)[number] =>
  ACTORS.find((each) => each === given) ?? 'server'

/** The target of the entry, and what it says about it. */
function targetOf(type: string, { user, sid, systemId, webhookId, ...of }: Data) {
  const [noun = ''] = type.split('.')
  if (noun === 'session' || noun === 'security')
    return { target: { type: 'session', id: sid ?? null }, about: user, userId: user?.id }
  if (noun === 'webhook') return { target: { type: noun, id: webhookId ?? null } }
  if (noun === 'system') return { target: { type: 'system', id: systemId ?? null } }
  const { account, invitation, serviceAccount: service_account, domain, connection } = of
  const about = { account, invitation, service_account, domain, connection }[noun] ?? user
  return { target: { type: noun, id: about?.id ?? null }, about }
}

export function entryOfEvent({ id, type, timestamp, data }: AnyEvent): Entry {
  const given = data as Data
  const { actor, reason, systemId = null, accountId = null } = given
  const { target, about, userId } = targetOf(type, given)
  const hints = { userId, name: about?.name, email: about?.email, actor: actor?.name }
  const changes = Object.fromEntries(
    Object.entries(hints).flatMap(([name, value]) => (value === undefined ? [] : [[name, [null, value]]])),
  )
  const action =
    reason === 'left' && type === 'user.access_revoked' ? 'membership.left' : (ACTIONS[type] ?? type)
  return {
    id,
    time: timestamp,
    action,
    outcome: 'success',
    actor: { type: actorTypeOf(actor?.type), id: actor?.id ?? null, ip: null, userAgent: null, via: null },
    target,
    systemId,
    accountId,
    requestId: null,
    changes,
  }
}

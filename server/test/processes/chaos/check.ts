/**
 * Compares requests and responses (writer.ts), the database, the events read by cursor, and the deliveries.
 */
import { signedHeaders } from '../../../src/jobs/webhooks/signature.ts'
import type { Receipt } from './receiver.ts'
import type { Kind, Line } from './writer.ts'

/** An event of the system, in order. */
export type LoggedRow = {
  id: string
  type: string
  membershipId: string | null
  accountId: string | null
  name: string | null
}

export type Found = {
  lines: Line[]
  events: LoggedRow[]
  /** Number of audit entries, by action and target. */
  audit: { action: string; targetId: string; count: number }[]
  memberships: { id: string; status: string }[]
  accounts: { id: string; name: string }[]
  /** Event ids whose deliveries a later event has made void. */
  superseded: string[]
  /** Event ids as read by cursor during the run. */
  followed: string[]
  receipts: Receipt[]
  secret: string
}

export type Report = { faults: string[]; counts: Record<string, number> }

/** For each change its event, its audit action, and the status of the membership after it. */
const CHANGES: Record<Exclude<Kind, 'refused'>, { type: string; action: string; status?: string }> = {
  create: { type: 'user.access_granted', action: 'membership.created', status: 'active' },
  block: { type: 'user.access_blocked', action: 'membership.blocked', status: 'blocked' },
  restore: { type: 'user.access_restored', action: 'membership.restored', status: 'active' },
  roles: { type: 'user.access_updated', action: 'membership.roles_changed' },
  delete: { type: 'user.access_revoked', action: 'membership.deleted', status: 'none' },
}
const BY_TYPE = new Map(Object.values(CHANGES).map((change) => [change.type, change]))

export function check(found: Found): Report {
  // The later of two lines has the response.
  const lines = new Map(found.lines.map((line) => [line.op, { ...line, status: line.status ?? 0 }]))
  const asked = [...lines.values()]
  const done = asked.filter(({ status }) => status >= 200 && status < 300)
  const unanswered = asked.filter(({ status }) => status === 0)
  const first = new Map<string, Receipt>()
  for (const receipt of found.receipts.filter(({ status }) => status === 200)) {
    const id = String(receipt.headers['webhook-id'])
    if (!first.has(id)) first.set(id, receipt)
  }
  return {
    faults: [
      ...changesOf(found, done, unanswered),
      ...statesOf(found),
      ...accountsOf(found, done, unanswered),
      ...entriesOf(found),
      ...readingOf(found),
      ...deliveriesOf(found, first),
    ],
    counts: {
      acknowledged: done.length,
      refused: asked.filter(({ status }) => status >= 400).length,
      'never sent': asked.filter(({ status }) => status === -1).length,
      'without an answer': unanswered.length,
      'repeated under a key': asked.filter(({ sent = 1 }) => sent > 1).length,
      events: found.events.length,
      'read by cursor': found.followed.length,
      delivered: first.size,
      'delivered again': found.receipts.filter(({ status }) => status === 200).length - first.size,
      'not taken at first': found.receipts.filter(({ status }) => status !== 200).length,
    },
  }
}

/**
 * The events of a membership are those of its acknowledged changes, in order; a
 * last change may be unanswered.
 */
function changesOf({ events }: Found, done: Line[], unanswered: Line[]): string[] {
  const typeOf = ({ kind }: Line) => (kind === 'refused' ? 'nothing' : CHANGES[kind].type)
  const access = events.filter(({ type }) => type.startsWith('user.access_'))
  const happened = Map.groupBy(access, ({ membershipId }) => String(membershipId))
  const expected = Map.groupBy(done, ({ membership }) => String(membership))
  const names = new Map(
    events.filter(({ type }) => type === 'account.created').map(({ accountId, name }) => [accountId, name]),
  )
  const openNames = new Set(unanswered.filter(({ kind }) => kind === 'create').map(({ name }) => name))
  const faults = done
    .filter(({ kind }) => kind === 'refused')
    .map(({ op }) => `change ${op} should have been refused`)
  for (const [membership, lines] of expected) {
    const was = (happened.get(membership) ?? []).map(({ type }) => type).join()
    const last = unanswered.find((line) => line.membership === membership)
    const due = lines.map(typeOf)
    if (was !== due.join() && !(last && was === [...due, typeOf(last)].join()))
      faults.push(`membership ${membership}: changes ${due.join()}, events ${was}`)
  }
  for (const [membership, rows] of happened) {
    if (expected.has(membership)) continue
    const name = names.get(rows[0]!.accountId)
    const made = rows.length === 1 && rows[0]!.type === CHANGES.create.type && name && openNames.has(name)
    if (!made)
      faults.push(
        `membership ${membership}: events ${rows.map(({ type }) => type).join()} of nothing that was asked`,
      )
  }
  return faults
}

/** The state of every membership follows from its events. */
function statesOf({ events, memberships }: Found): string[] {
  const said = new Map<string, string>()
  for (const { type, membershipId } of events) {
    const status = BY_TYPE.get(type)?.status
    if (membershipId && status) said.set(membershipId, status)
  }
  const is = new Map(memberships.map(({ id, status }) => [id, status]))
  const all = new Set([...said.keys(), ...is.keys()])
  return [...all].flatMap((id) => {
    const [saying, being] = [said.get(id) ?? 'none', is.get(id) ?? 'none']
    return saying === being ? [] : [`membership ${id}: its events say ${saying}, it is ${being}`]
  })
}

/** Every account has one event and one request, and no refused request created one. */
function accountsOf({ events, accounts }: Found, done: Line[], unanswered: Line[]): string[] {
  const created = events.filter(({ type }) => type === 'account.created').map(({ name }) => String(name))
  const named = (lines: Line[]) =>
    lines.flatMap(({ kind, name }) => (kind === 'create' && name ? [name] : []))
  const [due, maybe] = [named(done), new Set(named(unanswered))]
  const faults: string[] = []
  if (created.length !== new Set(created).size) faults.push('an account has two events')
  for (const name of due)
    if (!created.includes(name)) faults.push(`${name}: acknowledged, and there is no event`)
  for (const name of created)
    if (!due.includes(name) && !maybe.has(name)) faults.push(`${name}: an event without a request`)
  if (
    accounts
      .map(({ name }) => name)
      .sort()
      .join() !== created.sort().join()
  )
    faults.push('accounts and their events differ')
  return faults
}

/** Every event has one audit entry and vice versa. */
function entriesOf({ events, audit }: Found): string[] {
  const due = new Map<string, number>()
  for (const { type, membershipId, accountId } of events) {
    const key =
      type === 'account.created'
        ? `account.created ${accountId}`
        : `${BY_TYPE.get(type)?.action} ${membershipId}`
    due.set(key, (due.get(key) ?? 0) + 1)
  }
  const are = new Map(audit.map(({ action, targetId, count }) => [`${action} ${targetId}`, count]))
  const all = new Set([...due.keys(), ...are.keys()])
  return [...all].flatMap((key) =>
    due.get(key) === are.get(key)
      ? []
      : [`${key}: ${due.get(key) ?? 0} events, ${are.get(key) ?? 0} entries of the audit`],
  )
}

/** The reader by cursor has read every event once, in order. */
function readingOf({ events, followed }: Found): string[] {
  const at = events.findIndex(({ id }, nth) => followed[nth] !== id)
  if (at >= 0)
    return [
      `by cursor, event ${at + 1} of ${events.length} is ${followed[at] ?? 'missing'}, in the log ${events[at]!.id}`,
    ]
  return followed.length > events.length
    ? [`by cursor, ${followed.length} events; in the log, ${events.length}`]
    : []
}

/**
 * Every event was delivered with its id, a valid signature and the same content, in order per membership; not
 * one that is marked as superseded, if a later end of the access was delivered.
 */
function deliveriesOf(
  { events, superseded, receipts, secret }: Found,
  first: Map<string, Receipt>,
): string[] {
  const known = new Map(events.map((event) => [event.id, event]))
  const ends = new Set([CHANGES.block.type, CHANGES.delete.type])
  const isVoid = ({ id, membershipId }: LoggedRow, nth: number) =>
    superseded.includes(id) &&
    events
      .slice(nth + 1)
      .some((later) => later.membershipId === membershipId && ends.has(later.type) && first.has(later.id))
  const faults = events.flatMap((event, nth) =>
    first.has(event.id) || isVoid(event, nth) ? [] : [`event ${event.id} (${event.type}) was never taken`],
  )
  const texts = new Map<string, string>()
  for (const { headers, text } of receipts) {
    const id = String(headers['webhook-id'])
    if (!known.has(id)) faults.push(`event ${id} was delivered, and is not in the log`)
    if (JSON.parse(text).id !== id) faults.push(`event ${id} was delivered with another id in it`)
    if ((texts.get(id) ?? text) !== text) faults.push(`event ${id} was delivered with two contents`)
    texts.set(id, text)
    const signed = signedHeaders([secret], id, Number(headers['webhook-timestamp']), text)
    if (signed['webhook-signature'] !== headers['webhook-signature']) faults.push(`event ${id} is not signed`)
  }
  const orderOf = (ids: string[]) =>
    Map.groupBy(
      ids.filter((id) => known.get(id)?.membershipId),
      (id) => known.get(id)!.membershipId,
    )
  const arrived = orderOf([...first.keys()])
  for (const [membership, ids] of orderOf(events.map(({ id }) => id).filter((id) => first.has(id)))) {
    if (arrived.get(membership)!.join() !== ids.join())
      faults.push(`membership ${membership}: delivered in another order`)
  }
  return faults
}

/** A short run of `npm run chaos:events`, and tests of its check. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWebhookSecret, signedHeaders } from '../../src/jobs/webhooks/signature.ts'
import { check, type Found } from './chaos/check.ts'
import { runChaos } from './chaos-events.ts'

test('three kills of servers under load lose, invent and reorder no event', async (t) => {
  const { faults, counts, kills } = await runChaos({
    kills: 3,
    expireLeases: true,
    databaseUrl: process.env.DATABASE_URL,
  })

  const all = Object.entries({ kills, ...counts }).map(([name, count]) => `${count} ${name}`)
  t.diagnostic(all.join(', '))
  assert.deepEqual(faults, [])
  assert.ok(kills === 3 && counts.acknowledged! > 50 && counts.delivered! > 50)
})

/** A membership that was created, blocked and refused a change; another whose creation got no response. */
function whole(): Found {
  const secret = newWebhookSecret()
  const event = (id: string, type: string, more: object) => ({
    id,
    type,
    membershipId: null,
    accountId: null,
    name: null,
    ...more,
  })
  const events = [
    event('e1', 'account.created', { accountId: 'a1', name: 'One' }),
    event('e2', 'user.access_granted', { accountId: 'a1', membershipId: 'm1' }),
    event('e3', 'user.access_blocked', { accountId: 'a1', membershipId: 'm1' }),
    event('e4', 'account.created', { accountId: 'a2', name: 'Two' }),
    event('e5', 'user.access_granted', { accountId: 'a2', membershipId: 'm2' }),
  ]
  const receipt = (id: string, status = 200) => {
    const text = JSON.stringify({ id })
    return { headers: signedHeaders([secret], id, 1_700_000_000, text), text, status }
  }
  const entry = (action: string, targetId: string) => ({ action, targetId, count: 1 })
  return {
    secret,
    events,
    lines: [
      { op: 1, kind: 'create', name: 'One' },
      { op: 1, kind: 'create', name: 'One', membership: 'm1', status: 201 },
      { op: 2, kind: 'block', membership: 'm1', status: 200 },
      { op: 3, kind: 'refused', membership: 'm1', status: 409 },
      { op: 4, kind: 'create', name: 'Two' },
      { op: 5, kind: 'create', name: 'Three', status: -1 },
    ],
    audit: [
      entry('account.created', 'a1'),
      entry('membership.created', 'm1'),
      entry('membership.blocked', 'm1'),
      entry('account.created', 'a2'),
      entry('membership.created', 'm2'),
    ],
    memberships: [
      { id: 'm1', status: 'blocked' },
      { id: 'm2', status: 'active' },
    ],
    accounts: [
      { id: 'a1', name: 'One' },
      { id: 'a2', name: 'Two' },
    ],
    superseded: [],
    followed: events.map(({ id }) => id),
    receipts: [...events.map(({ id }) => receipt(id)), receipt('e3', 500), receipt('e2')],
  }
}

const BREAKS: Record<string, (found: Found) => unknown> = {
  'an event is missing': (found) => found.events.splice(2, 1),
  'an event is there twice': (found) => found.events.push({ ...found.events[2]!, id: 'e6' }),
  'two events of a membership are swapped': (found) =>
    found.events.splice(1, 2, found.events[2]!, found.events[1]!),
  'a refused change happened': (found) =>
    found.lines.splice(3, 1, { op: 3, kind: 'refused', membership: 'm1', status: 200 }),
  'there is an event of a change that was refused': (found) =>
    found.lines.splice(2, 1, { op: 2, kind: 'block', membership: 'm1', status: 409 }),
  'there is an event of a change that was never sent': (found) =>
    found.lines.splice(4, 1, { op: 4, kind: 'create', name: 'Two', status: -1 }),
  'a change has no entry in the audit': (found) => found.audit.pop(),
  'a change has two entries in the audit': (found) => {
    found.audit[1]!.count = 2
  },
  'a membership is not as its events say': (found) => {
    found.memberships[0]!.status = 'active'
  },
  'half of a change is there': (found) => found.memberships.pop(),
  'an account was made by a refused request': (found) => found.accounts.push({ id: 'a4', name: 'Four' }),
  'the reader missed an event': (found) => found.followed.splice(1, 1),
  'the reader got an event twice': (found) => found.followed.push('e5'),
  'an event was not delivered': (found) => found.receipts.splice(3, 1),
  'an event was not taken': (found) => {
    found.receipts[3]!.status = 500
  },
  'an event is void without an end of the access': (found) => {
    found.receipts.splice(4, 1)
    found.superseded.push('e5')
  },
  'an event was delivered that is not in the log': (found) => {
    found.receipts.push({
      ...found.receipts[0]!,
      headers: { ...found.receipts[0]!.headers, 'webhook-id': 'e9' },
    })
  },
  'an event was delivered in the wrong order': (found) =>
    found.receipts.splice(1, 2, found.receipts[2]!, found.receipts[1]!),
  'a repeat differs': (found) => {
    found.receipts[6]!.text = JSON.stringify({ id: 'e2', more: true })
  },
  'a delivery is not genuine': (found) => {
    found.secret = newWebhookSecret()
  },
}

test('the check of a run passes a correct run and detects every kind of fault', () => {
  assert.deepEqual(check(whole()).faults, [])
  const overtaken = whole()
  overtaken.receipts = overtaken.receipts.filter(({ headers }) => headers['webhook-id'] !== 'e2')
  overtaken.superseded.push('e2')
  assert.deepEqual(check(overtaken).faults, [])

  const unnoticed = Object.entries(BREAKS).filter(([, breakIt]) => {
    const found = whole()
    breakIt(found)
    return check(found).faults.length === 0
  })
  assert.deepEqual(
    unnoticed.map(([name]) => name),
    [],
  )
})

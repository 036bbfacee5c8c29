/** Compares what was acknowledged with what the servers have at the end. */
import { adminClient, expectStatus } from '../support/http.ts'
import type { Ledger } from './ledger.ts'
import type { Believed, Parties } from './records.ts'
import type { World } from './world.ts'

export type { Believed }

/** Reads all pages of a list. */
async function all(url: string, token: string, path: string): Promise<Record<string, unknown>[]> {
  const client = adminClient(url, token)
  const rows: Record<string, unknown>[] = []
  for (let page = 1; ; page += 1) {
    const { body } = expectStatus(await client.get(`${path}&page=${page}&pageSize=100`), 200)
    rows.push(...body.data)
    if (body.data.length < 100) return rows
  }
}

type Event = { type: string; data: { membershipId?: string } }

/** All events of the log, by cursor. */
async function allEvents(url: string, token: string): Promise<Event[]> {
  const client = adminClient(url, token)
  const events: Event[] = []
  for (let [after, more] = ['2000-01-01T00:00:00Z', true]; more; ) {
    const { body } = expectStatus(await client.get(`/admin/events?limit=500&after=${after}`), 200)
    events.push(...body.data)
    after = body.next
    more = body.more
  }
  return events
}

const countBy = <T>(rows: T[], key: (row: T) => string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1)
  return counts
}

export async function check(
  { urls }: World,
  ledger: Ledger,
  parties: Parties,
  believed: Believed,
): Promise<void> {
  const [url] = urls as [string]
  const { token, system } = parties
  const users = await all(url, token, '/admin/users?search=chaos.test')
  const byEmail = Map.groupBy(users, ({ email }) => String(email))
  for (const [email, found] of byEmail)
    if (found.length > 1) ledger.violations.push(`${found.length} users have ${email}`)
  for (const [email, id] of believed.users)
    if (byEmail.get(email)?.[0]?.id !== id) ledger.violations.push(`the user ${id} is lost`)

  const memberships = await all(url, token, `/admin/memberships?systemId=${system.id}`)
  const statusOf = new Map(memberships.map(({ id, status }) => [String(id), String(status)]))
  for (const [id, possible] of believed.memberships) {
    const status = statusOf.get(id) ?? 'gone'
    if (!possible.has(status))
      ledger.violations.push(`membership ${id} is ${status}, expected ${[...possible].join(' or ')}`)
  }

  const audit = countBy(
    [
      ...(await all(url, token, '/admin/audit?action=user.created')),
      ...(await all(url, token, '/admin/audit?action=membership.created')),
    ] as { action: string; target: { id: string } }[],
    ({ action, target }) => `${action} ${target.id}`,
  )
  for (const { action, id } of ledger.audited) {
    const count = audit.get(`${action} ${id}`) ?? 0
    if (count !== 1) ledger.violations.push(`${count} audit entries ${action} of ${id}`)
  }

  const granted = countBy(
    (await allEvents(url, token)).filter(({ type }) => type === 'user.access_granted'),
    ({ data }) => String(data.membershipId),
  )
  for (const id of believed.memberships.keys())
    if (granted.get(id) !== 1)
      ledger.violations.push(`${granted.get(id) ?? 0} events for the creation of membership ${id}`)
}

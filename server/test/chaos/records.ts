/** Operations of the admin API: unique addresses, memberships, and the last admin of an account. */
import type { Body } from '../support/http.ts'
import { expectOnly, isUnknown, type Ledger, type Reply, send, settle } from './ledger.ts'

export type Parties = {
  urls: string[]
  /** A service token of the platform. */
  token: string
  system: Body
  role: Body
  adminRole: Body
  /** An account with two admins, their memberships and their access tokens. */
  admins: { membershipId: string; token: string }[]
}

/** What the run believes of the rows it has made, for the comparison at the end. */
export type Believed = {
  /** Acknowledged users by address. */
  users: Map<string, string>
  /** Possible states of memberships by id. `gone`: deleted. */
  memberships: Map<string, Set<string>>
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

/** Several callers create a user with one address at the same time: one succeeds. */
export async function raceForAddress(
  ledger: Ledger,
  { urls, token }: Parties,
  believed: Believed,
): Promise<void> {
  const email = `${crypto.randomUUID()}@chaos.test`
  const replies = await Promise.all(
    [0, 1, 2, 3].map((number) =>
      send(ledger, 'create a user', {
        method: 'POST',
        url: `${urls[number % urls.length]}/admin/users`,
        token,
        body: { email },
      }),
    ),
  )
  const created = replies.filter(({ status }) => status === 201)
  for (const reply of replies) expectOnly(ledger, 'create a user', reply, 201, 409)
  if (created.length > 1) ledger.violations.push(`${created.length} users were created with ${email}`)
  const [first] = created
  if (!first) return
  believed.users.set(email, first.body.id)
  ledger.audited.push({ action: 'user.created', id: first.body.id })
}

type Change = { name: string; method: string; path: string; body?: object; statuses: number[]; to: string }

const changesOf = (id: string, status: string): Change[] => {
  const path = `/admin/memberships/${id}`
  const patch = (to: string) => ({ method: 'PATCH', path, body: { status: to }, statuses: [200], to })
  return [
    status === 'active'
      ? { name: 'block a membership', ...patch('blocked') }
      : { name: 'restore a membership', ...patch('active') },
    { name: 'delete a membership', method: 'DELETE', path, statuses: [204], to: 'gone' },
  ]
}

/** Reads a membership until there is an answer: its status, or `gone`. */
async function stateOf(ledger: Ledger, { urls, token }: Parties, id: string): Promise<string | undefined> {
  const reply = await settle(ledger, () =>
    send(ledger, 'read a membership', { url: `${any(urls)}/admin/memberships/${id}`, token }),
  )
  if (!reply) return undefined
  expectOnly(ledger, 'read a membership', reply, 200, 404)
  return reply.status === 404 ? 'gone' : reply.body.status
}

/** One membership from its creation to its deletion; each acknowledged change is read through any server. */
export async function liveMembership(ledger: Ledger, parties: Parties, believed: Believed): Promise<void> {
  const { urls, token, system, role } = parties
  const admin = (name: string, method: string, path: string, body?: object): Promise<Reply> =>
    send(ledger, name, { method, url: any(urls) + path, token, ...(body && { body }) })
  const email = `${crypto.randomUUID()}@chaos.test`
  const user = await admin('create a user', 'POST', '/admin/users', { email })
  if (user.status !== 201) return
  const made = await admin('create a membership', 'POST', '/admin/memberships', {
    userId: user.body.id,
    systemId: system.id,
    accountName: 'Chaos',
    roles: [role.id],
  })
  expectOnly(ledger, 'create a membership', made, 201)
  if (made.status !== 201) return
  const { id } = made.body
  ledger.audited.push({ action: 'membership.created', id })
  let status = 'active'
  believed.memberships.set(id, new Set([status]))
  for (let step = 0; step < 6 && status !== 'gone' && !ledger.stopping; step += 1) {
    const { name, method, path, body, statuses, to } = any(changesOf(id, status))
    believed.memberships.set(id, new Set([status, to]))
    const reply = await admin(name, method, path, body)
    expectOnly(ledger, name, reply, ...statuses)
    const found = await stateOf(ledger, parties, id)
    if (found === undefined) return
    const possible = isUnknown(reply) ? [status, to] : [to]
    if (!possible.includes(found))
      ledger.violations.push(`membership ${id}: ${name} answered ${reply.status}, then it was ${found}`)
    status = found
    believed.memberships.set(id, new Set([status]))
  }
}

/** Both admins of an account give up their role at the same time: one of them stays. */
export async function raceOfAdmins(ledger: Ledger, parties: Parties): Promise<void> {
  const { urls, admins, token, adminRole, role } = parties
  const replies = await Promise.all(
    admins.map((admin, number) =>
      send(ledger, 'give up the admin role', {
        method: 'PATCH',
        url: `${urls[number % urls.length]}/admin/memberships/${admin.membershipId}/roles`,
        token: admin.token,
        body: { roles: [role.id] },
      }),
    ),
  )
  for (const reply of replies) expectOnly(ledger, 'give up the admin role', reply, 200, 409, 403)
  let remaining = 0
  for (const { membershipId } of admins) {
    const found = await settle(ledger, () =>
      send(ledger, 'read a membership', { url: `${any(urls)}/admin/memberships/${membershipId}`, token }),
    )
    if (!found) return
    expectOnly(ledger, 'read a membership', found, 200)
    if (found.body.roles?.includes(adminRole.id)) remaining += 1
  }
  if (remaining === 0)
    ledger.violations.push(`the account has no admin: ${replies.map(({ status }) => status)}`)
  for (const { membershipId } of admins)
    await settle(ledger, () =>
      send(ledger, 'assign the admin role', {
        method: 'PATCH',
        url: `${any(urls)}/admin/memberships/${membershipId}/roles`,
        token,
        body: { roles: [adminRole.id] },
      }),
    )
}

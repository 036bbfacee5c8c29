/**
 * A backend that changes memberships continuously while servers are killed, in its own process. It logs each
 * request before it is sent and each response before the next request, for check.ts.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Kinds of changes. `refused` is an invalid one. */
export type Kind = 'create' | 'block' | 'restore' | 'roles' | 'delete' | 'refused'

/** One line of the log: without `status` before the request, with it after the response. */
export type Line = {
  op: number
  kind: Kind
  /** Undefined while the membership is being created. */
  membership?: string
  /** Unique name of the account to be created with it. */
  name?: string
  /** 0: no response or an inconclusive one. -1: never sent. */
  status?: number
  /** Number of attempts with one Idempotency-Key. */
  sent?: number
}

/** Arguments of the process. */
export type Job = {
  urls: string[]
  token: string
  systemId: string
  users: string[]
  roles: string[]
  log: string
  callers: number
}

/** Retries of an unanswered request with a key: delay in ms and number. */
const REPEATS_MAX = 300

const job = JSON.parse(process.argv[2]!) as Job
const file = openSync(job.log, 'a')
const state = { op: 0, stopping: false }
const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const chance = (of: number) => Math.random() < of

const write = (line: Line) => writeSync(file, `${JSON.stringify(line)}\n`)

type Request = { method: string; path: string; body?: object; key?: string }
type Answer = { status: number; id?: string }

async function send({ method, path, body, key }: Request): Promise<Answer> {
  try {
    const response = await fetch(any(job.urls) + path, {
      method,
      headers: {
        authorization: `Bearer ${job.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(15_000),
    })
    const text = await response.text()
    if (response.status >= 500) return { status: 0 }
    return { status: response.status, id: text ? JSON.parse(text).id : undefined }
  } catch (error) {
    return { status: (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED' ? -1 : 0 }
  }
}

/** Sends one change; with an Idempotency-Key it is repeated until it is answered. */
async function ask(
  kind: Kind,
  request: Request,
  about: { membership?: string; name?: string },
): Promise<Answer> {
  state.op += 1
  const line = { op: state.op, kind, ...about }
  write(line)
  let answer = await send(request)
  let sent = 1
  for (; request.key && answer.status <= 0 && sent < REPEATS_MAX; sent += 1) {
    await wait(100)
    const again = await send(request)
    // An inconclusive request stays so until it is answered, even if the next attempt cannot be sent.
    answer = again.status === -1 && answer.status === 0 ? answer : again
  }
  write({ ...line, ...(answer.id && { membership: answer.id }), status: answer.status, sent })
  if (answer.status <= 0) await wait(20)
  return answer
}

const newName = () => `Account ${crypto.randomUUID()}`
const keyed = () => (chance(0.5) ? { key: crypto.randomUUID() } : {})

/** An invalid change, which must leave nothing. */
async function askTooMuch(membership: string): Promise<void> {
  const { systemId, users } = job
  const path = `/admin/memberships/${membership}`
  const name = newName()
  const unknown = [crypto.randomUUID()]
  await any([
    () => ask('refused', { method: 'PATCH', path, body: { status: 'pending' } }, { membership }),
    () =>
      ask('refused', { method: 'PATCH', path: `${path}/roles`, body: { roles: unknown } }, { membership }),
    () => ask('refused', { method: 'DELETE', path: `/admin/memberships/${crypto.randomUUID()}` }, {}),
    // The account is inserted before the unknown role is detected.
    () =>
      ask(
        'refused',
        {
          method: 'POST',
          path: '/admin/memberships',
          body: { userId: any(users), systemId, accountName: name, roles: unknown },
        },
        { name },
      ),
  ])()
}

/** Changes one membership from creation to deletion; stops at the first unanswered request. */
async function live(): Promise<void> {
  const { systemId, users, roles } = job
  const name = newName()
  const body = { userId: any(users), systemId, accountName: name, roles: [roles[0]] }
  const made = await ask('create', { method: 'POST', path: '/admin/memberships', body, ...keyed() }, { name })
  if (made.status !== 201) return
  const membership = made.id!
  const path = `/admin/memberships/${membership}`
  const now = { blocked: false, role: 0 }
  for (let steps = Math.ceil(Math.random() * 8); steps > 0 && !state.stopping; steps -= 1) {
    if (chance(0.2)) {
      await askTooMuch(membership)
    } else if (chance(0.4)) {
      const role = (now.role + 1) % roles.length
      const changed = await ask(
        'roles',
        { method: 'PATCH', path: `${path}/roles`, body: { roles: [roles[role]] } },
        { membership },
      )
      if (changed.status === 0) return
      if (changed.status === 200) now.role = role
    } else {
      const status = now.blocked ? 'active' : 'blocked'
      const changed = await ask(
        now.blocked ? 'restore' : 'block',
        { method: 'PATCH', path, body: { status } },
        { membership },
      )
      if (changed.status === 0) return
      if (changed.status === 200) now.blocked = status === 'blocked'
    }
  }
  if (chance(0.7)) await ask('delete', { method: 'DELETE', path }, { membership })
}

async function call(): Promise<void> {
  while (!state.stopping) await live()
}

process.on('message', () => {
  state.stopping = true
})
process.on('disconnect', () => process.exit(1)) // the parent process has exited
await Promise.all(Array.from({ length: job.callers }, call))
closeSync(file)
process.exit(0)

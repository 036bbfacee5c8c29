/**
 * How many requests a process executes at the same time for one tenant. The others wait, so that a tenant
 * with many requests leaves time of the processor and connections to the database to other tenants.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { busy, WAIT_MAX, WAITING_MAX } from '../../crypto/gate.ts'
import { startWaiting } from '../../request-time.ts'

/** A second, in ms: how long a tenant keeps its share after its last request. */
const IDLE_AFTER = 1_000

/** `waiting`: the number of its requests that wait. */
type Member = { running: number; waiting: number; seenAt: number; isCounted: boolean }
/** `due`: when its next request begins by the clock of the tenant, which is time that requests have used. */
type Part = Member & {
  due: number
  /** The time of its last request, in ms. */
  usual: number
}
type Waiting = { part: Part; sharer: Sharer; admit(): void }
/** The members that share slots, in the order of their last requests. */
type Circle<Of extends Member> = { members: Map<string, Of>; counted: number }
type Tenant = Member & { parts: Circle<Part>; clock: number; queue: Waiting[] }

/**
 * `isProven`: the request has shown that it is of the tenant, by a valid token. `within`: a part of the
 * tenant, such as an account of a system. `most`: its requests at the same time, whatever its share is.
 */
export type Sharer = { name: string; isProven: boolean; within?: string | undefined; most?: number }

export type Shares = {
  /**
   * Resolves when the tenant has a free slot, which it has until the response is sent or its connection is
   * closed. Throws `unavailable` if too many of its requests wait, or for too long. Call it once the body has
   * arrived: a request that is sent slowly must not occupy a slot.
   */
  take(tenant: Sharer, response: ServerResponse): Promise<void>
}

const newMember = (seenAt: number): Member => ({ running: 0, waiting: 0, seenAt, isCounted: false })
const newCircle = <Of extends Member>(): Circle<Of> => ({ members: new Map(), counted: 0 })

function forgetIdle<Of extends Member>(circle: Circle<Of>, now: number): void {
  for (const [name, { running, waiting, seenAt, isCounted }] of circle.members) {
    if (seenAt > now - IDLE_AFTER) return
    if (running + waiting > 0) continue
    circle.members.delete(name)
    if (isCounted) circle.counted -= 1
  }
}

/** The member of this name, now the last of its circle. */
function seen<Of extends Member>(circle: Circle<Of>, name: string, create: () => Of, now: number): Of {
  const member = circle.members.get(name) ?? create()
  member.seenAt = now
  circle.members.delete(name)
  circle.members.set(name, member)
  return member
}

function count(circle: Circle<Member>, member: Member): void {
  if (!member.isCounted) circle.counted += 1
  member.isCounted = true
}

const shareOf = ({ counted }: Circle<Member>, { isCounted }: Member, slots: number): number =>
  Math.max(1, Math.floor(slots / (isCounted ? counted : counted + 1)))

/**
 * Takes a slot, and returns what gives it back. What a request is going to use is estimated by the request
 * before it, and corrected when it ends.
 */
function begin(tenant: Tenant, part: Part): () => void {
  const { usual } = part
  const begun = performance.now()
  tenant.clock = Math.max(tenant.clock, part.due)
  part.due = tenant.clock + usual
  tenant.running += 1
  part.running += 1
  return () => {
    const used = performance.now() - begun
    tenant.running -= 1
    part.running -= 1
    part.due += used - usual
    part.usual = used
  }
}

/**
 * Divides `slots` evenly among the tenants that have sent a request in the last second, and the slots of a
 * tenant among its parts. Of the parts that wait, the one is next whose requests have used the least time
 * (start-time fair queueing): the cost of requests differs, so turns by their number would be no even share.
 * A tenant or part that is not proven is counted only after a successful response: names that anyone invents
 * take nothing from others. A part alone leaves a slot to the parts that come.
 */
export function createShares(slots: number): Shares {
  const tenants = newCircle<Tenant>()
  const isFree = (tenant: Tenant, part: Part, { within, most = slots }: Sharer) => {
    const own = shareOf(tenants, tenant, slots)
    const left = within === undefined ? own : Math.max(1, own - 1)
    const ofPart = Math.min(left, most, shareOf(tenant.parts, part, own))
    return tenant.running < own && part.running < ofPart
  }
  const admitNext = (tenant: Tenant) => {
    for (;;) {
      const free = tenant.queue.filter(({ part, sharer }) => isFree(tenant, part, sharer))
      if (free.length === 0) return
      const next = free.reduce((one, other) => (other.part.due < one.part.due ? other : one))
      tenant.queue.splice(tenant.queue.indexOf(next), 1)
      next.admit()
    }
  }
  return {
    async take(sharer, response) {
      const now = performance.now()
      forgetIdle(tenants, now)
      const newTenant = (): Tenant => ({ ...newMember(now), parts: newCircle(), clock: 0, queue: [] })
      const tenant = seen(tenants, sharer.name, newTenant, now)
      const { parts } = tenant
      forgetIdle(parts, now)
      const newPart = (): Part => ({ ...newMember(now), due: tenant.clock, usual: 1 })
      const part = seen(parts, sharer.within ?? '', newPart, now)
      const countBoth = () => {
        count(tenants, tenant)
        count(parts, part)
      }
      if (sharer.isProven) countBoth()
      const end = isFree(tenant, part, sharer) ? begin(tenant, part) : await turnOf(tenant, part, sharer)
      const release = () => {
        end()
        admitNext(tenant)
      }
      if (response.closed) release()
      else
        response.once('close', () => {
          if (response.writableFinished && response.statusCode < 400) countBoth()
          release()
        })
    },
  }
}

/** Resolves when the part of the tenant has a free slot, which is then taken, with what gives it back. */
function turnOf(tenant: Tenant, part: Part, sharer: Sharer): Promise<() => void> {
  const { queue } = tenant
  if (part.waiting >= WAITING_MAX) return Promise.reject(busy())
  const { ms, end } = startWaiting(WAIT_MAX)
  const leave = (timer: NodeJS.Timeout) => {
    clearTimeout(timer)
    part.waiting -= 1
    tenant.waiting -= 1
    end()
  }
  part.waiting += 1
  tenant.waiting += 1
  return new Promise((admitted, refused) => {
    const waiting: Waiting = {
      part,
      sharer,
      admit: () => {
        leave(timer)
        admitted(begin(tenant, part))
      },
    }
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiting), 1)
      leave(timer)
      refused(busy())
    }, ms)
    queue.push(waiting)
  })
}

/** Requests of a tenant that take seconds, such as imports. */
const LONG = 2

/** The hook of /admin, behind its guard and once the body has arrived. */
export function shareAdmin(shares: Shares) {
  const long = createShares(LONG)
  return async ({ caller, routeOptions }: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const { share } = routeOptions.config
    const { authority, systemId, accountId } = caller
    const within = authority === 'account' ? (accountId ?? '') : undefined
    const tenant = { name: systemId, isProven: true, within }
    if (share !== 'none') await (share === 'long' ? long : shares).take(tenant, raw)
  }
}

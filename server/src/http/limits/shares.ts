/**
 * How many requests a process executes at the same time for one tenant. The others wait, so that a tenant
 * with many requests leaves time of the processor and connections to the database to other tenants.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { busy, WAIT_MAX, WAITING_MAX } from '../../crypto/gate.ts'
import { startWaiting } from '../../request-time.ts'
import type { Caller } from '../authority.ts'

/** A second, in ms: how long a tenant keeps its share after its last request. */
const IDLE_AFTER = 1_000

/**
 * A tenant, or a part of one. `waiting`: the number of its requests that wait. `due`: when its next request
 * begins by the clock of its circle, which is time that requests have used. `usual`: the time of its last
 * request, in ms.
 */
type Member = {
  running: number
  waiting: number
  seenAt: number
  isCounted: boolean
  due: number
  usual: number
}
type Waiting = { part: Member; sharer: Sharer; admit(): void }
/** The members that share slots, in the order of their last requests. `running`: of those counted. */
type Circle<Of extends Member> = { members: Map<string, Of>; counted: number; running: number; clock: number }
type Tenant = Member & { parts: Circle<Member>; queue: Waiting[] }

/**
 * `isProven`: the request has shown that it is of the tenant, by a valid token. `within`: a part of the
 * tenant, such as an account of a system. `most`: its requests at the same time, whatever its share is.
 * `crowd`: parts of which one sender can have any number. While `most` of them have requests, a request of
 * another one has the share `otherwise`.
 */
export type Sharer = {
  name: string
  isProven: boolean
  within?: string | undefined
  most?: number
  crowd?: { name: string; most: number; otherwise: Sharer }
}

export type Shares = {
  /**
   * Resolves when the tenant has a free slot, which it has until the response is sent or its connection is
   * closed, or until it calls what is returned. Throws `unavailable` if too many of its requests wait, or for
   * too long. Call it once the body has arrived: a request that is sent slowly must not occupy a slot.
   */
  take(tenant: Sharer, response: ServerResponse): Promise<() => void>
}

const newCircle = <Of extends Member>(): Circle<Of> => ({
  members: new Map(),
  counted: 0,
  running: 0,
  clock: 0,
})
const newMember = (seenAt: number, { clock }: Circle<Member>): Member => ({
  running: 0,
  waiting: 0,
  seenAt,
  isCounted: false,
  due: clock,
  usual: 1,
})

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
function begin(circle: Circle<Member>, member: Member): () => void {
  const { usual, isCounted } = member
  const begun = performance.now()
  circle.clock = Math.max(circle.clock, member.due)
  member.due = circle.clock + usual
  member.running += 1
  if (isCounted) circle.running += 1
  return () => {
    const used = performance.now() - begun
    member.running -= 1
    if (isCounted) circle.running -= 1
    member.due += used - usual
    member.usual = used
  }
}

const leastDue = <Of>(some: readonly Of[], memberOf: (one: Of) => Member): Of =>
  some.reduce((one, other) => (memberOf(other).due < memberOf(one).due ? other : one))

/**
 * Divides `slots` evenly among the tenants that have sent a request in the last second, and the slots of a
 * tenant among its parts. Where there are more tenants than slots, each has one, and at most `total` requests
 * of all of them are executed. Of those that wait, the tenant is next whose requests have used the least
 * time, and of its parts likewise (start-time fair queueing): the cost of requests differs, so turns by their
 * number would be no even share. A tenant or part that is not proven is
 * counted only after a successful response: names that anyone invents take nothing from others. A part alone
 * leaves a slot to the parts that come.
 */
export function createShares(slots: number, total = Number.POSITIVE_INFINITY): Shares {
  const tenants = newCircle<Tenant>()
  const inLine = new Set<Tenant>()
  const isOpen = (tenant: Tenant) =>
    tenant.running < shareOf(tenants, tenant, slots) && !(tenant.isCounted && tenants.running >= total)
  const isFree = (tenant: Tenant, part: Member, { within, most = slots }: Sharer) => {
    const own = shareOf(tenants, tenant, slots)
    const left = within === undefined ? own : Math.max(1, own - 1)
    return part.running < Math.min(left, most, shareOf(tenant.parts, part, own)) && isOpen(tenant)
  }
  const beginBoth = (tenant: Tenant, part: Member) => {
    const ends = [begin(tenants, tenant), begin(tenant.parts, part)]
    return () => {
      for (const end of ends) end()
    }
  }
  const admitNext = () => {
    for (;;) {
      const next = [...inLine].filter(isOpen).flatMap((tenant) => {
        const free = tenant.queue.filter(({ part, sharer }) => isFree(tenant, part, sharer))
        return free.length === 0 ? [] : [{ tenant, waiting: leastDue(free, ({ part }) => part) }]
      })
      if (next.length === 0) return
      leastDue(next, ({ tenant }) => tenant).waiting.admit()
    }
  }
  /** Resolves when the part of the tenant has a free slot, which is then taken, with what gives it back. */
  const turnOf = (tenant: Tenant, part: Member, sharer: Sharer): Promise<() => void> => {
    if (part.waiting >= WAITING_MAX) return Promise.reject(busy())
    const { ms, end } = startWaiting(WAIT_MAX)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = () => {
      clearTimeout(timer)
      tenant.queue.splice(tenant.queue.indexOf(waiting), 1)
      if (tenant.queue.length === 0) inLine.delete(tenant)
      part.waiting -= 1
      tenant.waiting -= 1
      end()
    }
    const waiting: Waiting = {
      part,
      sharer,
      admit: () => {
        leave()
        resolve(beginBoth(tenant, part))
      },
    }
    const timer = setTimeout(() => {
      leave()
      reject(busy())
    }, ms)
    part.waiting += 1
    tenant.waiting += 1
    tenant.queue.push(waiting)
    inLine.add(tenant)
    return promise
  }
  const crowds = new Map<string, Map<string, number>>()
  /** Counts a request of a part of a crowd until it gives its slot back. Undefined if these are too many. */
  const join = ({ name, most }: NonNullable<Sharer['crowd']>, part: string): (() => void) | undefined => {
    const crowd = crowds.get(name) ?? new Map<string, number>()
    if (!crowd.has(part) && crowd.size >= most) return undefined
    crowds.set(name, crowd.set(part, (crowd.get(part) ?? 0) + 1))
    return () => {
      const left = crowd.get(part)! - 1
      if (left > 0) crowd.set(part, left)
      else crowd.delete(part)
      if (crowd.size === 0) crowds.delete(name)
    }
  }
  return {
    async take(given, response) {
      const { crowd } = given
      const leaveCrowd = crowd && join(crowd, given.within ?? '')
      const sharer = crowd && !leaveCrowd ? crowd.otherwise : given
      const now = performance.now()
      forgetIdle(tenants, now)
      const newTenant = (): Tenant => ({ ...newMember(now, tenants), parts: newCircle(), queue: [] })
      const tenant = seen(tenants, sharer.name, newTenant, now)
      const { parts } = tenant
      forgetIdle(parts, now)
      const part = seen(parts, sharer.within ?? '', () => newMember(now, parts), now)
      const countBoth = () => {
        count(tenants, tenant)
        count(parts, part)
      }
      if (sharer.isProven) countBoth()
      const end = isFree(tenant, part, sharer)
        ? beginBoth(tenant, part)
        : await turnOf(tenant, part, sharer).catch((error: unknown) => {
            leaveCrowd?.()
            throw error
          })
      let isGiven = false
      const giveBack = () => {
        if (isGiven) return
        isGiven = true
        end()
        leaveCrowd?.()
        admitNext()
      }
      if (response.closed) giveBack()
      else
        response.once('close', () => {
          if (response.writableFinished && response.statusCode < 400) countBoth()
          giveBack()
        })
      return giveBack
    },
  }
}

/** Requests of a tenant that take seconds, such as imports. */
const LONG = 2

/** The system of a caller, and within it the account of an account admin. */
export const sharerOf = ({
  authority,
  systemId,
  accountId,
}: Pick<Caller, 'authority' | 'systemId' | 'accountId'>): Sharer => ({
  name: systemId,
  isProven: true,
  within: authority === 'account' ? (accountId ?? '') : undefined,
})

/** The hook of /admin, behind its guard and once the body has arrived. */
export function shareAdmin(shares: Shares) {
  const long = createShares(LONG)
  return async ({ caller, routeOptions }: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const { share } = routeOptions.config
    if (share !== 'none') await (share === 'long' ? long : shares).take(sharerOf(caller), raw)
  }
}

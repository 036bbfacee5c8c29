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

type Tenant = { running: number; waiting: (() => void)[]; seenAt: number; isCounted: boolean }

/** `isProven`: the request has shown that it is of the tenant, by a valid token. */
export type Sharer = { name: string; isProven: boolean }

export type Shares = {
  /**
   * Resolves when the tenant has a free slot, which it has until the response is sent or its connection is
   * closed. Throws `unavailable` if too many of its requests wait, or for too long. Call it once the body has
   * arrived: a request that is sent slowly must not occupy a slot.
   */
  take(tenant: Sharer, response: ServerResponse): Promise<void>
}

/**
 * Divides `slots` evenly among the tenants that have sent a request in the last second. A tenant that is not
 * proven is counted only after a successful response: names that anyone invents take nothing from others.
 */
export function createShares(slots: number): Shares {
  /** In the order of their last requests. */
  const tenants = new Map<string, Tenant>()
  let counted = 0
  const count = (tenant: Tenant) => {
    if (!tenant.isCounted) counted += 1
    tenant.isCounted = true
  }
  const forgetIdle = (now: number) => {
    for (const [name, { running, seenAt, isCounted }] of tenants) {
      if (seenAt > now - IDLE_AFTER) return
      if (running > 0) continue
      tenants.delete(name)
      if (isCounted) counted -= 1
    }
  }
  const hasSlot = ({ running, isCounted }: Tenant) =>
    running < Math.max(1, Math.floor(slots / (isCounted ? counted : counted + 1)))
  const release = (tenant: Tenant) => {
    tenant.running -= 1
    while (hasSlot(tenant) && tenant.waiting.length > 0) tenant.waiting.shift()!()
  }
  return {
    async take({ name, isProven }, response) {
      const now = performance.now()
      forgetIdle(now)
      const tenant = tenants.get(name) ?? { running: 0, waiting: [], seenAt: now, isCounted: false }
      tenant.seenAt = now
      if (isProven) count(tenant)
      tenants.delete(name)
      tenants.set(name, tenant)
      if (hasSlot(tenant)) tenant.running += 1
      else await turnOf(tenant)
      if (response.closed) release(tenant)
      else
        response.once('close', () => {
          if (response.writableFinished && response.statusCode < 400) count(tenant)
          release(tenant)
        })
    },
  }
}

/** Resolves when the tenant has a free slot, which is then taken. */
function turnOf(tenant: Tenant): Promise<void> {
  const { waiting } = tenant
  if (waiting.length >= WAITING_MAX) return Promise.reject(busy())
  const { ms, end } = startWaiting(WAIT_MAX)
  return new Promise((admitted, refused) => {
    const admit = () => {
      clearTimeout(timer)
      end()
      tenant.running += 1
      admitted()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(admit), 1)
      end()
      refused(busy())
    }, ms)
    waiting.push(admit)
  })
}

/** Requests of a tenant that take seconds, such as imports. */
const LONG = 2

/** The hook of /admin, behind its guard and once the body has arrived. */
export function shareAdmin(shares: Shares) {
  const long = createShares(LONG)
  return async ({ caller, routeOptions }: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const { share } = routeOptions.config
    const tenant = { name: caller.systemId, isProven: true }
    if (share !== 'none') await (share === 'long' ? long : shares).take(tenant, raw)
  }
}

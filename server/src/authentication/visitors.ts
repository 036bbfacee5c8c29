/**
 * Whose share of the slots the request of a browser takes (http/limits/shares.ts): a page is requested before
 * anyone is known to have sent it, and by users of any system.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import { siteOf } from '../http/ip-address.ts'
import type { Sharer, Shares } from '../http/limits/shares.ts'
import { knownBrowser } from './known-devices.ts'

/** Requests of one browser at the same time. */
const OF_BROWSER = 2
/**
 * Known browsers of one network at the same time: a user can sign in in any number of browsers, which would
 * take the share of all others.
 */
const OF_SITE = 8

type Parts = { config: Config; seal: Seal }
type Visitor = { ip: string; cookieOf(name: string): string | undefined }

/**
 * The browser in which a user has signed in before, otherwise the network. All known browsers together have
 * as much as all networks: whoever has many networks takes nothing from known browsers. Of many known
 * browsers of one network at the same time, others are a part of that network.
 */
export function visitorOf(parts: Parts, { ip, cookieOf }: Visitor): Sharer {
  const browser = knownBrowser(parts, cookieOf)
  const site = siteOf(ip)
  const ofNetwork = { name: 'networks', isProven: false, within: site ?? '' }
  if (browser === undefined) return ofNetwork
  const crowd = site === undefined ? undefined : { name: site, most: OF_SITE, otherwise: ofNetwork }
  return { name: 'browsers', isProven: false, within: browser, most: OF_BROWSER, ...(crowd && { crowd }) }
}

/** The hook of pages with cookies, once the body has arrived. */
export const shareVisits =
  (shares: Shares, parts: Parts) =>
  async ({ ip, cookies, waitingTime }: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const giveBack = await shares.take(visitorOf(parts, { ip, cookieOf: (name) => cookies[name] }), raw)
    if (waitingTime) waitingTime.giveBackSlot = giveBack
  }

/**
 * Which applications the sign-ins of this browser were for. The protocol library deletes a sign-in when it
 * ends, and its page may be opened later: from the history, a bookmark, or another tab. A cookie names the
 * application then, so that the page leads back to it. It is not trusted with more: the page shows what the
 * registered application has.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { cookieAttributes, cookieName } from '../../http/forms-and-cookies.ts'
import { ACCOUNT_CLIENT_ID } from './client.ts'

/** 30 days, in seconds. */
const LIFETIME = 2_592_000
/** Steps of sign-ins; each has an address. */
const STEPS_MAX = 16
/** The first characters of an id of 43: enough to tell the steps of one browser apart. */
const MARK = /^[\w-]{8}/

/** `first step . second step : client id`, for each application. */
type Known = Map<string, string[]>

const nameOf = (config: Config) => cookieName(config, '__Host-', 'applications')
const uidMarkOf = (uid: string): string | undefined => MARK.exec(uid)?.[0]

function knownOf(config: Config, { cookies }: FastifyRequest): Known {
  const parts = (cookies[nameOf(config)] ?? '').split('~').map((part) => part.split(':', 2))
  return new Map(
    parts.flatMap(([steps, clientId]) => (steps && clientId ? [[clientId, steps.split('.')]] : [])),
  )
}

/** Remembers the application of a step. */
export function keepClient(
  config: Config,
  request: FastifyRequest,
  reply: FastifyReply,
  { uid, clientId }: { uid: string; clientId: string },
): void {
  const mark = uidMarkOf(uid)
  const encoded = encodeURIComponent(clientId).replaceAll('~', '%7E')
  if (mark === undefined || clientId === ACCOUNT_CLIENT_ID) return
  const known = knownOf(config, request)
  const own = known.get(encoded) ?? []
  if (own.includes(mark)) return
  known.delete(encoded)
  let left = STEPS_MAX
  const newest: [string, string[]][] = [[encoded, [mark, ...own]], ...known]
  const kept = newest.flatMap(([client, steps]) => {
    const some = steps.slice(0, left)
    left -= some.length
    return some.length > 0 ? [`${some.join('.')}:${client}`] : []
  })
  reply.setCookie(nameOf(config), kept.join('~'), { ...cookieAttributes(config, '/'), maxAge: LIFETIME })
}

/** The client id of a step that this browser has opened. */
export function clientOfStep(config: Config, request: FastifyRequest, uid: string): string | undefined {
  const mark = uidMarkOf(uid)
  if (mark === undefined) return undefined
  const [found] = [...knownOf(config, request)].find(([, steps]) => steps.includes(mark)) ?? []
  try {
    return found === undefined ? undefined : decodeURIComponent(found)
  } catch {
    return undefined // not written by us
  }
}

/**
 * Who may read the outbox: its emails contain links and codes with which a reader signs in as any user. So it
 * is for the machine of a developer: the start prints a link with a key, or an administrator of the platform
 * is signed in to the console. A tunnel to that machine is another host.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { isPublic } from '../config/warnings.ts'
import { type ConsoleParts, isPlatformAdmin } from '../console/guard.ts'
import { sameText } from '../crypto/seal.ts'
import { isLocalName } from '../http/host-addresses.ts'
import { parseIpAddress } from '../http/ip-address.ts'

export const COOKIE = '_outbox'

/**
 * The issuer has the scheme http, which BASE_URL can have on a loopback address only, and no SMTP server is
 * set.
 */
export const hasOutbox = (config: Pick<Config, 'MAIL_URL' | 'BASE_URL'>): boolean =>
  config.MAIL_URL === undefined && !isPublic(config)

const isLoopback = (hostname: string): boolean =>
  isLocalName(hostname) || parseIpAddress(hostname.replace(/^\[|\]$/g, ''))?.range() === 'loopback'

/** Undefined for a text that is no host. */
function hostnameOf(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined
}

/**
 * Whether the request was sent to the issuer itself: by its Host, which a page that has rebound its name does
 * not have, or through a proxy of TRUST_PROXY whose own host is a loopback address.
 */
export function isSentHere(request: FastifyRequest, { BASE_URL }: Pick<Config, 'BASE_URL'>): boolean {
  const { headers, ips } = request
  if (headers.forwarded !== undefined) return false
  const isForwarded = Object.keys(headers).some((name) => name.startsWith('x-forwarded-'))
  if (!isForwarded) return headers.host === new URL(BASE_URL).host
  const isTrusted = (ips?.length ?? 0) > 1
  const hostname = hostnameOf(request.host)
  return isTrusted && hostname !== undefined && isLoopback(hostname)
}

export const isKey = (given: unknown, key: string): boolean =>
  typeof given === 'string' && sameText(given, key)

/** Whether the browser has opened the printed link, or an administrator of the platform uses it. */
export async function mayReadOutbox(
  parts: ConsoleParts,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  return (
    isKey(request.cookies[COOKIE], key) || (parts.config.CONSOLE && isPlatformAdmin(parts, request, reply))
  )
}

import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a form comes from our own page, by the headers that browsers set (Fetch metadata; Origin, RFC 6454
 * section 7).
 */
export function isSameOrigin({ headers }: { headers: IncomingHttpHeaders }, baseUrl: string): boolean {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (origin === undefined || origin === baseUrl)
  )
}

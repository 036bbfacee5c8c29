/** Forms that only our own pages may send. */
import type { IncomingHttpHeaders } from 'node:http'
import { type Seal, sameText } from '../crypto/seal.ts'
import { isSameOrigin } from './same-origin.ts'

/** Good for one sign-in: nobody else knows the key, and the sign-in's id is in a cookie of one browser. */
export const csrfToken = (seal: Seal, uid: string): string => seal.hash(uid, 'csrf').toString('base64url')

type Sent = { headers: IncomingHttpHeaders; body?: unknown }

/**
 * Whether a POST comes from our own page: its origin by what browsers say (Fetch metadata, Origin), and for a form the
 * token of its sign-in. JSON needs no token: another origin can't send it without asking, and nobody answers.
 */
export function isOwnForm(sent: Sent, baseUrl: string, token: string): boolean {
  if (!isSameOrigin(sent, baseUrl)) return false
  if (isJson(sent)) return true
  const given = (sent.body as { csrf?: unknown } | undefined)?.csrf
  return typeof given === 'string' && sameText(given, token)
}

const isJson = ({ headers }: Sent) =>
  String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('application/json')

/** Whether the caller draws its own screens: it asks for JSON and not for a page. */
export const wantsJson = ({ headers }: Sent): boolean =>
  /\bapplication\/json\b/i.test(String(headers.accept ?? '')) &&
  !/\btext\/html\b/i.test(String(headers.accept ?? ''))

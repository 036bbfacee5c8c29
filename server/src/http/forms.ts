/** Forms that only our own pages may send. */
import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { type Seal, sameText } from '../crypto/seal.ts'
import { isSameOrigin } from './same-origin.ts'

/** Good for one sign-in: nobody else knows the key, and the sign-in's id is in a cookie of one browser. */
export const csrfToken = (seal: Seal, uid: string): string => seal.hash(uid, 'csrf').toString('base64url')

type Sent = { headers: IncomingHttpHeaders; body?: unknown }

/**
 * Whether a POST comes from our own page: its origin by what browsers say (Fetch metadata,
 * Origin), and for a form the token of its sign-in. JSON needs no token: another origin can't
 * send it without asking, and nobody answers.
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

/** Whether the client renders its own screens: its `Accept` prefers JSON to HTML. Wildcards mean HTML. */
export function wantsJson({ headers }: Sent): boolean {
  const accepted = new Negotiator({ headers }).mediaTypes() // most preferred first, without parameters
  return (
    accepted.find((type) => /^(application\/json|text\/html)$/i.test(type))?.toLowerCase() ===
    'application/json'
  )
}

/** Forms that only our own pages may send. */
import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { type Seal, sameText } from '../crypto/seal.ts'
import { isSameOrigin } from './same-origin.ts'

/** The CSRF token of a sign-in: a keyed hash of its id, which a cookie binds to one browser. */
export const csrfToken = (seal: Seal, uid: string): string => seal.hash(uid, 'csrf').toString('base64url')

type Sent = { headers: IncomingHttpHeaders; body?: unknown }

/**
 * Whether a POST comes from our own page: checks its origin (Fetch metadata, Origin) and, for a form, the
 * CSRF token of the sign-in. JSON needs no token: a page of another origin could send it only after a CORS
 * preflight, which is not allowed here.
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

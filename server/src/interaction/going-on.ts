/**
 * Whether the page of one connection goes on to its provider without a click. A foreign page can lead a
 * browser to a sign-in, so that something else has to say that the user wants it.
 */
import { usedConnections } from '../authentication/used-connections.ts'
import { cookieAttributes, cookieName, wantsJson } from '../http/forms-and-cookies.ts'
import type { SignInStep } from '../oidc/interaction.ts'
import type { OfferedConnection } from '../ui/pages/connection-sign-in.ts'
import type { ConnectionOffer } from './elsewhere.ts'

/** Seconds, in which the user can choose another way. */
const DELAY = 3
/** Authorizations of a browser that have gone on, the last one first. */
const MARKS_MAX = 10

/** Whether the sign-in is meant to go by this connection: the request names it. */
const isMeant = ({ interaction: { params } }: SignInStep, { id }: OfferedConnection): boolean =>
  params.connection === id

type Asked = { offers?: boolean; errors?: object }

/**
 * The connection to which the page goes on: the only one that is offered, and the one that is meant. The user
 * has asked for it in this sign-in (`offers`), or has signed in by it in this browser before. Once in an
 * authorization: whoever comes back chooses, and nothing loops.
 */
export function connectionToGoOn(
  step: SignInStep,
  { connections, isPage }: Pick<ConnectionOffer, 'connections' | 'isPage'>,
  { offers, errors }: Asked,
): OfferedConnection | undefined {
  const { parts, request } = step
  const [only, ...others] = connections
  if (!isPage || !only || others.length > 0 || errors || wantsJson(request)) return undefined
  if (!isMeant(step, only) || marksOf(step).includes(markOf(step))) return undefined
  return offers === true || usedConnections(parts, request).includes(only.id) ? only : undefined
}

/** The answer is a page that goes on. A header, so that no page has a tag that leads away. */
export function goOn(step: SignInStep, { url }: OfferedConnection): void {
  const { parts, reply } = step
  const marks = [markOf(step), ...marksOf(step)].slice(0, MARKS_MAX)
  const attributes = {
    ...cookieAttributes(parts.config, '/interaction'),
    maxAge: parts.config.TTL_INTERACTION,
  }
  reply.header('refresh', `${DELAY}; url=${url}`)
  reply.setCookie(nameOf(step), marks.join('.'), attributes)
}

const nameOf = ({ parts }: SignInStep) => cookieName(parts.config, '__Secure-', 'gone_on')

const marksOf = (step: SignInStep): string[] => (step.request.cookies[nameOf(step)] ?? '').split('.')

/** The library gives each authorization an id, which its steps share. */
const markOf = ({ parts, interaction: { cid } }: SignInStep): string =>
  parts.seal.hash(cid, 'gone-on').subarray(0, 12).toString('base64url')

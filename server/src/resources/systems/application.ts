/** What our pages show of an application: its name and brand, its addresses, and the way on to it. */
import type { Config } from '../../config/config.ts'
import type { Brand } from '../../texts/brand.ts'
import { addressFault, originOf } from './redirect-uris.ts'

/** Named as RFC 7591 section 2 and OpenID Connect Core section 4 name them; the last one is our own. */
export const APPLICATION_ADDRESSES = [
  'clientUri',
  'initiateLoginUri',
  'policyUri',
  'tosUri',
  'supportUri',
] as const
export type Addresses = Record<(typeof APPLICATION_ADDRESSES)[number], string | null>

export const addressesOf = ({
  clientUri,
  initiateLoginUri,
  policyUri,
  tosUri,
  supportUri,
}: Addresses): Addresses => ({ clientUri, initiateLoginUri, policyUri, tosUri, supportUri })

export type Application = Brand &
  Addresses & { id: string; clientId: string; redirectUris: readonly string[] }

type Issuer = Pick<Config, 'BASE_URL'>

/**
 * An address as a page may lead to it. It is checked again when it is shown: a row may be older than a rule,
 * or written while the issuer was a loopback address.
 */
const shown = (issuer: Issuer, uri: string | null): string | undefined =>
  uri !== null && addressFault(uri, issuer.BASE_URL) === undefined ? uri : undefined

/** The links at the foot of the pages of an application. */
export type FootLinks = { terms?: string; privacy?: string; help?: string }

export function footLinksOf(issuer: Issuer, { tosUri, policyUri, supportUri }: Addresses): FootLinks {
  const found = { terms: tosUri, privacy: policyUri, help: supportUri }
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, uri]) => (shown(issuer, uri) ? [[name, uri]] : [])),
  )
}

/** Where users get help with an application. */
export const supportOf = (
  issuer: Issuer,
  { supportUri }: Pick<Addresses, 'supportUri'>,
): string | undefined => shown(issuer, supportUri)

/** Whether a page of an application has the origin of one of its redirect URIs: that of the application. */
export const isOnOwnOrigin = (uri: string, redirectUris: readonly string[]): boolean =>
  redirectUris.some((each) => originOf(each) === originOf(uri))

/**
 * Whom a sign-in is for (OpenID Connect Core section 4). `loginHint`: only an address that the system may
 * read.
 */
export type Known = { loginHint?: string | undefined; accountId?: string; connection?: string }
export type Way = Known & {
  /** Wins over `initiateLoginUri` after an invitation. */
  invitationUri?: string | null
}

/** An address that starts a sign-in, with what it is given; undefined if it must not be shown. */
function startOf(
  issuer: Issuer,
  { redirectUris }: Application,
  uri: string | null,
  { loginHint, accountId, connection }: Known,
): string | undefined {
  const found = shown(issuer, uri)
  if (found === undefined || !isOnOwnOrigin(found, redirectUris)) return undefined
  const url = new URL(found)
  const given = { iss: issuer.BASE_URL, login_hint: loginHint, account_id: accountId, connection }
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

/** The page of an application that starts its sign-in. */
export const startHref = (issuer: Issuer, application: Application, known: Known): string | undefined =>
  startOf(issuer, application, application.initiateLoginUri, known)

/**
 * The way on to an application from an end of a flow: the page that starts its sign-in, else its home page.
 * Undefined without either: the user's own pages are the way on.
 */
export const wayOnHref = (
  issuer: Issuer,
  application: Application,
  { invitationUri = null, ...known }: Way = {},
): string | undefined =>
  startOf(issuer, application, invitationUri, known) ??
  startOf(issuer, application, application.initiateLoginUri, known) ??
  shown(issuer, application.clientUri)

/** What a provider of an organization states about a person, read from its claims. */
import { storedAddress } from '../../email-address.ts'
import type { OidcConfigured } from '../../resources/connections/configured.ts'
import { claimText, isText, shortened } from '../../text.ts'
import { localeIn } from '../identity.ts'

const SUBJECT_MAX = 255
const GROUPS_MAX = 200
const GROUP_MAX = 256

type Claims = Record<string, unknown>
type Rules = Pick<
  OidcConfigured,
  'subjectAttribute' | 'requiredClaims' | 'closedIssuer' | 'groupAttribute' | 'mfaAcr'
>

export type Assertion = {
  /** Null: the claim is missing, or is no text. */
  subject: string | null
  /** The required claims that are missing or differ. */
  missing: string[]
  email: string | null
  /** Whether the provider vouches for the address; `guest`: of a person of another organization. */
  address: 'verified' | 'unverified' | 'guest'
  /** The claim `hd`, if the connection requires it: people of several organizations use the issuer. */
  hostedDomain: string | null
  name: string | null
  givenName: string | null
  familyName: string | null
  locale: string | null
  /** `overage`: there are too many, and the claim refers elsewhere. Null: the connection reads none. */
  groups: string[] | 'overage' | null
  /** A second factor was reported. */
  mfa: boolean
  /** When the provider has authenticated the person, in seconds since 1970; null: not stated. */
  authTime: number | null
}

/** `stated`: the claims of the ID token; `all`: with those of the userinfo endpoint. */
export function assertionOf(rules: Rules, { stated, all }: { stated: Claims; all: Claims }): Assertion {
  const authTime = stated.auth_time
  return {
    subject: subjectOf(stated[rules.subjectAttribute]),
    missing: Object.entries(rules.requiredClaims)
      .filter(([name, wanted]) => !isAmong(stated[name], wanted))
      .map(([name]) => name),
    ...addressOf(all, rules),
    hostedDomain: hostedDomainOf(stated, rules),
    name: claimText(all.name),
    givenName: claimText(all.given_name),
    familyName: claimText(all.family_name),
    locale: localeIn(all.locale),
    groups: rules.groupAttribute === null ? null : groupsOf(all, rules.groupAttribute),
    mfa: hasSecondFactor(stated, rules.mfaAcr),
    authTime: isTime(authTime) ? authTime : null,
  }
}

const hostedDomainOf = ({ hd }: Claims, { requiredClaims }: Rules): string | null =>
  requiredClaims.hd !== undefined && typeof hd === 'string' ? hd.toLowerCase() : null

/** The last second of a JavaScript date. */
const TIME_MAX = 8_640_000_000_000

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= TIME_MAX

function subjectOf(value: unknown): string | null {
  const isSubject = typeof value === 'string' && value !== '' && value.length <= SUBJECT_MAX && isText(value)
  return isSubject ? value : null
}

const isAmong = (value: unknown, wanted: string[]) => typeof value === 'string' && wanted.includes(value)

const addressIn = (value: unknown): string | null =>
  typeof value === 'string' ? (storedAddress(value) ?? null) : null

const YES = new Set<unknown>([true, 1, '1', 'true'])

/**
 * What a provider says of the claim `email` is not said of a name for the login, which people can choose at
 * some: that is an address only where there is no `email`, and is verified by nobody.
 */
function addressOf(claims: Claims, rules: Rules): Pick<Assertion, 'email' | 'address'> {
  const verdict = verdictOf(claims, rules)
  if (claims.email !== undefined && claims.email !== null)
    return { email: addressIn(claims.email), address: verdict }
  const email = [claims.preferred_username, claims.upn].map(addressIn).find((each) => each !== null)
  return { email: email ?? null, address: verdict === 'guest' ? 'guest' : 'unverified' }
}

/** Entra ID: `acct` of 1 is a guest; `xms_edov` says whether the owner of the domain is known. */
function verdictOf(claims: Claims, { closedIssuer }: Rules): Assertion['address'] {
  const { email_verified: verified, acct, xms_edov: owned } = claims
  if (acct === 1 || acct === '1') return 'guest'
  const isDenied = verified === false || (owned !== undefined && !YES.has(owned))
  if (isDenied) return 'unverified'
  return verified === true || YES.has(owned) || closedIssuer ? 'verified' : 'unverified'
}

function groupsOf(claims: Claims, attribute: string): string[] | 'overage' {
  const { _claim_names: elsewhere } = claims
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, attribute))
    return 'overage'
  const given = [Object.hasOwn(claims, attribute) ? claims[attribute] : []].flat()
  const texts = given.filter(
    (each): each is string => typeof each === 'string' && each !== '' && isText(each),
  )
  return texts.length > GROUPS_MAX ? 'overage' : texts.map((each) => shortened(each, GROUP_MAX))
}

/** Values of `amr` (RFC 8176) by what they prove. */
const KNOWN = ['pwd', 'pin']
const OWNED = ['otp', 'hwk', 'swk']
const BODY = ['fpt', 'face']

/** A mailed code is no second factor: beside `email`, `otp` does not count. */
function hasSecondFactor({ amr, acr }: Claims, mfaAcr: string[]): boolean {
  if (typeof acr === 'string' && mfaAcr.includes(acr)) return true
  const methods = Array.isArray(amr) ? amr.filter((each) => typeof each === 'string') : []
  if (methods.includes('mfa')) return true
  const isMailed = methods.includes('email')
  const kinds = [KNOWN, OWNED.filter((each) => each !== 'otp' || !isMailed), BODY]
  return kinds.filter((kind) => kind.some((each) => methods.includes(each))).length > 1
}

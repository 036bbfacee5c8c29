/** The user that another identity provider has authenticated, with the claims that Tenantry uses. */

import { storedAddress } from '../email-address.ts'
import { Failure } from '../errors.ts'
import { claimText, isText } from '../text.ts'

export type ProviderPerson = {
  /** The claim `iss` of the verified ID token; a text of our own for GitHub. */
  issuer: string
  /** It never changes and is unique for the issuer. */
  subject: string
  email: string | null
  /** Whether the provider has verified the address. */
  emailVerified: boolean
  /** The domain of the organization that manages the account at Google (claim `hd`). */
  hostedDomain: string | null
  name: string | null
  givenName: string | null
  familyName: string | null
  locale: string | null
}

const ISSUER_MAX = 1_000
const SUBJECT_MAX = 255

const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,5}$/

/** A language tag (BCP 47) whose language has two or three letters. */
export const localeIn = (value: unknown): string | null =>
  typeof value === 'string' && LOCALE.test(value) ? value : null

/** Reads the claims of OpenID Connect Core section 5.1. Only the boolean true is a verified address. */
export function personOf(claims: Record<string, unknown>): ProviderPerson {
  const { iss, sub, email, email_verified: verified } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_MAX || !isText(sub))
    throw new Failure('provider_answer_invalid', { detail: 'The response does not contain a valid subject.' })
  if (typeof iss !== 'string' || iss === '' || iss.length > ISSUER_MAX || !isText(iss))
    throw new Failure('provider_answer_invalid', { detail: 'The response does not contain a valid issuer.' })
  const address = typeof email === 'string' ? storedAddress(email) : undefined
  return {
    issuer: iss,
    subject: sub,
    email: address ?? null,
    emailVerified: address !== undefined && verified === true,
    hostedDomain: typeof claims.hd === 'string' ? claims.hd.toLowerCase() : null,
    name: claimText(claims.name),
    givenName: claimText(claims.given_name),
    familyName: claimText(claims.family_name),
    locale: localeIn(claims.locale),
  }
}

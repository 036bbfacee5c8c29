/** Whom another identity provider has signed in, as far as we make use of what it says. */

import { Failure } from '../errors.ts'
import { Email } from '../http/shapes.ts'
import { fits } from '../tuning/compiled.ts'

export type Person = {
  /** Never changes and is nobody else's at the same provider. */
  subject: string
  email: string | null
  /** Whether the provider says that the address is the person's. */
  emailVerified: boolean
  name: string | null
  givenName: string | null
  familyName: string | null
  locale: string | null
}

const SUBJECT_MAX = 255
const TEXT_MAX = 100

/** Control characters are no part of a name, nor what turns the direction of writing. */
const textOf = (value: unknown): string | null =>
  (typeof value === 'string' &&
    value
      .replace(/[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
      .trim()
      .slice(0, TEXT_MAX)) ||
  null

/** Of claims as OpenID Connect Core section 5.1 names them. Only the boolean true is a verified address. */
export function personOf(claims: Record<string, unknown>): Person {
  const { sub, email, email_verified: verified } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_MAX || sub.includes('\0'))
    throw new Failure('provider_answer_invalid', { detail: 'The answer does not say who the person is.' })
  const address = typeof email === 'string' ? email.normalize('NFC') : undefined
  const known = address !== undefined && fits(Email, address)
  return {
    subject: sub,
    email: known ? address : null,
    emailVerified: known && verified === true,
    name: textOf(claims.name),
    givenName: textOf(claims.given_name),
    familyName: textOf(claims.family_name),
    locale:
      typeof claims.locale === 'string' && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(claims.locale)
        ? claims.locale
        : null,
  }
}

/** The fields of registration, joining a system, and a forgotten password. */

import { ADDRESS_MAX, addressKey, storedAddress } from '../email-address.ts'
import { fits } from '../http/schema-compilers.ts'
import { Name } from '../http/schemas.ts'
import type { KeyOf } from '../texts/message.ts'
import type { Texts } from '../texts/texts.ts'
import { readNewPassword } from './new-password.ts'

type Body = { [Field in 'email' | 'name' | 'accountName']?: unknown } | undefined
type Faults<Field extends string> = { [Name in Field]?: KeyOf<Texts> }

/** A typed text, trimmed and on one line. */
export const oneLine = (typed: string): string => typed.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** The text in one line; undefined if empty. */
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' && oneLine(value)) || undefined

const typedAddress = (body: unknown): string => {
  const given = (body as Body)?.email
  return typeof given === 'string' ? given.trim() : ''
}

type Address = { email: string } | { typed: string; fault: KeyOf<Texts> }

/** An address in its stored form. */
export function readAddress(body: unknown): Address {
  const typed = typedAddress(body)
  if (typed === '') return { typed, fault: 'emailMissing' }
  const email = storedAddress(typed)
  return email === undefined ? { typed: typed.slice(0, ADDRESS_MAX), fault: 'emailInvalid' } : { email }
}

/** The address of a sign-in. One that has no stored form is handled as one that has no user. */
export function readSignInAddress(body: unknown): Address {
  const typed = typedAddress(body)
  const plausible = typed.length <= ADDRESS_MAX && typed.includes('@') && !typed.includes('\0')
  return plausible ? { email: addressKey(typed) } : readAddress(body)
}

/** The name of a new account with several members; null in a system with personal accounts. */
export function readAccountName(
  body: unknown,
  multiAccount: boolean,
): { accountName: string | null } | { fault: KeyOf<Texts> } {
  const accountName = textOf((body as Body)?.accountName)
  if (!multiAccount) return { accountName: null }
  if (accountName === undefined) return { fault: 'organizationNameMissing' }
  return fits(Name, accountName) ? { accountName } : { fault: 'nameLong' }
}

/** The optional name of a new user. */
export function readPersonName(
  body: unknown,
): { name: string | null } | { typed: string; fault: KeyOf<Texts> } {
  const typed = textOf((body as Body)?.name)
  if (typed === undefined) return { name: null }
  const isFit: boolean = fits(Name, typed)
  return isFit ? { name: typed } : { typed: typed.slice(0, 254), fault: 'nameLong' }
}

export type Registrant = { email: string; password: string; name: string | null; accountName: string | null }
export type RegistrantValues = { email?: string; name?: string; accountName?: string }
export type RegistrantFaults = Faults<'email' | 'password' | 'passwordAgain' | 'name' | 'accountName'>

/** The fields of a registration, or their errors. Other fields are ignored. */
export function readRegistrant(
  body: unknown,
  { multiAccount, minLength }: { multiAccount: boolean; minLength: number },
): Registrant | { values: RegistrantValues; errors: RegistrantFaults } {
  const address = readAddress(body)
  const chosen = readNewPassword(body, minLength)
  const account = readAccountName(body, multiAccount)
  const named = readPersonName(body)
  const errors: RegistrantFaults = {
    ...('fault' in address && { email: address.fault }),
    ...('errors' in chosen && chosen.errors),
    ...('fault' in named && { name: named.fault }),
    ...('fault' in account && { accountName: account.fault }),
  }
  if (!('fault' in address) && !('errors' in chosen) && !('fault' in account) && !('fault' in named))
    return { ...address, ...chosen, ...account, ...named }
  const typed = {
    email: 'fault' in address ? address.typed : address.email,
    name: textOf((body as Body)?.name),
    accountName: textOf((body as Body)?.accountName),
  }
  const values = Object.entries(typed).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, text.slice(0, 254)]],
  )
  return { values: Object.fromEntries(values), errors }
}

/** The fields of a profile besides name, language and phone number, as applications receive them. */
import { textOf } from '../../parts/Form.tsx'
import { texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

export const PROFILE = [
  'givenName',
  'familyName',
  'middleName',
  'nickname',
  'preferredUsername',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
] as const
export const ADDRESS = ['streetAddress', 'postalCode', 'locality', 'region', 'country', 'formatted'] as const

/** The name of a part of the address in a form: errors have its path. */
export const partOf = (part: (typeof ADDRESS)[number]) => `address/${part}` as const

/** What a form changes. The address is replaced as a whole. */
export function profileChanges(data: FormData, user: User) {
  const changed = PROFILE.map((field) => [field, textOf(data, field) ?? null] as const).filter(
    ([field, value]) => value !== (user[field] ?? null),
  )
  const parts = ADDRESS.map((part) => [part, textOf(data, partOf(part))] as const)
  const isMoved = parts.some(([part, value]) => value !== user.address?.[part])
  const given = parts.filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(changed),
    ...(isMoved && { address: given.length > 0 ? Object.fromEntries(given) : null }),
  }
}

/** The fields that the user has, with their names. */
export function profileFacts(user: User): [string, string][] {
  const t = texts.users.fields
  const { formatted, streetAddress, postalCode, locality, region, country } = user.address ?? {}
  const address =
    formatted ?? [streetAddress, postalCode, locality, region, country].filter(Boolean).join(', ')
  return [...PROFILE.map((field): [string, string] => [t[field], user[field] ?? '']), [t.address, address]]
}

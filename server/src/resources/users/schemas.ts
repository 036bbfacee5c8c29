/** The JSON of a user, for every operation that takes or returns one. */
import { type Static, type TString, Type } from 'typebox'
import { HASH_MAX_LENGTH, hashFault } from '../../crypto/imported-hashes.ts'
import { asImported, hashPassword, passwordFault } from '../../crypto/password-hash.ts'
import { invalid } from '../../errors.ts'
import type { Scope } from '../../http/authority.ts'
import { Email, Id, JsonObject, Name, Nullable, pathId, Time } from '../../http/schemas.ts'
import type { User } from './queries.ts'

export const OneUser = Type.Object({ userId: pathId('user') })
/** A BCP 47 language tag; its length is RFC 5646 section 4.4.1's. */
const Locale = Type.String({
  pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$',
  maxLength: 35,
  'x-message': 'must be a BCP 47 language tag',
})
/** An http or https URL without a user name. `javascript:` and the like are never in a token. */
const WebUrl = Type.String({
  pattern: "^https?://[\\w.-]+(:\\d{1,5})?([/?#][\\w\\-.~:/?#\\[\\]@!$&'()*+,;=%]*)?$",
  maxLength: 500,
  'x-message': 'must be an http or https URL',
})
const BirthDate = Type.String({
  'x-birthdate': true,
  'x-message': 'must be a date as YYYY-MM-DD, YYYY, or 0000-MM-DD',
  description: '`YYYY-MM-DD`, `YYYY`, or `0000-MM-DD` without the year.',
})
const TimeZone = Type.String({
  'x-time-zone': true,
  'x-message': 'must be a name of the IANA time zone database, such as Europe/Lisbon',
  maxLength: 64,
  description: 'A name of the IANA time zone database, such as `Europe/Lisbon`.',
})
const PhoneNumber = Type.String({
  pattern: '^\\+[1-9]\\d{4,14}$',
  'x-message': 'must be a phone number such as +351210000000 (E.164)',
  description: 'In the format E.164, such as `+351210000000`.',
})
const describe = (schema: TString, description: string) => Type.String({ ...schema, description })
const line = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))
const Address = Type.Object(
  {
    formatted: line(300),
    streetAddress: line(200),
    locality: line(100),
    region: line(100),
    postalCode: line(40),
    country: line(100),
  },
  { title: 'PostalAddress', description: 'An update replaces the whole address.' },
)

export const Password = Type.String({
  writeOnly: true,
  description: 'PASSWORD_MIN_LENGTH to 128 characters after normalization to NFC.',
})

/** Fields that a caller may set. */
export const FIELDS = {
  emailVerified: Type.Boolean(),
  name: Nullable(Name),
  givenName: Nullable(Name),
  familyName: Nullable(Name),
  middleName: Nullable(Name),
  nickname: Nullable(Name),
  preferredUsername: Nullable(Name),
  profile: Nullable(describe(WebUrl, 'The URL of a page about the user.')),
  picture: Nullable(describe(WebUrl, 'The URL of a picture of the user.')),
  website: Nullable(WebUrl),
  gender: Nullable(Type.String({ minLength: 1, maxLength: 50 })),
  birthdate: Nullable(BirthDate),
  zoneinfo: Nullable(TimeZone),
  locale: Nullable(Locale),
  phoneNumber: Nullable(PhoneNumber),
  phoneNumberVerified: Type.Boolean({
    description:
      'Whether the caller has verified `phoneNumber`. Another number is not verified. A service token states it for its own system only, together with the number.',
  }),
  address: Nullable(Address),
  metadata: JsonObject,
  disabled: Type.Boolean({ description: 'Whether the user cannot sign in.' }),
}

/** The fields of a new user, except a password in plain text. */
export const CreateUser = Type.Object(
  {
    ...Type.Partial(Type.Object(FIELDS)).properties,
    email: Email,
    passwordHash: Type.Optional(
      Type.String({
        maxLength: HASH_MAX_LENGTH,
        writeOnly: true,
        description:
          'A hash of argon2, bcrypt, scrypt or PBKDF2 from another system, in a format of docs/moving-in.md, which has the highest cost for the platform and for a system. Replaced by a hash of this server at the first sign-in. Without `emailVerified` true, a hash that the platform sends is valid only together with an emailed code at the first sign-in.',
      }),
    ),
    mustChangePassword: Type.Optional(
      Type.Boolean({
        description:
          'Whether the next sign-in asks for a new password. True only for a user with a password.',
      }),
    ),
  },
  { title: 'ImportUser' },
)

const UserFields = Type.Object({
  ...FIELDS,
  hasPassword: Type.Boolean({ 'x-computed': true }),
  mustChangePassword: Type.Boolean({ description: 'Whether the next sign-in asks for a new password.' }),
  mfaEnabled: Type.Boolean({
    'x-computed': true,
    description: 'Whether an authenticator app or a passkey is enrolled.',
  }),
  identities: Type.Array(
    Type.Object(
      { provider: Type.String(), subject: Type.String(), email: Nullable(Type.String()) },
      { title: 'Identity' },
    ),
  ),
  lastLoginAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
})

/**
 * One schema for what every caller reads, so that a generated client has one model: of a user outside the
 * reach, whom a search by the complete address finds, there is the id and the address.
 */
export const UserAnswer = Type.Object(
  { id: Id, email: Type.String(), ...Type.Partial(UserFields).properties },
  {
    title: 'User',
    description:
      'All fields but `id` and `email` are absent for a user of another system, whom `listUsers` finds by the complete address.',
  },
)

/** All fields of a user within the reach. */
export const answerOf = ({ readEmail, ...user }: User): Required<Static<typeof UserAnswer>> => ({
  ...user,
  email: readEmail,
  lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
})

/**
 * Hashes a password that a system sets. Throws `invalid_request`. Hashing waits for a free slot: never call
 * it in a transaction.
 */
export async function hashChosenPassword(
  password: string,
  minLength: number,
  systemId: string,
): Promise<string> {
  const fault = passwordFault(password, minLength)
  if (fault) throw invalid('/password', fault)
  return hashPassword(password, systemId)
}

/** Without a password, the field would be lost in silence. Throws `invalid_request`. */
export function demandPassword(mustChange: boolean | undefined, hash: string | null): void {
  if (mustChange && hash === null) throw invalid('/mustChangePassword', 'requires a password to change')
}

/** The stored form of a password hash that this scope imports. Throws `invalid_request`. */
export function importedHash(hash: string | undefined, scope: Scope): string | null {
  if (hash === undefined) return null
  const fault = hashFault(hash, scope === null ? 'platform' : 'system')
  if (fault) throw invalid('/passwordHash', fault)
  return asImported(hash)
}

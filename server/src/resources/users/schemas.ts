/** The JSON of a user, for every operation that takes or returns one. */
import { type Static, Type } from 'typebox'
import { HASH_MAX_LENGTH, hashFault } from '../../crypto/imported-hashes.ts'
import { hashPassword, passwordFault } from '../../crypto/password-hash.ts'
import { invalid } from '../../errors.ts'
import { Email, Id, JsonObject, Name, Nullable, pathId, Time } from '../../http/schemas.ts'
import type { User } from './queries.ts'

export const OneUser = Type.Object({ userId: pathId('user') })
/** A BCP 47 language tag; its length is RFC 5646 section 4.4.1's. */
const Locale = Type.String({
  pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$',
  maxLength: 35,
  'x-message': 'must be a BCP 47 language tag',
})
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
  locale: Nullable(Locale),
  metadata: JsonObject,
  disabled: Type.Boolean({ description: 'Whether the user cannot sign in.' }),
}

/** The fields of a new user, except a password in plain text. */
export const NewUser = Type.Object(
  {
    ...Type.Partial(Type.Object(FIELDS)).properties,
    email: Email,
    passwordHash: Type.Optional(
      Type.String({
        maxLength: HASH_MAX_LENGTH,
        writeOnly: true,
        description:
          'A hash of argon2, bcrypt, scrypt or PBKDF2 from another system, in a format of docs/moving-in.md. Replaced by a hash of this server at the first sign-in. Without `emailVerified` true, a hash that the platform sends is valid only together with an emailed code at the first sign-in.',
      }),
    ),
  },
  { title: 'ImportUser' },
)

export const UserAnswer = Type.Object(
  {
    id: Id,
    email: Type.String(),
    ...FIELDS,
    hasPassword: Type.Boolean(),
    mustChangePassword: Type.Boolean({ description: 'Whether the next sign-in asks for a new password.' }),
    mfaEnabled: Type.Boolean({ description: 'Whether an authenticator app or a passkey is enrolled.' }),
    identities: Type.Array(
      Type.Object(
        { provider: Type.String(), subject: Type.String(), email: Nullable(Type.String()) },
        { title: 'Identity' },
      ),
    ),
    lastLoginAt: Nullable(Time),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'User' },
)

export const answerOf = (user: User): Static<typeof UserAnswer> => ({
  ...user,
  lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
})

/**
 * Hashes a password that a system sets. Throws `invalid_request`. Hashing waits for a free slot: never call
 * it in a transaction.
 */
export async function hashOf(password: string, minLength: number, systemId: string): Promise<string> {
  const fault = passwordFault(password, minLength)
  if (fault) throw invalid('/password', fault)
  return hashPassword(password, systemId)
}

/** Checks an imported password hash. Throws `invalid_request`. */
export function importedHash(hash: string | undefined): string | null {
  if (hash === undefined) return null
  const fault = hashFault(hash)
  if (fault) throw invalid('/passwordHash', fault)
  return hash
}

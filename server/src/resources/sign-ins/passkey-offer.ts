/** When a sign-in with a password offers to create a passkey. */
import type { Db } from '../../database/database.ts'
import { type SQL, sql } from '../../database/drizzle.ts'
import { users } from '../../database/schema.ts'
import { isValidIn } from '../users/sign-in-methods.ts'

/** Days after the answer "Not now" in which the user is not asked again. */
export const OFFER_PAUSE_DAYS = 30

/** A user who has answered "Not now" so many times is not asked any more. */
export const OFFERS_MAX = 3

/**
 * Whether a passkey is offered to the user of a sign-in with a password: after the registration, else from
 * the second sign-in, unless they have a passkey that is valid there.
 */
export const isPasskeyOffered = (system: SQL) =>
  sql<boolean>`(${users.passkeyDeclines} < ${sql.raw(String(OFFERS_MAX))}
    and coalesce(${users.passkeyOfferAt} <= now(), ${users.lastLoginAt} is not null)
    and not exists (select from passkeys p where p.user_id = ${users.id} and ${isValidIn('p', system)}))`

/** The user has registered: the next sign-in with the password offers a passkey. */
export const offerPasskey = (tx: Db, userId: string): Promise<unknown> =>
  tx.execute(sql`update users set passkey_offer_at = now() where id = ${userId}`)

/** The user has answered "Not now". */
export const declinePasskey = (tx: Db, userId: string): Promise<unknown> =>
  tx.execute(sql`update users set passkey_declines = passkey_declines + 1,
    passkey_offer_at = now() + make_interval(days => ${OFFER_PAUSE_DAYS}) where id = ${userId}`)

/**
 * The ids that the protocol library and we call by different names: its `accountId` is our user id,
 * its grant is our session. Our account id never reaches the library. Only this file translates, into
 * types that can't be exchanged.
 */
import type { Client, Session } from 'oidc-provider'

declare const kind: unique symbol
type Id<Kind extends string> = string & { readonly [kind]: Kind }

export type UserId = Id<'user'>
export type SessionId = Id<'session'>

/** The user of a library's session, token or grant; none for a browser session without a sign-in. */
export const userIdOf = (from: { accountId?: string | undefined } | undefined): UserId | undefined =>
  from?.accountId as UserId | undefined

/** The session of a library's code or token. */
export const sessionIdOf = (from: { grantId?: string | undefined } | undefined): SessionId | undefined =>
  from?.grantId as SessionId | undefined

/** The session that a browser session keeps for a client. */
export const sessionIdFor = (session: Session | undefined, client: Client | undefined) =>
  (client && session?.grantIdFor(client.clientId)) as SessionId | undefined

/** Our ids under the library's names. */
export const libraryIds = (of: { userId: string; sid?: string }) => ({
  accountId: of.userId,
  ...(of.sid !== undefined && { grantId: of.sid }),
})

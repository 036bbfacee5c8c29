/** The claims of tokens, always from the membership as it is when the token is issued. */
import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import type { PostalAddress } from '../../database/schema.ts'
import { readHandle } from '../../database/transaction.ts'
import { isVouchedFor } from '../../resources/domains/match.ts'
import type { Member } from '../../resources/sessions/queries.ts'
import { serviceJti } from '../../resources/sessions/service-tokens.ts'
import { type EnabledUser, findEnabledUser } from '../../resources/sign-ins/queries.ts'
import { isAccountClient, systemIdOfClient } from '../clients/client.ts'
import { provenLinksOf } from './account-logins.ts'
import { userinfoClaims } from './claims-request.ts'
import { applyProofs } from './proofs.ts'
import { libraryIds, memberOf, requestState, sessionIdOf, signInOf, type UserId } from './request-state.ts'

type Rights = Pick<
  Member,
  'accountId' | 'membershipId' | 'roles' | 'isAdmin' | 'permissions' | 'profiles' | 'sid'
> &
  Partial<Pick<Member, 'actorId'>>

type UserState = Pick<
  EnabledUser,
  | 'mustChangePassword'
  | 'mustChangeEverywhere'
  | 'hasFactor'
  | 'hasOwnFactor'
  | 'emailVerified'
  | 'withoutCredentials'
  | 'unconfirmed'
  | 'hasEntered'
>
type MemberAccount = Account & { member?: Member } & Partial<UserState>

/** What decides where a factor is valid that the user enrolls (`choiceScope`). */
export function enrollmentRules(account: Account | undefined) {
  const { hasOwnFactor, withoutCredentials } = (account ?? {}) as Partial<UserState>
  return { hasOwnFactor: hasOwnFactor === true, withoutCredentials: withoutCredentials === true }
}

/** The claims by which products scope their data, in every user token. */
export function membershipClaims<Sid extends string | undefined>(member: Omit<Rights, 'sid'> & { sid: Sid }) {
  return {
    account_id: member.accountId,
    membership_id: member.membershipId,
    roles: member.roles,
    is_admin: member.isAdmin,
    permissions: member.permissions,
    ...(member.profiles.length > 0 && { profiles: member.profiles }),
    sid: member.sid,
    ...(member.actorId && { act: { sub: member.actorId } }), // RFC 8693 section 4.1
  }
}

/** Undefined values are not in the tokens. */
function userClaims({ user }: Member, emailVerified: boolean) {
  const { phoneNumber, address } = user
  return {
    email: user.email,
    email_verified: emailVerified,
    name: user.name ?? undefined,
    given_name: user.givenName ?? undefined,
    family_name: user.familyName ?? undefined,
    middle_name: user.middleName ?? undefined,
    nickname: user.nickname ?? undefined,
    preferred_username: user.preferredUsername ?? undefined,
    profile: user.profile ?? undefined,
    picture: user.picture ?? undefined,
    website: user.website ?? undefined,
    gender: user.gender ?? undefined,
    birthdate: user.birthdate ?? undefined,
    zoneinfo: user.zoneinfo ?? undefined,
    locale: user.locale ?? undefined,
    ...(phoneNumber !== null && {
      phone_number: phoneNumber,
      phone_number_verified: user.phoneNumberVerified,
    }),
    address: address === null ? undefined : addressClaim(address),
    updated_at: Math.floor(user.updatedAt.getTime() / 1_000),
  }
}

/** In a session by a connection only the organization vouches for the address: one more statement. */
const isEmailVerified = async (db: Db, member: Member): Promise<boolean> =>
  member.connectionId === null
    ? member.user.emailVerified
    : isVouchedFor(await readHandle(db), member, member.user.email)

/** OpenID Connect Core section 5.1.1. */
const addressClaim = ({ streetAddress, postalCode, ...same }: PostalAddress) => ({
  ...same,
  ...(streetAddress !== undefined && { street_address: streetAddress }),
  ...(postalCode !== undefined && { postal_code: postalCode }),
})

/**
 * The library's findAccount. With a code, refresh token or access token: the member behind its session; none
 * when the membership is not active or the user is disabled, and the library then answers invalid_grant or
 * 401. Without a token (a browser session at /auth): any user who is not disabled.
 */
export function findAccountIn(db: Db) {
  return async (
    ctx: KoaContextWithOIDC,
    userId: string,
    token?: { grantId?: string | undefined },
  ): Promise<MemberAccount | undefined> => {
    const handle = await readHandle(db)
    const sid = sessionIdOf(token)
    if (sid === undefined) {
      // At /auth the library needs more about the same user next; a logout needs nothing else.
      const { client } = ctx.oidc
      const user =
        client && !isAccountClient(client)
          ? (await signInOf(ctx, handle, userId as UserId))?.user
          : await findEnabledUser(handle, userId, null)
      if (!user) return undefined
      requestState(ctx).links = await provenLinksOf(ctx, handle, userId as UserId)
      applyProofs(ctx, user)
      const { id, email: _, ...state } = user
      return { ...state, ...libraryIds({ userId: id }), claims: async () => ({ sub: id }) }
    }
    const member = await memberOf(ctx, handle, sid)
    if (member?.status !== 'active' || member.user.disabled || member.user.id !== userId) return undefined
    return {
      ...libraryIds({ userId }),
      member,
      claims: async () => ({
        sub: userId,
        ...membershipClaims(member),
        ...userClaims(member, await isEmailVerified(db, member)),
      }),
    }
  }
}

/** The claims of a service token that products read as those of a user token. */
export const SERVICE_CLAIMS = { is_admin: true, roles: [] }

/** The library's extraTokenClaims: our claims in an access token. */
export async function extraTokenClaims(
  ctx: KoaContextWithOIDC,
  token: { kind: string },
): Promise<Record<string, unknown> | undefined> {
  if (token.kind === 'ClientCredentials') return SERVICE_CLAIMS
  const member = (ctx.oidc.account as MemberAccount | undefined)?.member
  if (!member) return undefined
  const { AuthorizationCode, RefreshToken, DeviceCode } = ctx.oidc.entities
  const source = AuthorizationCode ?? RefreshToken ?? DeviceCode
  return {
    ...membershipClaims(member),
    auth_time: source?.authTime,
    acr: source?.acr,
    amr: source?.amr,
    userinfo_claims: userinfoClaims(source?.claims),
  }
}

/**
 * What the response to an introspection says about an active token beside the library's fields: the claims of
 * the membership as they are now, or those of a service token.
 */
export async function introspectedClaims(ctx: KoaContextWithOIDC, db: Db): Promise<object> {
  const { AccessToken, RefreshToken, ClientCredentials } = ctx.oidc.entities
  if (ClientCredentials) return ClientCredentials.extra ?? SERVICE_CLAIMS
  const sid = sessionIdOf(AccessToken ?? RefreshToken)
  const member = sid && (await memberOf(ctx, db, sid))
  return member ? membershipClaims(member) : {}
}

type AccessTokenPayload = {
  jti: string
  sid?: string
  aud: string | string[]
  iss: string
  client_id: string
  exp: number
}

/**
 * In access tokens of the type `JWT` (`accessTokenType` of a system), since that type does not distinguish
 * them from other tokens.
 */
export const UNTYPED_CLAIMS = { token_use: 'access' }

/** The client and our own API. The library supports one audience only. */
const audienceOf = (clientId: string, issuer: string) => [clientId, issuer]

export type ServiceContext = KoaContextWithOIDC & { oidc: { readonly client: Client } }

/**
 * The `jti` and `aud` of a service token. The `jti` encodes the system and the secret; our
 * own API accepts the token too.
 */
export function serviceNames(
  seal: Seal,
  ctx: ServiceContext,
  { exp, iss, random }: { exp: number; iss: string; random: string },
) {
  const { client } = ctx.oidc
  const about = { systemId: systemIdOfClient(client), exp, secret: requestState(ctx).secretMark }
  return { jti: serviceJti(seal, about, random), aud: audienceOf(client.clientId, iss) }
}

/**
 * The library's last customization of an access token. The `jti` of a user token begins with its session;
 * that of a service token encodes its system. The audience of a token for our own API includes us.
 */
export function customizeTokenWith(seal: Seal) {
  return (
    ctx: KoaContextWithOIDC,
    token: { kind: string },
    jwt: { header?: Record<string, unknown>; payload: Record<string, unknown> },
  ): void => {
    const payload = jwt.payload as AccessTokenPayload
    const { client } = ctx.oidc
    if (client?.tenantry.accessTokenType === 'JWT') {
      jwt.header = { typ: 'JWT' }
      Object.assign(payload, UNTYPED_CLAIMS)
    }
    if (payload.sid) payload.jti = `${payload.sid}.${payload.jti}`
    if (token.kind === 'ClientCredentials' && client) {
      const { exp, iss, jti: random } = payload
      Object.assign(payload, serviceNames(seal, ctx as ServiceContext, { exp, iss, random }))
    } else if (client?.tenantry.platform) payload.aud = audienceOf(payload.client_id, payload.iss)
  }
}

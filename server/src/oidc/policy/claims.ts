/** What tokens say of a person, always from the membership as it is when the token is made. */
import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { readHandle } from '../../database/transaction.ts'
import type { Member } from '../../resources/sessions/queries.ts'
import { serviceJti } from '../../resources/sessions/service-tokens.ts'
import { secretMark } from '../provider/clients.ts'
import { type EnabledUser, findEnabledUser } from '../storage/queries.ts'
import { memberOf, signInOf } from './members.ts'

/** Claims by scope, as OpenID Connect Core section 5.4 has them; `openid` carries ours. */
export const CLAIMS = {
  openid: [
    'sub',
    'account_id',
    'roles',
    'is_admin',
    'permissions',
    'profiles',
    'sid',
    'acr',
    'amr',
    'auth_time',
  ],
  email: ['email', 'email_verified'],
  profile: ['name', 'given_name', 'family_name', 'locale', 'updated_at'],
}

type Person = Pick<EnabledUser, 'mustChangePassword' | 'hasFactor' | 'emailVerified' | 'unproven'>
type MemberAccount = Account & { member?: Member } & Partial<Person>

/** Whether a person has to choose a password before going on, as the database had it in this request. */
export const hasDuty = (account: Account | undefined): boolean =>
  (account as MemberAccount | undefined)?.mustChangePassword === true

/** Whether a person registered with an address that is not proven yet: only then an unverified one is in the way. */
export const isUnproven = (account: Account | undefined): boolean =>
  (account as MemberAccount | undefined)?.unproven === true

export const hasVerifiedEmail = (account: Account | undefined): boolean =>
  (account as MemberAccount | undefined)?.emailVerified === true

/** Whether a person has a second factor, as the database had it in this request. */
export const hasFactor = (account: Account | undefined): boolean =>
  (account as MemberAccount | undefined)?.hasFactor === true

/** The part of every user token that products scope their data by. */
function membershipClaims(member: Member) {
  return {
    account_id: member.accountId,
    roles: member.roles,
    is_admin: member.isAdmin,
    permissions: member.permissions,
    ...(member.profiles.length > 0 && { profiles: member.profiles }),
    sid: member.sid,
  }
}

function personClaims({ user }: Member) {
  return {
    email: user.email,
    email_verified: user.emailVerified,
    name: user.name ?? undefined,
    given_name: user.givenName ?? undefined,
    family_name: user.familyName ?? undefined,
    locale: user.locale ?? undefined,
    updated_at: Math.floor(user.updatedAt.getTime() / 1_000),
  }
}

/**
 * The library's findAccount. With a code, refresh token or access token: the member behind its session, and nobody
 * when the membership is not active or the person is disabled; the library then answers invalid_grant or 401.
 * Without one (a browser session at /auth): anybody who is not disabled.
 */
export function findAccountIn(db: Db) {
  return async (
    ctx: KoaContextWithOIDC,
    userId: string,
    token?: { grantId?: string | undefined },
  ): Promise<MemberAccount | undefined> => {
    const handle = await readHandle(db)
    if (token?.grantId === undefined) {
      // /auth asks for more about the same person next, and a browser that logs out for nothing else.
      const user = ctx.oidc.client
        ? (await signInOf(ctx, handle, userId))?.user
        : await findEnabledUser(handle, userId)
      if (!user) return undefined
      const { id, email: _, ...person } = user
      return { ...person, accountId: id, claims: async () => ({ sub: id }) }
    }
    const member = await memberOf(ctx, handle, token.grantId)
    if (member?.status !== 'active' || member.user.disabled || member.user.id !== userId) return undefined
    return {
      accountId: userId,
      member,
      claims: async () => ({ sub: userId, ...membershipClaims(member), ...personClaims(member) }),
    }
  }
}

/** What products read in a token that a system has for itself. */
export const SERVICE_CLAIMS = { is_admin: true, roles: [] }

/** Claims of ours in an access token. */
export async function extraTokenClaims(
  ctx: KoaContextWithOIDC,
  token: { kind: string },
): Promise<Record<string, unknown> | undefined> {
  if (token.kind === 'ClientCredentials') return SERVICE_CLAIMS
  const member = (ctx.oidc.account as MemberAccount | undefined)?.member
  if (!member) return undefined
  const source = ctx.oidc.entities.AuthorizationCode ?? ctx.oidc.entities.RefreshToken
  return { ...membershipClaims(member), auth_time: source?.authTime, acr: source?.acr, amr: source?.amr }
}

type AccessTokenPayload = {
  jti: string
  sid?: string
  aud: string | string[]
  iss: string
  client_id: string
  exp: number
}

/** A client, and our own API: the library takes one audience only. */
const audienceOf = (clientId: string, issuer: string) => [clientId, issuer]

export type ServiceContext = KoaContextWithOIDC & { oidc: { readonly client: Client } }

/** Whose a service token is and for whom: its `jti` tells by itself, and our own API takes it too. */
export function serviceNames(
  seal: Seal,
  ctx: ServiceContext,
  { exp, iss, random }: { exp: number; iss: string; random: string },
) {
  const { client } = ctx.oidc
  const about = { systemId: String(client.system_id), exp, secret: secretMark(ctx) }
  return { jti: serviceJti(seal, about, random), aud: audienceOf(client.clientId, iss) }
}

/**
 * The last word on an access token: its `jti` begins with its session, or of a service token tells whose it is; and a
 * token for our own API names us too.
 */
export function customizeTokenWith(seal: Seal) {
  return (
    ctx: KoaContextWithOIDC,
    token: { kind: string },
    jwt: { payload: Record<string, unknown> },
  ): void => {
    const payload = jwt.payload as AccessTokenPayload
    const { client } = ctx.oidc
    if (payload.sid) payload.jti = `${payload.sid}.${payload.jti}`
    if (token.kind === 'ClientCredentials' && client) {
      const { exp, iss, jti: random } = payload
      Object.assign(payload, serviceNames(seal, ctx as ServiceContext, { exp, iss, random }))
    } else if (client?.platform === true) payload.aud = audienceOf(payload.client_id, payload.iss)
  }
}

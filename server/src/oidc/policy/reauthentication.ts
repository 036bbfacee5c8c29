/**
 * `max_age` (OpenID Connect Core section 3.1.2.1). For /account, which sends it before a change of
 * credentials, a session that only another identity provider has authenticated is not enough. Its user enters
 * the password or uses a passkey; a user who has neither enters an emailed code.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { isOnlyFederated } from '../../authentication/assurance.ts'
import { userIdOf } from '../library-ids.ts'
import { isAccountClient } from '../provider/account-client.ts'
import { isWithoutCredentials } from './claims.ts'

const isTooOld = ({ oidc: { session, params, result } }: KoaContextWithOIDC): boolean =>
  params?.max_age !== undefined &&
  userIdOf(session) !== undefined &&
  session?.past(params.max_age as number) === true &&
  !result?.login

const isReauthentication = ({ oidc: { client, params, session } }: KoaContextWithOIDC): boolean =>
  isAccountClient(client) && params?.max_age !== undefined && userIdOf(session) !== undefined

const isInsufficient = (ctx: KoaContextWithOIDC): boolean =>
  isTooOld(ctx) || (isReauthentication(ctx) && isOnlyFederated(ctx.oidc.session?.amr ?? []))

/** Whether an emailed code re-authenticates the user of this request. */
export const isByEmailCode = (ctx: KoaContextWithOIDC): boolean =>
  isReauthentication(ctx) && isWithoutCredentials(ctx.oidc.account)

export const isLoginRequired = (ctx: KoaContextWithOIDC): boolean =>
  isInsufficient(ctx) && !isByEmailCode(ctx)

export const isReauthenticationCodeRequired = (ctx: KoaContextWithOIDC): boolean =>
  isInsufficient(ctx) && isByEmailCode(ctx)

/** The value that decides the steps of a sign-in (owed.ts), from a request of the protocol library. */
import type { Account, Client, KoaContextWithOIDC } from 'oidc-provider'
import { isByConnection } from '../../authentication/proofs.ts'
import { isAccountClient } from '../clients/client.ts'
import { claimsBeyondScopes, demandsAuthTime, requestedAcrValues } from './claims-request.ts'
import type { Owing, OwingClient, OwingUser } from './owed.ts'
import type { ProofResults } from './proofs.ts'
import { requestState, userIdOf } from './request-state.ts'
import { isRegistrationDue } from './requested.ts'

const clientOf = (client: Client | undefined): OwingClient => ({
  isBuiltIn: isAccountClient(client),
  open: client?.tenantry.open === true,
  requireEmailOtp: client?.tenantry.requireEmailOtp === true,
  requireMfa: client?.tenantry.requireMfa === true,
  skipConsent: client?.tenantry.skipConsent === true,
})

/** The user as read in this request (claims.ts). */
const userOf = (account: Account | undefined): OwingUser | undefined =>
  account as (Account & OwingUser) | undefined

/** Whether a login of this sign-in counts for `auth_time`: then nothing older is the newest. */
function hasAuthenticated({ oidc: { result, session } }: KoaContextWithOIDC): boolean {
  const { proof: login, isFresh } = (result as ProofResults | undefined)?.login ?? {}
  if (isFresh) return true
  return login !== undefined && (session?.authenticatedAt ?? 0) >= Math.floor(login.at / 1_000)
}

/** The age that a request allows that demands the time of a login, however old it is. */
const ANY_AGE = Number.POSITIVE_INFINITY

export function owingOf(ctx: KoaContextWithOIDC): Owing {
  const { client, session, account, params, prompts, result, entities } = ctx.oidc
  const { proofs, choice, isClosed, isEntryAsked } = requestState(ctx)
  return {
    client: clientOf(client),
    userId: userIdOf(session),
    user: userOf(account),
    proofs,
    loginTs: session?.loginTs,
    authTime: session?.authenticatedAt,
    choice,
    isClosed,
    isEntryAsked,
    awaitsAccount: choice?.kind === 'several' && isByConnection(session?.proofs ?? []),
    request: {
      maxAge: (params?.max_age as number | undefined) ?? (demandsAuthTime(ctx) ? ANY_AGE : undefined),
      acrValues: requestedAcrValues(ctx),
      hasLoggedIn: Boolean(result?.login),
      hasAuthenticated: hasAuthenticated(ctx),
      asksLogin: prompts.has('login'),
      hasLoggedInByConnection: (result as ProofResults | undefined)?.login?.proof?.connection !== undefined,
      hasActed: result !== undefined,
      registers: isRegistrationDue(ctx, 'prompt'),
      isDevice: entities.DeviceCode !== undefined,
      asksConsent: prompts.has('consent') && ctx.oidc.promptPending('consent'),
      scopes: [...ctx.oidc.requestParamScopes],
      claims: claimsBeyondScopes(ctx),
    },
  }
}

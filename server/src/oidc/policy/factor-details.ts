/** The details of the steps of codes and factors: what their forms need to know of the sign-in. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { choiceScope } from '../../authentication/proofs.ts'
import type { Scope } from '../../http/authority.ts'
import { enrollmentRules } from './claims.ts'
import { accountRequiringMfa, isOwnLogin, type Owing } from './owed.ts'
import { owingOf } from './owing.ts'
import { scopeOfClient } from './proofs.ts'
import { requestState } from './request-state.ts'

/**
 * The details of the prompt `email_otp`. `countedFor`: the account for which codes and factors are counted,
 * as its connection has signed the user in: it uses up no attempts of the user elsewhere.
 */
export type CodeDetails = { countedFor?: string }

/**
 * The details of the prompt `second_factor`: where a factor is valid that the user enrolls in this sign-in,
 * undefined if none may be enrolled, and whether the user has logged in with a credential that is valid
 * everywhere. `account`: the name of the one that requires it, if the system does not.
 */
export type FactorDetails = CodeDetails & {
  enrolls: { scope: Scope } | undefined
  isOwnLogin: boolean
  account?: string
}

/** The account whose connection has signed the user in, if it decides. */
export const countedFor = (ctx: KoaContextWithOIDC): CodeDetails => {
  const account = requestState(ctx).proofs.find(({ primary }) => primary)?.account
  return account === undefined ? {} : { countedFor: account }
}

export const factorDetailsOf = (ctx: KoaContextWithOIDC): FactorDetails => ({
  ...countedFor(ctx),
  enrolls: choiceScope(
    requestState(ctx).proofs,
    enrollmentRules(ctx.oidc.account),
    scopeOfClient(ctx.oidc.client),
  ),
  isOwnLogin: isOwnLogin(owingOf(ctx)),
  ...byAccount(owingOf(ctx)),
})

const byAccount = (owing: Owing): Pick<FactorDetails, 'account'> => {
  const account = owing.client.requireMfa ? undefined : accountRequiringMfa(owing)
  return account === undefined ? {} : { account }
}

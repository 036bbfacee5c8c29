/**
 * The offer of a passkey, the last step of a sign-in. It is decided when the password is verified
 * (interaction/login.ts), so that no other sign-in pays for it, and never delays one without a user
 * (`prompt=none`), which has no login.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { choiceScope } from '../../authentication/proofs.ts'
import { enrollmentRules } from './claims.ts'
import { isExemptLogin } from './owed.ts'
import { type ProofResults, scopeOfClient } from './proofs.ts'
import { requestState } from './request-state.ts'

/** The details of the prompt `passkey_offer`: whether the user has another factor, which is verified. */
export type OfferDetails = { hasFactor: boolean }

/**
 * Whether the step is due. A passkey is offered only if it would be valid everywhere: a password that a
 * system has set neither enrolls one nor uses up the offers of the user. In a sign-in of a member who is
 * exempt from single sign-on nothing is enrolled.
 */
export function isOfferDue(ctx: KoaContextWithOIDC): boolean {
  const { login, second_factor: factor, passkey_offer: answer } = (ctx.oidc.result ?? {}) as ProofResults
  if (!login?.offersPasskey || answer || factor?.proof.method === 'passkey') return false
  if (isExemptLogin(requestState(ctx))) return false
  const { account, client } = ctx.oidc
  const choice = choiceScope(requestState(ctx).proofs, enrollmentRules(account), scopeOfClient(client))
  return choice?.scope === null
}

export const offerDetailsOf = (ctx: KoaContextWithOIDC): OfferDetails => ({
  hasFactor: enrollmentRules(ctx.oidc.account).hasOwnFactor,
})

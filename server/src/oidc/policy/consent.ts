/** The prompt `consent`: when it is required, and what it asks. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { requestState } from '../request-state.ts'
import { claimsBeyondScopes } from './claims-request.ts'

/** prompt=consent; ignored for a first-party system. */
export function isConsentRequested(ctx: KoaContextWithOIDC): boolean {
  const { prompts, client } = ctx.oidc
  return client?.skip_consent !== true && prompts.has('consent') && ctx.oidc.promptPending('consent')
}

/**
 * Whether the user is asked to accept the membership, whatever the system's `skipConsent`: another than the
 * user or the platform has added them, with their own credentials they have not entered the system before,
 * and they use another system.
 */
export function isEntryRequired(ctx: KoaContextWithOIDC): boolean {
  const { choice, proofs, isEntryAsked } = requestState(ctx)
  if (choice?.kind !== 'selected' || !isEntryAsked) return false
  const { addedBy } = choice.membership
  const isOwn = proofs.some(({ primary, scope }) => primary && scope === null)
  return isOwn && addedBy !== 'platform' && addedBy !== 'user'
}

/** The details of the prompt `consent`. */
export type ConsentDetails = {
  account: { id: string; name: string } | undefined
  scopes: string[]
  /** Requested by name, beyond the scopes (claims-request.ts). */
  claims: string[]
  /** The user accepts the membership as well. */
  entry: boolean
}

/** The scopes and claims to consent to, and the account. */
export function consentOf(ctx: KoaContextWithOIDC): ConsentDetails {
  const { choice } = requestState(ctx)
  const account =
    choice?.kind === 'selected'
      ? { id: choice.membership.accountId, name: choice.membership.accountName }
      : undefined
  return {
    account,
    scopes: [...ctx.oidc.requestParamScopes],
    claims: claimsBeyondScopes(ctx),
    entry: isEntryRequired(ctx),
  }
}

/** The prompt `consent`: what it asks, and what the user has allowed before. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Consented } from '../../resources/consents/queries.ts'
import { claimsBeyondScopes, isClaimGranted } from './claims-request.ts'
import { isEntryRequired, owesFactorAfterEntry } from './owed.ts'
import { owingOf } from './owing.ts'
import { requestState } from './request-state.ts'
import { CONTACT, scopeOfClaim } from './scopes.ts'

/** The details of the prompt `consent`. */
export type ConsentDetails = {
  account: { id: string; name: string } | undefined
  scopes: string[]
  /** Requested by name, beyond the scopes (claims-request.ts). */
  claims: string[]
  /** The user accepts the membership as well. */
  entry: boolean
}

/**
 * The scopes and claims to consent to, and the account. Without the user's own credentials those of the phone
 * number and the address are not among them: they are granted without a consent, which would last.
 */
export function consentOf(ctx: KoaContextWithOIDC): ConsentDetails {
  const { choice, withoutContact } = requestState(ctx)
  const account =
    choice?.kind === 'selected'
      ? { id: choice.membership.accountId, name: choice.membership.accountName }
      : undefined
  const owing = owingOf(ctx)
  const entry = isEntryRequired(owing)
  // The factor that the account requires is verified after the entry and before the consent.
  if (entry && owesFactorAfterEntry(owing)) return { account, scopes: [], claims: [], entry }
  return {
    account,
    scopes: [...ctx.oidc.requestParamScopes].filter(
      (scope) => !withoutContact || !CONTACT.scopes.includes(scope),
    ),
    claims: claimsBeyondScopes(ctx).filter((claim) => !withoutContact || !isContact(claim)),
    entry,
  }
}

const isContact = (claim: string): boolean => CONTACT.scopes.includes(scopeOfClaim(claim) ?? '')

type Requested = { scopes: Iterable<string>; claims: Iterable<string> }

/**
 * What is granted of a request without asking. `consented`: what the user has allowed in this account;
 * undefined for a first-party system, which needs no consent. `withoutContact`: a session without the user's
 * own credentials reads no phone number or address but the system's own.
 */
export function grantedOf(
  { scopes, claims }: Requested,
  { consented, withoutContact }: { consented: Consented | undefined; withoutContact: boolean },
): { scopes: string[]; claims: string[] } {
  return {
    scopes: [...scopes].filter(
      (scope) =>
        (consented?.scopes.includes(scope) ?? true) || (withoutContact && CONTACT.scopes.includes(scope)),
    ),
    claims: [...claims].filter(
      (claim) => !consented || isClaimGranted(claim, consented) || (withoutContact && isContact(claim)),
    ),
  }
}

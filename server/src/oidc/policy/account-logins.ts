/**
 * The account of a sign-in, with the proofs that decide in it. The threat: a login by the connection of one
 * organization opens, or reveals, a membership of another. So without a login of the user the sign-in knows
 * only the accounts whose connections have signed the user in; a request for any other account is answered as
 * one without a session, whether the user is a member of it, and whether it exists.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { hasMailedCode } from '../../authentication/assurance.ts'
import {
  amrOf,
  hasLogin,
  isByConnection,
  loginAccounts,
  type Proof,
  type ProvenLink,
  proofsIn,
  validProofs,
} from '../../authentication/proofs.ts'
import type { Db } from '../../database/database.ts'
import { writeHandle } from '../../database/transaction.ts'
import { findProvenLinks } from '../../resources/connections/linking.ts'
import { confirmEntry } from '../../resources/memberships/stated.ts'
import type { SignIn } from '../../resources/sign-ins/queries.ts'
import { type Choice, chooseAccount, type Offer } from './account-choice.ts'
import { type ProofResults, scopeOfClient } from './proofs.ts'
import { accountNamesOf, requestState, signInOf, type UserId, userIdOf } from './request-state.ts'
import { isTest } from './requested.ts'

/** The links of the user: read only in a browser that a connection has signed in. */
export async function provenLinksOf(ctx: KoaContextWithOIDC, db: Db, userId: UserId): Promise<ProvenLink[]> {
  const { session, client, result } = ctx.oidc
  const systemId = scopeOfClient(client)
  const added = (result as ProofResults | undefined)?.login?.proof
  const known = [...(session?.proofs ?? []), ...(added ? [added] : [])]
  return systemId === null || !isByConnection(known) ? [] : findProvenLinks(db, userId, systemId)
}

type Decided = {
  /** Undefined: the account that the request names needs another login. */
  choice: Choice | undefined
  /** Those that count in the account; undefined if they are the ones of the system. */
  proofs: readonly Proof[] | undefined
  /** The user has logged in, but in this membership only logins by connections of its account count. */
  isClosed?: boolean
}

/** `offers`: the invitations that the user can accept in this sign-in. */
export function decideAccount(ctx: KoaContextWithOIDC, signIn: SignIn | undefined, offers: Offer[]): Decided {
  const { client, session } = ctx.oidc
  const names = accountNamesOf(ctx)
  const { memberships = [], lastAccount = null, user } = signIn ?? {}
  const wish = { ...names, multiAccount: client?.tenantry.multiAccount === true, lastAccount, offers }
  const systemId = scopeOfClient(client)
  if (systemId === null || !user) return { choice: chooseAccount(memberships, wish), proofs: undefined }
  const { links } = requestState(ctx)
  const known = session?.proofs ?? []
  const rules = { ...user, links }
  const accounts = loginAccounts(known, rules, systemId)
  const hasOwnLogin = hasLogin(validProofs(known, rules, systemId))
  const isLimited = accounts.length > 0 && !hasOwnLogin
  if (isLimited && names.requested !== undefined && !accounts.includes(names.requested))
    return { choice: undefined, proofs: [] }
  const choice = isLimited
    ? chooseAccount(
        memberships.filter(({ accountId }) => accounts.includes(accountId)),
        { ...wish, lastAccount: null, offers: [] },
      )
    : chooseAccount(memberships, wish)
  if (choice.kind !== 'selected') return { choice, proofs: undefined }
  const { accountId, confirmEntry } = choice.membership
  const isRequired = choice.membership.isClosed && !isTest(ctx)
  if (links.length === 0 && !isRequired) return { choice, proofs: undefined }
  // A member who was added from outside enters by the organization, if it has signed them in.
  const isLeftOut = isRequired || (confirmEntry && accounts.includes(accountId))
  const proofs = proofsIn(known, rules, { systemId, accountId, isClosed: isLeftOut })
  return { choice, proofs, isClosed: isRequired && (hasOwnLogin || hasLogin(proofs)) }
}

/**
 * The user's own credentials, together with a login of the organization in this browser or a code mailed to
 * the user, confirm a membership that others have added for a user who existed.
 */
export async function confirmMembership(ctx: KoaContextWithOIDC, db: Db): Promise<void> {
  const { choice, proofs } = requestState(ctx)
  if (choice?.kind !== 'selected' || !choice.membership.confirmEntry) return
  const { session, client } = ctx.oidc
  const userId = userIdOf(session)
  const signIn = userId && (await signInOf(ctx, db, userId))
  if (!signIn || !hasLogin(validProofs(session?.proofs ?? [], signIn.user, scopeOfClient(client)))) return
  if (isByConnection(proofs) || hasMailedCode(amrOf(proofs)))
    await confirmEntry(await writeHandle(db), choice.membership.membershipId)
}

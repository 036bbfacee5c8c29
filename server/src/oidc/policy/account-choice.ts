/**
 * The account of a sign-in, decided from the request, the user's selection in this sign-in and the current
 * memberships, never from earlier sign-ins of the browser.
 */
import type { SelectableMembership } from '../../resources/sessions/queries.ts'
import type { LostAccount } from '../../resources/sign-ins/queries.ts'

/** A pending invitation to an account of the system that the user is no member of. */
export type Offer = { id: string; accountId: string; accountName: string }

/** Selected by a user who joins the system with a new account, instead of accepting an invitation. */
export const NEW_ACCOUNT = 'new'

type Refusal = 'none' | 'foreign' | 'pending' | 'blocked' | 'suspended'

/** The account that a sign-in is for. */
export type Choice =
  | { kind: 'selected'; membership: SelectableMembership; offers?: Offer[] }
  /**
   * Several accounts are possible: the user selects one. `lost`: the account that the user would continue in
   * if it could be used; a single other account is then shown as well.
   * `pending`: the name of the account that the user selected, whose membership has to be approved.
   * `refusal`: the user can only accept an invitation; without one, this would be the answer.
   */
  | {
      kind: 'several'
      memberships: SelectableMembership[]
      offers?: Offer[]
      lost?: LostAccount
      pending?: string
      refusal?: Refusal
    }
  /** No active membership where one is required. `reason` is shown to the user, never to the application. */
  | { kind: 'refused'; reason: Exclude<Refusal, 'suspended'> }
  /**
   * The account of an active membership is suspended. Only the member sees it, whatever the request names.
   */
  | { kind: 'refused'; reason: 'suspended'; account: SelectableMembership }

/**
 * `requested`: the parameter account_id of /auth. `selected`: the account that the user selected.
 * `lastAccount`: the account of the browser's last session, if it may not be used any more. `offers`: the
 * invitations that the user can accept in this sign-in.
 */
type Wish = {
  multiAccount: boolean
  requested: string | undefined
  selected: string | undefined
  lastAccount: LostAccount | null
  offers: Offer[]
}

export function chooseAccount(memberships: SelectableMembership[], wish: Wish): Choice {
  const { multiAccount, requested, selected } = wish
  const decided = choose(memberships, multiAccount, requested, selected)
  const named = multiAccount && requested === undefined ? afterLoss(decided, memberships, wish) : decided
  return withOffers(named, memberships, wish)
}

/**
 * Invitations are offered to a user who selects an account anyway, or who has none: no invitation stops the
 * sign-in of a member.
 */
function withOffers(decided: Choice, memberships: SelectableMembership[], wish: Wish): Choice {
  const { requested, selected } = wish
  const offers = wish.offers.filter(({ accountId }) => requested === undefined || requested === accountId)
  if (decided.kind === 'several') {
    const waiting = memberships.find((each) => each.accountId === selected && each.status === 'pending')
    return { ...decided, offers, ...(waiting && { pending: waiting.accountName }) }
  }
  if (decided.kind === 'selected') return { ...decided, offers }
  const isAnswered = selected !== undefined // an offer was accepted, or none of them
  if (isAnswered || offers.length === 0) return decided
  return { kind: 'several', memberships: [], offers, refusal: decided.reason }
}

/**
 * Decides the account. An account without an active membership of the user gives the same refusal whether it
 * exists or not.
 */
export function choose(
  memberships: SelectableMembership[],
  multiAccount: boolean,
  requested: string | undefined,
  selected: string | undefined,
): Choice {
  const active = memberships.filter((membership) => membership.status === 'active')
  if (requested !== undefined) {
    const membership = active.find((each) => each.accountId === requested)
    if (membership) return { kind: 'selected', membership }
    const suspended = suspendedIn(memberships, requested)
    return suspended ?? { kind: 'refused', reason: 'foreign' }
  }
  const membership = selected === undefined ? undefined : active.find((each) => each.accountId === selected)
  if (membership) return { kind: 'selected', membership }
  // The selected membership has ended since: the user selects again and is
  // never signed in to another account.
  const isLost = selected !== undefined && selected !== NEW_ACCOUNT && active.length > 0
  if (isLost || (active.length > 1 && multiAccount)) return { kind: 'several', memberships: active }
  if (active[0]) return { kind: 'selected', membership: active[0] }
  const suspended = suspendedIn(memberships, selected) ?? suspendedIn(memberships)
  if (suspended) return suspended
  if (memberships.some((each) => each.status === 'pending')) return { kind: 'refused', reason: 'pending' }
  return { kind: 'refused', reason: memberships.length > 0 ? 'blocked' : 'none' }
}

/** The refusal of a suspended account, of the given one or of any. */
function suspendedIn(memberships: SelectableMembership[], accountId?: string): Choice | undefined {
  const account = memberships.find(
    (each) => each.status === 'suspended' && (accountId ?? each.accountId) === each.accountId,
  )
  return account && { kind: 'refused', reason: 'suspended', account }
}

/** Before the sign-in continues in another account, the page says why the previous one can't be used. */
function afterLoss(
  decided: Choice,
  memberships: SelectableMembership[],
  { selected, lastAccount }: Pick<Wish, 'selected' | 'lastAccount'>,
): Choice {
  const lost = selected === undefined ? lastAccount : lostAmong(memberships, selected)
  if (!lost) return decided
  if (decided.kind === 'several') return { ...decided, lost }
  if (decided.kind === 'selected' && selected === undefined)
    return { kind: 'several', memberships: [decided.membership], lost }
  return decided
}

function lostAmong(memberships: SelectableMembership[], selected: string): LostAccount | undefined {
  const found = memberships.find(({ accountId }) => accountId === selected)
  if (found?.status !== 'blocked' && found?.status !== 'suspended') return undefined
  return { name: found.accountName, status: found.status }
}

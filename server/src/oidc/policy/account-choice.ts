/**
 * Which account a sign-in is for. Decided from the request, what the person chose in this sign-in, and the memberships
 * as they are now; never from what the browser did before. prompts.ts asks when nothing decides.
 */
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Place } from '../../resources/sessions/queries.ts'

export type Choice =
  | { kind: 'place'; place: Place }
  /** Several accounts are possible: the person has to say. */
  | { kind: 'several'; places: Place[] }
  /** No active membership where one is asked for. `reason` is shown to the person, never to the application. */
  | { kind: 'refused'; reason: 'none' | 'foreign' | 'pending' | 'blocked' }

/**
 * The rule. `requested` is the parameter account_id of /auth, `chosen` what the person picked in the selector.
 * An account the person is no active member of is refused alike whether it exists or not.
 */
export function choose(
  places: Place[],
  multiAccount: boolean,
  requested: string | undefined,
  chosen: string | undefined,
): Choice {
  const active = places.filter((place) => place.status === 'active')
  if (requested !== undefined) {
    const place = active.find((each) => each.accountId === requested)
    return place ? { kind: 'place', place } : { kind: 'refused', reason: 'foreign' }
  }
  const picked = chosen === undefined ? undefined : active.find((each) => each.accountId === chosen)
  if (picked) return { kind: 'place', place: picked }
  // What was picked is gone since: the person is asked again, never signed in where they did not choose to be.
  const lost = chosen !== undefined && active.length > 0
  if (lost || (active.length > 1 && multiAccount)) return { kind: 'several', places: active }
  if (active[0]) return { kind: 'place', place: active[0] }
  if (places.some((place) => place.status === 'pending')) return { kind: 'refused', reason: 'pending' }
  return { kind: 'refused', reason: places.length > 0 ? 'blocked' : 'none' }
}

/** What was decided for a request under way, for the steps of the protocol library that come later in it. */
const choices = new WeakMap<KoaContextWithOIDC, Choice>()

export const rememberChoice = (ctx: KoaContextWithOIDC, choice: Choice) => void choices.set(ctx, choice)
export const choiceOf = (ctx: KoaContextWithOIDC): Choice | undefined => choices.get(ctx)

/** The account the person picked in this sign-in; it travels in the interaction's result. */
export function chosenAccount(ctx: KoaContextWithOIDC): string | undefined {
  const result = ctx.oidc.result as { select_account?: { accountId?: string } } | undefined
  return result?.select_account?.accountId
}

/** What the user has opened with the command palette, in this browser, until they sign out. */

/** The newest ones. */
const VISITS_MAX = 10

type Visit = { id: string; icon: never; name: string; detail: string; href: string }
/** The names are readable for this user in this context only. */
type Visitor = { userId: string; context: string }

const PREFIX = 'tenantry.visits.'
const prefixOf = (userId: string) => `${PREFIX}${userId}.`
const keyOf = ({ userId, context }: Visitor) => prefixOf(userId) + context

export const visitsOf = (visitor: Visitor): Visit[] =>
  JSON.parse(localStorage.getItem(keyOf(visitor)) ?? '[]')

export function rememberVisit(visitor: Visitor, visit: object & { id: string }): void {
  const others = visitsOf(visitor).filter(({ id }) => id !== visit.id)
  localStorage.setItem(keyOf(visitor), JSON.stringify([visit, ...others].slice(0, VISITS_MAX)))
}

/** Removes what others have opened; without a user, what anyone has. */
export function forgetVisits(except?: string): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(PREFIX) && !(except !== undefined && key.startsWith(prefixOf(except))))
      localStorage.removeItem(key)
}

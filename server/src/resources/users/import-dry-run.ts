/**
 * What an import would do, decided by reading alone: nothing is written, locked or counted. The addresses of
 * earlier lines count as taken, as they would be by then.
 */
import type { Db } from '../../database/database.ts'
import type { Scope } from '../../http/authority.ts'
import { demandQuota } from '../../http/quotas.ts'
import type { CreatedUser } from './queries.ts'
import { findTaken } from './queries.ts'
import { countWithoutMembership } from './system-users.ts'

type Given = CreatedUser & { id: string }

/** Returns the users of a batch that the import would create. Throws `limit_reached`. */
export type DryRun = (users: readonly Given[]) => Promise<Given[]>

export function startDryRun(db: Db, scope: Scope): DryRun {
  const seen = new Set<string>()
  let withoutMembership: number | undefined
  return async (users) => {
    const taken = await findTaken(
      db,
      users.map(({ email }) => email),
    )
    const free = users.filter(({ email }) => {
      const isFree = !taken.has(email) && !seen.has(email)
      if (isFree) seen.add(email)
      return isFree
    })
    if (scope === null || free.length === 0) return free
    withoutMembership ??= await countWithoutMembership(db, scope)
    withoutMembership += free.length
    demandQuota('usersWithoutMembership', withoutMembership)
    return free
  }
}

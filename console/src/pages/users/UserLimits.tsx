import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { clock } from '../../parts/Time.tsx'
import { useClearLimits } from '../../parts/useClearLimits.ts'
import { fill, texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

/** How long the user has to wait after too many wrong attempts; undefined if not. */
export function useWait(userId: string): string | undefined {
  const limits = useRead('/admin/limits', { query: { userId } })
  const waits = limits.data?.data.flatMap(({ until }) => until ?? []) ?? []
  return waits
    .filter((until) => Date.parse(until) > Date.now())
    .sort()
    .at(-1)
}

/** Until when each user has to wait, by id: of all users in one request, which names at most a hundred. */
export function useWaits(): ReadonlyMap<string, string> {
  const limits = useRead('/admin/limits')
  const waits = new Map<string, string>()
  for (const { userId, until } of limits.data?.data ?? [])
    if (until && until > (waits.get(userId) ?? '')) waits.set(userId, until)
  return waits
}

export function Wait({ user, until }: { user: User; until: string }) {
  const t = texts.limits
  const { canChange } = usePlace()
  const clear = useClearLimits()
  return (
    <ul className="rows">
      <li>
        <span>{fill(t.wait, { time: clock(until) })}</span>
        {canChange && (
          <button type="button" onClick={() => void clear(user)}>
            {t.clear}
          </button>
        )}
      </li>
    </ul>
  )
}

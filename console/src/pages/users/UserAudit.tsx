import { Link } from '@tanstack/react-router'
import { AuditList } from '../../parts/audit/AuditList.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { texts } from '../../texts/texts.ts'

/** What was done to the user, or what the user did. */
export function UserAudit({ userId }: { userId: string }) {
  const { text } = usePageSearch()
  const t = texts.users
  const isActor = text('as') === 'actor'
  return (
    <>
      <nav className="segments" aria-label={t.tabs.audit}>
        <Link
          to="."
          search={{ tab: 'audit' } as never}
          activeOptions={{ exact: true }}
          aria-current={isActor ? undefined : 'page'}
        >
          {t.asTarget}
        </Link>
        <Link
          to="."
          search={{ tab: 'audit', as: 'actor' } as never}
          aria-current={isActor ? 'page' : undefined}
        >
          {t.asActor}
        </Link>
      </nav>
      <AuditList
        key={String(isActor)}
        name="user-audit"
        given={isActor ? { actorId: userId } : { targetId: userId }}
      />
    </>
  )
}

import { getRouteApi, Link } from '@tanstack/react-router'
import { AuditList } from '../../parts/audit/AuditList.tsx'
import { texts } from '../../texts/texts.ts'
import '../../parts/segments.css'

const route = getRouteApi('/$context/users/$userId')

/** What was done to the user, or what the user did. */
export function UserAudit({ userId }: { userId: string }) {
  const search = route.useSearch()
  const t = texts.users
  const isActor = search.as === 'actor'
  return (
    <>
      <nav className="segments" aria-label={t.tabs.audit}>
        <Link
          to="."
          search={{ tab: 'audit' }}
          activeOptions={{ exact: true }}
          aria-current={isActor ? undefined : 'page'}
        >
          {t.asTarget}
        </Link>
        <Link to="." search={{ tab: 'audit', as: 'actor' }} aria-current={isActor ? 'page' : undefined}>
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

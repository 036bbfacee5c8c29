import { usePlace } from '../../api/context.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { useListQuery } from '../../parts/List.tsx'
import { Page } from '../../parts/Page.tsx'
import { SessionList } from '../../parts/sessions/SessionList.tsx'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'

export function SessionsPage() {
  const { kind } = usePlace()
  const sources = useSources()
  const t = texts.sessions
  const filters: Filter[] = [
    { name: 'userId', title: t.user, source: sources.users() },
    ...(kind === 'platform'
      ? [{ name: 'systemId' as const, title: t.system, source: sources.systems() }]
      : []),
    ...(kind === 'account'
      ? []
      : [{ name: 'accountId' as const, title: t.organization, source: sources.accounts() }]),
  ]
  const query = useListQuery(filters)
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={<ApiCalls calls={[{ path: '/admin/sessions', given: { query } }]} />}
    >
      <SessionList name="sessions" filters={filters} />
    </Page>
  )
}

import { useState } from 'react'
import { usePlace, useSystemId } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useListQuery } from '../../parts/List.tsx'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { MemberList } from '../../parts/members/MemberList.tsx'
import { Page } from '../../parts/Page.tsx'
import { usePageSearch } from '../../parts/search.ts'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'

/** Roles and profiles are those of one application: of the context, or of the filter. */
function useFilters(): Filter[] {
  const { kind } = usePlace()
  const { text } = usePageSearch()
  const sources = useSources()
  const own = useSystemId()
  const t = texts.members
  const systemId = own ?? text('systemId')
  const roles = useRead(
    '/admin/systems/{systemId}/roles',
    { path: { systemId } },
    { enabled: systemId !== '' },
  )
  const roleNames = Object.fromEntries((roles.data ?? []).map(({ id, name }) => [id, name]))
  return [
    { name: 'status', title: t.state, options: t.states },
    ...(kind === 'platform' ? [{ name: 'systemId', title: t.system, source: sources.systems() }] : []),
    ...(kind === 'account'
      ? []
      : [{ name: 'accountId', title: t.account, source: sources.accounts(systemId) }]),
    ...(systemId === ''
      ? []
      : [
          { name: 'roleId', title: t.role, options: roleNames },
          { name: 'profileId', title: t.profiles, source: sources.profiles(systemId), isExtra: true },
        ]),
    { name: 'sort', title: t.sort, options: t.sorts, any: t.newest, isExtra: true },
  ]
}

export function MembersPage() {
  const { kind, canChange } = usePlace()
  const t = texts.members
  const [isNew, setNew] = useState(false)
  const filters = useFilters()
  const query = useListQuery(filters)
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.add}
    </button>
  )
  return (
    <Page
      title={t.title}
      lead={kind === 'account' ? t.leadAccount : t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/memberships', given: { query } }]} />
          {add}
        </>
      }
    >
      <MemberList name="members" filters={filters} add={add} />
      {isNew && <AddMember onClose={() => setNew(false)} />}
    </Page>
  )
}

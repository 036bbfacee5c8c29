import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { usePlace, useSystemId } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useInvite } from '../../parts/invitations/useInvite.tsx'
import { useListQuery } from '../../parts/List.tsx'
import { AddMember } from '../../parts/members/AddMember.tsx'
import { MemberList } from '../../parts/members/MemberList.tsx'
import { Page } from '../../parts/Page.tsx'
import { namedOf } from '../../parts/search.ts'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'

const route = getRouteApi('/$context/members')

/** Roles and profiles are those of one application: of the context, or of the filter. */
function useFilters(): Filter[] {
  const { kind } = usePlace()
  const search = route.useSearch()
  const sources = useSources()
  const own = useSystemId()
  const t = texts.members
  const systemId = own ?? search.systemId ?? ''
  return [
    { name: 'status', title: t.state, options: t.states },
    ...(kind === 'platform'
      ? [{ name: 'systemId' as const, title: t.system, source: sources.systems() }]
      : []),
    ...(kind === 'account'
      ? []
      : [{ name: 'accountId' as const, title: t.organization, source: sources.accounts(systemId) }]),
    ...(systemId === ''
      ? []
      : [
          { name: 'roleId' as const, title: t.role, source: sources.roles(systemId) },
          {
            name: 'profileId' as const,
            title: t.profiles,
            source: sources.profiles(systemId),
            isExtra: true,
          },
        ]),
  ]
}

/** How people become members: an admin of an organization invites, others add users at once. */
function useAdd(): { button: ReactNode; dialog: ReactNode } {
  const { kind, id: accountId, canChange } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const isAccount = kind === 'account'
  const account = useRead('/admin/accounts/{accountId}', { path: { accountId } }, { enabled: isAccount })
  const invite = useInvite(account.data)
  if (isAccount) return invite
  const button = canChange && (
    <button type="button" className="primary" onClick={() => setOpen(true)}>
      <Icon name="plus" />
      {texts.members.add}
    </button>
  )
  return { button, dialog: isOpen && <AddMember onClose={() => setOpen(false)} /> }
}

export function MembersPage() {
  const { kind } = usePlace()
  const t = texts.members
  const { button, dialog } = useAdd()
  const filters = useFilters()
  const query = namedOf(useListQuery(filters))
  return (
    <Page
      title={t.title}
      lead={kind === 'account' ? t.leadOrganization : t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/memberships', given: { query } }]} />
          {button}
        </>
      }
    >
      <MemberList name="members" filters={filters} add={button} />
      {dialog}
    </Page>
  )
}

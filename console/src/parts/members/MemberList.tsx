import type { ReactNode } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import type { Filter } from '../Filters.tsx'
import { List, useListQuery } from '../List.tsx'
import { Named } from '../Named.tsx'
import { type Names, useNames } from '../names.ts'
import { Empty } from '../Page.tsx'
import { Person } from '../Person.tsx'
import { namedOf, usePageSearch } from '../search.ts'
import type { Column } from '../Table.tsx'
import { Time } from '../Time.tsx'
import { MemberBulk } from './MemberBulk.tsx'
import { MemberDialog } from './MemberDialog.tsx'
import { MemberMenu } from './MemberMenu.tsx'
import { MemberState } from './MemberState.tsx'
import { type Member, useMemberActions } from './useMemberActions.tsx'

type Props = {
  name: string
  /** What the list is limited to: its columns are not shown. */
  given?: { accountId?: string; userId?: string }
  filters?: readonly Filter[]
  /** The first step in an empty list. */
  add?: ReactNode
}

/** Memberships. One that is open is in the address. */
export function MemberList({ name, given = {}, filters = [], add }: Props) {
  const { kind, canChange } = usePlace()
  const t = texts.members
  const { search, text, set } = usePageSearch()
  const actions = useMemberActions()
  const query = { ...namedOf(useListQuery(filters)), ...given }
  const members = useRead('/admin/memberships', { query })
  const rows = members.data?.data ?? []
  const names = useNames(rows.flatMap((row) => [row.systemId, ...row.roles, ...row.profiles]))
  const nameOf = (row: Member) => (given.userId ? row.account.name : row.user.email)
  const open = (id: string | undefined) => set({ member: id, page: search.page })
  const hidden = [
    given.userId && 'user',
    (given.accountId || kind === 'account') && 'account',
    (given.accountId || kind !== 'platform') && 'system',
  ]
  return (
    <>
      <List
        label={t.title}
        name={name}
        query={members}
        call={{ path: '/admin/memberships', given: { query } }}
        columns={columnsOf(names).filter(({ key }) => !hidden.includes(key))}
        idOf={({ id }) => id}
        nameOf={nameOf}
        onOpen={({ id }) => open(id)}
        filters={filters}
        {...(given.userId === undefined && { search: t.search })}
        menu={(row) => (
          <MemberMenu member={row} name={nameOf(row)} actions={actions} onEdit={() => open(row.id)} />
        )}
        {...(canChange && {
          bulk: (ids: readonly string[], clear: () => void) => (
            <MemberBulk members={rows.filter(({ id }) => ids.includes(id))} actions={actions} clear={clear} />
          ),
        })}
        empty={
          <Empty title={t.empty}>
            {add && <p>{t.emptyLead}</p>}
            {add}
          </Empty>
        }
      />
      {text('member') && (
        <MemberDialog id={text('member')} actions={actions} onClose={() => open(undefined)} />
      )}
      {actions.dialogs}
    </>
  )
}

function columnsOf(names: Names): Column<Member>[] {
  const t = texts.members
  const namesOf = (ids: readonly string[], none: string) =>
    ids.length === 0 ? (
      <span className="muted">{none}</span>
    ) : (
      ids.map((each) => names.of(each)?.name ?? '…').join(', ')
    )
  return [
    {
      key: 'user',
      title: t.user,
      cell: ({ user }) => <Person {...user} />,
    },
    { key: 'account', title: t.organization, cell: ({ account }) => account.name },
    {
      key: 'system',
      title: t.system,
      cell: ({ systemId }) => <Named type="system" id={systemId} names={names} />,
    },
    { key: 'roles', title: t.roles, cell: ({ roles }) => namesOf(roles, t.noRoles) },
    {
      key: 'profiles',
      title: t.profiles,
      cell: ({ profiles }) => namesOf(profiles, t.noProfiles),
      isExtra: true,
    },
    { key: 'state', title: t.state, cell: ({ status }) => <MemberState status={status} /> },
    {
      key: 'since',
      title: t.since,
      sort: 'createdAt',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      key: 'changed',
      title: t.changed,
      sort: 'updatedAt',
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
      isExtra: true,
    },
    { key: 'id', title: 'ID', cell: ({ id }) => <code>{id}</code>, isExtra: true },
  ]
}

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { MenuItem, MoreMenu } from '../../parts/Menu.tsx'
import { Empty, Page } from '../../parts/Page.tsx'
import { Person } from '../../parts/Person.tsx'
import { namedOf } from '../../parts/search.ts'
import { useSources } from '../../parts/sources.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { useClearLimits } from '../../parts/useClearLimits.ts'
import { texts } from '../../texts/texts.ts'
import { NewUser } from './NewUser.tsx'
import { UserBulk } from './UserBulk.tsx'
import { useWaits } from './UserLimits.tsx'
import { AddressState, UserState, WaitBadge } from './UserState.tsx'
import type { User } from './user.ts'

/** A system does not see whether a user has a password, a second factor or signs in elsewhere. */
function useFilters(isPlatform: boolean): Filter[] {
  const t = texts.users
  const sources = useSources()
  const yesNo = { true: texts.parts.yes, false: texts.parts.no }
  const time = (name: Filter['name'], title: string, end?: Filter['name']): Filter => ({
    name,
    title,
    type: 'datetime-local',
    isExtra: true,
    ...(end && { end }),
  })
  const ofPlatform: Filter[] = [
    { name: 'mfa', title: t.secondFactor, options: yesNo },
    { name: 'systemId', title: t.system, source: sources.systems(), isExtra: true },
    { name: 'hasPassword', title: t.hasPassword, options: yesNo, isExtra: true },
    time('lastLoginAfter', t.signedInAfter, 'lastLoginBefore'),
    time('lastLoginBefore', t.signedInBefore),
  ]
  return [
    { name: 'disabled', title: t.state, options: { false: t.enabled, true: t.disabled } },
    { name: 'emailVerified', title: t.email, options: { true: t.verified, false: t.unverified } },
    ...(isPlatform ? ofPlatform : []),
    time('createdAfter', t.createdAfter, 'createdBefore'),
    time('createdBefore', t.createdBefore),
  ]
}

export function UsersPage() {
  const { key, kind, canChange } = usePlace()
  const [isNew, setNew] = useState(false)
  const filters = useFilters(kind === 'platform')
  const query = namedOf(useListQuery(filters))
  const users = useRead('/admin/users', { query })
  const waits = useWaits()
  const clearLimits = useClearLimits()
  const t = texts.users
  const rows: readonly User[] = users.data?.data ?? []
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.new}
    </button>
  )
  const actions = (
    <>
      {canChange && (
        <Link className="button" to="/$context/import" params={{ context: key }}>
          <Icon name="upload" />
          {t.import}
        </Link>
      )}
      {add}
    </>
  )
  return (
    <Page
      title={t.title}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/users', given: { query } }]} />
          {actions}
        </>
      }
    >
      <List
        label={t.title}
        name="users"
        query={users}
        call={{ path: '/admin/users', given: { query } }}
        columns={columnsOf(kind === 'platform', waits)}
        idOf={({ id }) => id}
        nameOf={({ email }) => email}
        linkOf={({ id }) => ({ to: '/$context/users/$userId', params: { context: key, userId: id } })}
        search={t.search}
        filters={filters}
        {...(canChange && {
          bulk: (ids: readonly string[], clear: () => void) => (
            <UserBulk users={rows.filter(({ id }) => ids.includes(id))} clear={clear} />
          ),
        })}
        {...(canChange &&
          waits.size > 0 && {
            menu: (row: User) =>
              waits.has(row.id) && (
                <MoreMenu name={row.email}>
                  <MenuItem onClick={() => void clearLimits(row)}>{texts.limits.clearAttempts}</MenuItem>
                </MoreMenu>
              ),
          })}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyLead}</p>
            <p className="button-row center">{actions}</p>
          </Empty>
        }
      />
      {isNew && <NewUser onClose={() => setNew(false)} />}
    </Page>
  )
}

function columnsOf(isPlatform: boolean, waits: ReadonlyMap<string, string>): Column<User>[] {
  const t = texts.users
  return [
    {
      key: 'user',
      title: t.user,
      cell: ({ id, name, email }) => <Person id={id} name={name} email={email} />,
    },
    { key: 'id', title: 'ID', cell: ({ id }) => <code>{id}</code>, isExtra: true },
    {
      key: 'state',
      title: t.state,
      cell: (user) => (
        <span className="badges">
          <UserState {...user} />
          <AddressState {...user} />
          <WaitBadge until={waits.get(user.id)} />
        </span>
      ),
    },
    {
      key: 'factor',
      title: t.secondFactor,
      cell: ({ mfaEnabled }) =>
        mfaEnabled === undefined ? null : mfaEnabled ? (
          texts.parts.yes
        ) : (
          <span className="muted">{texts.parts.no}</span>
        ),
    },
    ...(isPlatform
      ? [
          {
            key: 'signedIn',
            title: t.lastSignIn,
            sort: 'lastLoginAt' as const,
            cell: ({ lastLoginAt }: User) => <Time at={lastLoginAt} />,
          },
        ]
      : []),
    {
      key: 'created',
      title: t.created,
      sort: 'createdAt',
      cell: ({ createdAt }) => <Time at={createdAt} none="" />,
    },
  ]
}

import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Avatar } from '../../parts/Avatar.tsx'
import { Badge } from '../../parts/Badge.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { List } from '../../parts/List.tsx'
import { Named } from '../../parts/Named.tsx'
import { type Names, useNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { useSources } from '../../parts/sources.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { formatNumber, texts } from '../../texts/texts.ts'
import { accountsGiven } from './address.ts'
import { NewAccount } from './NewAccount.tsx'
import '../../parts/Person.css'

type Account = Item<'/admin/accounts'>
const route = getRouteApi('/$context/accounts')

export function AccountsPage() {
  const { key, kind, canChange } = usePlace()
  const t = texts.accounts
  const sources = useSources()
  const [isNew, setNew] = useState(false)
  const filters: Filter[] = [
    ...(kind === 'platform'
      ? [{ name: 'systemId' as const, title: t.system, source: sources.systems() }]
      : []),
    { name: 'kind', title: t.kind, options: t.otherKinds, any: t.kinds.organization },
    { name: 'withoutAdmin', title: t.withoutAdmin, options: t.withoutAdminOptions },
  ]
  const given = accountsGiven(key, route.useSearch())
  const accounts = useRead('/admin/accounts', given)
  const names = useNames((accounts.data?.data ?? []).map(({ systemId }) => systemId))
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.new}
    </button>
  )
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/accounts', given }]} />
          {add}
        </>
      }
    >
      <List
        label={t.title}
        name="accounts"
        query={accounts}
        call={{ path: '/admin/accounts', given }}
        columns={columnsOf(names).filter((column) => kind === 'platform' || column.key !== 'system')}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkOf={({ id }) => ({
          to: '/$context/accounts/$accountId',
          params: { context: key, accountId: id },
        })}
        search={t.search}
        filters={filters}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyLead}</p>
            {add}
          </Empty>
        }
      />
      {isNew && <NewAccount onClose={() => setNew(false)} />}
    </Page>
  )
}

/** What is set differently than in a new organization. */
function Settings({
  account: { status, requireMfa, membersVisible, acceptOtherAddress },
}: {
  account: Account
}) {
  const t = texts.accounts
  return (
    <span className="badges">
      {status === 'suspended' && <Badge tone="bad">{t.suspendedState}</Badge>}
      {requireMfa && <Badge tone="plain">{t.factorRequired}</Badge>}
      {!membersVisible && <Badge tone="plain">{t.membersHidden}</Badge>}
      {acceptOtherAddress && <Badge tone="plain">{t.otherAddresses}</Badge>}
    </span>
  )
}

function columnsOf(names: Names): Column<Account>[] {
  const t = texts.accounts
  return [
    {
      key: 'name',
      title: t.name,
      cell: ({ id, name }) => (
        <span className="person">
          <Avatar id={id} name={name} isSquare />
          <strong>{name}</strong>
        </span>
      ),
    },
    { key: 'id', title: 'ID', cell: ({ id }) => <code>{id}</code>, isExtra: true },
    {
      key: 'system',
      title: t.system,
      cell: ({ systemId }) => <Named type="system" id={systemId} names={names} />,
    },
    { key: 'kind', title: t.kind, cell: ({ kind }) => t.kinds[kind] },
    {
      key: 'members',
      title: t.members,
      isNumber: true,
      cell: ({ memberCount }) => formatNumber(memberCount),
    },
    {
      key: 'admins',
      title: t.admins,
      isNumber: true,
      cell: ({ adminCount, kind }) =>
        adminCount === 0 && kind === 'organization' ? (
          <Badge tone="wait">{t.noAdmin}</Badge>
        ) : (
          formatNumber(adminCount)
        ),
    },
    {
      key: 'pending',
      title: t.pending,
      isNumber: true,
      cell: ({ pendingCount }) => (pendingCount === 0 ? '–' : formatNumber(pendingCount)),
    },
    {
      key: 'settings',
      title: t.tabs.settings,
      cell: (account) => <Settings account={account} />,
    },
    {
      key: 'created',
      title: t.created,
      sort: 'createdAt' as const,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

import { getRouteApi } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Avatar } from '../../parts/Avatar.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { Empty, Page } from '../../parts/Page.tsx'
import { usePageSearch } from '../../parts/search.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { NewSystem } from './NewSystem.tsx'
import { clientKindOf, registrationOf, type System } from './system.ts'
import '../../parts/Person.css'

const route = getRouteApi('/$context/systems')

/** All applications of the installation. */
export function SystemsPage() {
  const { key, canChange } = usePlace()
  const search = route.useSearch()
  const { set } = usePageSearch()
  const setNew = (isNew: boolean) => set({ new: isNew ? 1 : undefined }, { replace: !isNew })
  const query = useListQuery()
  const systems = useRead('/admin/systems', { query })
  const t = texts.systems
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.new}
    </button>
  )
  return (
    <Page
      title={t.title}
      lead={t.emptyLead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/systems', given: { query } }]} />
          {add}
        </>
      }
    >
      <List
        label={t.title}
        name="systems"
        query={systems}
        call={{ path: '/admin/systems', given: { query } }}
        columns={columnsOf()}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        linkOf={({ id }) => ({ to: '/$context/systems/$systemId', params: { context: key, systemId: id } })}
        search={t.search}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyLead}</p>
            {add}
          </Empty>
        }
      />
      {canChange && search.new !== undefined && <NewSystem onClose={() => setNew(false)} />}
    </Page>
  )
}

const words = (text: string) => <span className="words">{text}</span>

function columnsOf(): Column<System>[] {
  const t = texts.systems
  return [
    {
      key: 'name',
      title: t.name,
      cell: ({ id, name, platform }) => (
        <span className="person">
          <Avatar id={id} name={name} isSquare />
          <span>
            <strong>{name}</strong>
            {platform && <span className="below">{t.platform}</span>}
          </span>
        </span>
      ),
    },
    { key: 'clientId', title: t.clientId, cell: ({ clientId }) => <Copy text={clientId} /> },
    { key: 'id', title: t.id, cell: ({ id }) => <Copy text={id} />, isExtra: true },
    { key: 'kind', title: t.kind, cell: (system) => words(t.kinds[clientKindOf(system)]) },
    {
      key: 'users',
      title: t.users,
      cell: ({ multiAccount }) => words(multiAccount ? t.organizations : t.individuals),
    },
    { key: 'registration', title: t.registration, cell: (system) => words(t[registrationOf(system)]) },
    {
      key: 'mfa',
      title: t.secondFactor,
      cell: ({ requireMfa }) => words(requireMfa ? t.required : t.optional),
    },
    {
      key: 'created',
      title: t.created,
      sort: 'createdAt' as const,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

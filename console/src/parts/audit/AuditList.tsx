import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Badge } from '../Badge.tsx'
import type { Filter } from '../Filters.tsx'
import { List, useListQuery } from '../List.tsx'
import { Named } from '../Named.tsx'
import { useNames } from '../names.ts'
import { Empty } from '../Page.tsx'
import { usePageSearch } from '../search.ts'
import type { Column } from '../Table.tsx'
import { Time } from '../Time.tsx'
import { EntryDialog } from './EntryDialog.tsx'
import { type Entry, idsOf, Sentence } from './Sentence.tsx'

type Props = {
  /** Names the list in the browser's storage. */
  name: string
  /** What the list is limited to. */
  given?: Record<string, string>
  filters?: readonly Filter[]
}

/** Entries of the audit log. One that is open is in the address. */
export function AuditList({ name, given = {}, filters = [] }: Props) {
  const { kind } = usePlace()
  const t = texts.audit
  const { search, text, set } = usePageSearch()
  const query = { ...useListQuery(filters), ...given }
  const entries = useRead('/admin/audit', { query })
  const rows = entries.data?.data ?? []
  const names = useNames(rows.flatMap(idsOf))
  const open = rows.find(({ id }) => id === text('entry'))
  const columns: Column<Entry>[] = [
    { key: 'what', title: t.what, cell: (entry) => <Sentence entry={entry} names={names} /> },
    {
      key: 'outcome',
      title: t.outcome,
      cell: ({ outcome }) => outcome === 'failure' && <Badge tone="bad">{t.outcomes.failure}</Badge>,
    },
    ...(kind === 'platform'
      ? [
          {
            key: 'system',
            title: t.system,
            cell: ({ systemId }: Entry) => <Named type="system" id={systemId} names={names} />,
          },
        ]
      : []),
    { key: 'ip', title: t.ip, cell: ({ actor }) => <span className="whole">{actor.ip}</span> },
    { key: 'action', title: t.action, cell: ({ action }) => <code>{action}</code>, isExtra: true },
    { key: 'time', title: t.time, sort: 'createdAt' as const, cell: ({ time }) => <Time at={time} /> },
  ]
  return (
    <>
      <List
        label={t.title}
        name={name}
        query={entries}
        call={{ path: '/admin/audit', given: { query } }}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ action }) => action}
        onOpen={({ id }) => set({ entry: id, page: search.page })}
        filters={filters}
        empty={
          <Empty title={t.empty}>
            <p>{t.emptyLead}</p>
          </Empty>
        }
      />
      {open && (
        <EntryDialog
          entry={open}
          names={names}
          onClose={() => set({ entry: undefined, page: search.page })}
        />
      )}
    </>
  )
}

import { Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { useNames } from '../../parts/names.ts'
import { Empty } from '../../parts/Page.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { clock } from '../../parts/Time.tsx'
import { useClearLimits } from '../../parts/useClearLimits.ts'
import { texts } from '../../texts/texts.ts'

/** The users who have to wait after wrong passwords or codes. */
export function Limits() {
  const t = texts.limits
  const { key, canChange } = usePlace()
  const clear = useClearLimits()
  const limits = useRead('/admin/limits')
  const rows = limits.data?.data ?? []
  const names = useNames(rows.map(({ systemId }) => systemId))
  const clearColumn: Column<(typeof rows)[number]> = {
    key: 'clear',
    title: '',
    cell: ({ userId, email }) => (
      <button type="button" onClick={() => void clear({ id: userId, email })}>
        {t.clear}
      </button>
    ),
    isNumber: true,
  }
  if (limits.error) return <Failed error={limits.error} onRetry={() => void limits.refetch()} />
  if (!limits.data) return null
  return (
    <>
      <div className="toolbar">
        <p className="muted">{t.lead}</p>
        <span className="spacer" />
        <ApiCalls
          calls={[
            { path: '/admin/limits' },
            { method: 'DELETE', path: '/admin/limits', given: { query: { userId: rows[0]?.userId ?? '…' } } },
          ]}
        />
      </div>
      {rows.length === 0 ? (
        <Empty title={t.none} />
      ) : (
        <Table
          label={t.title}
          rows={rows}
          idOf={(row) => [row.userId, row.credential, row.from, row.systemId, row.until].join()}
          nameOf={({ email }) => email}
          columns={[
            {
              key: 'user',
              title: t.user,
              cell: ({ userId, email }) => (
                <Link to="/$context/users/$userId" params={{ context: key, userId }}>
                  {email}
                </Link>
              ),
            },
            { key: 'what', title: t.what, cell: ({ credential }) => t.credentials[credential] },
            { key: 'sender', title: t.sender, cell: ({ from }) => t.senders[from] },
            {
              key: 'application',
              title: t.application,
              cell: ({ systemId }) => (systemId ? (names.of(systemId)?.name ?? '…') : t.everywhere),
            },
            { key: 'attempts', title: t.attempts, cell: ({ attempts }) => attempts, isNumber: true },
            { key: 'until', title: t.until, cell: ({ until }) => until && clock(until) },
            ...(canChange ? [clearColumn] : []),
          ]}
        />
      )}
    </>
  )
}

import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { useSetsUp } from '../domains/domain.ts'
import { Failed } from '../Failed.tsx'
import { Icon } from '../Icon.tsx'
import { type Column, Table } from '../Table.tsx'
import { Time } from '../Time.tsx'
import { type Account, type Connection, hostOf, PATH } from './connection.ts'
import { NewConnection } from './NewConnection.tsx'
import { States } from './States.tsx'

/** The connections of an organization: each has a page. */
export function Connections({ account }: { account: Account }) {
  const t = texts.connections
  const { key } = usePlace()
  const read = useRead(PATH, { path: { accountId: account.id } })
  const setsUp = useSetsUp(account)
  const [isNew, setNew] = useState(false)
  if (read.error && !read.data) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return null
  return (
    <section>
      <div className="section-head">
        <div>
          <h2>{t.title}</h2>
          <p className="muted">{read.data.length > 0 ? t.lead : `${t.lead} ${t.none}`}</p>
        </div>
        {setsUp !== false && (
          <button type="button" className="primary" onClick={() => setNew(true)}>
            <Icon name="plus" />
            {t.add}
          </button>
        )}
      </div>
      {read.data.length > 0 && (
        <Table
          label={t.title}
          columns={columnsOf()}
          rows={read.data}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          linkOf={({ id, accountId }) => ({
            to: '/$context/accounts/$accountId/connections/$connectionId',
            params: { context: key, accountId, connectionId: id },
          })}
        />
      )}
      {isNew && <NewConnection account={account} onClose={() => setNew(false)} />}
    </section>
  )
}

function columnsOf(): Column<Connection>[] {
  const t = texts.connections
  return [
    { key: 'name', title: t.name, cell: ({ name }) => <strong>{name}</strong> },
    { key: 'provider', title: t.service, cell: (row) => hostOf(row) ?? '–' },
    { key: 'state', title: t.state, cell: (row) => <States connection={row} /> },
    { key: 'used', title: t.used, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    { key: 'setBy', title: t.setBy, cell: ({ setBy }) => texts.domains.setByValues[setBy] },
  ]
}

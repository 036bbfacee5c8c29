import { Link } from '@tanstack/react-router'
import { useContextKey, useRead } from '../../api/queries.ts'
import { Badge } from '../../parts/Badge.tsx'
import { type Attempt, type Connection, ONE, pathOf } from '../../parts/connections/connection.ts'
import { Reason } from '../../parts/connections/States.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Empty } from '../../parts/Page.tsx'
import { Person } from '../../parts/Person.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'

/** The sign-ins and tests of a connection, newest first. */
export function ConnectionLog({ connection }: { connection: Connection }) {
  const t = texts.connections
  const context = useContextKey()
  const read = useRead(`${ONE}/attempts`, { path: pathOf(connection) })
  if (read.error && !read.data) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return null
  if (read.data.length === 0)
    return (
      <Empty title={t.logNone}>
        <p>{t.logLead}</p>
      </Empty>
    )
  return (
    <>
      <p className="muted">{t.logLead}</p>
      <Table
        label={t.tabs.log}
        columns={columnsOf(context)}
        rows={read.data}
        idOf={({ id }) => id}
        nameOf={({ email, subject, time }) => email ?? subject ?? time}
      />
    </>
  )
}

function columnsOf(context: string): Column<Attempt>[] {
  const t = texts.connections
  return [
    { key: 'time', title: texts.parts.time, cell: ({ time }) => <Time at={time} /> },
    {
      key: 'outcome',
      title: t.outcome,
      cell: ({ outcome }) => (
        <Badge tone={outcome === 'refused' ? 'bad' : 'good'}>{t.outcomes[outcome]}</Badge>
      ),
    },
    {
      key: 'person',
      title: t.person,
      cell: ({ email, subject }) =>
        email === null && subject === null ? (
          '–'
        ) : (
          <Person id={subject ?? ''} name={email} email={subject ?? ''} isInWideRow />
        ),
    },
    { key: 'reason', title: t.reason, cell: ({ code }) => (code === null ? '–' : <Reason code={code} />) },
    {
      key: 'request',
      title: texts.parts.requestId,
      cell: ({ requestId }) =>
        requestId !== null && (
          <Link to="/$context/audit" params={{ context }} search={{ requestId }}>
            <code className="whole">{requestId.slice(0, 8)}</code>
          </Link>
        ),
    },
  ]
}

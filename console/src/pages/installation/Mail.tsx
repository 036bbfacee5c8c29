import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { Badge, type Tone } from '../../parts/Badge.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { Empty } from '../../parts/Page.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'

const TONES: Record<string, Tone> = { sent: 'good', pending: 'wait', failed: 'bad', expired: 'bad' }

/** The email queue, without the content of the emails. */
export function Mail() {
  const t = texts.installation
  const { key } = usePlace()
  const filters: Filter[] = [{ name: 'status', title: t.state, options: t.mailStates }]
  const query = useListQuery(filters)
  const mail = useRead('/admin/mail', { query })
  return (
    <>
      <p className="muted">{t.mailLead}</p>
      <List
        label={t.mail}
        name="mail"
        query={mail}
        call={{ path: '/admin/mail', given: { query } }}
        filters={filters}
        idOf={({ id }) => id}
        nameOf={({ recipient }) => recipient}
        columns={[
          {
            key: 'to',
            title: t.recipient,
            cell: ({ recipient, userId }) =>
              userId ? <a href={`/console/${key}/users/${userId}`}>{recipient}</a> : recipient,
          },
          { key: 'kind', title: t.email, cell: ({ kind }) => <code>{kind}</code> },
          {
            key: 'status',
            title: t.state,
            cell: ({ status }) => (
              <Badge tone={TONES[status] ?? 'plain'}>
                {t.mailStates[status as keyof typeof t.mailStates] ?? status}
              </Badge>
            ),
          },
          { key: 'attempts', title: t.attempts, cell: ({ attempts }) => attempts, isNumber: true },
          { key: 'error', title: t.lastError, cell: ({ lastError }) => lastError },
          { key: 'created', title: t.queued, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={<Empty title={t.noMail} />}
      />
    </>
  )
}

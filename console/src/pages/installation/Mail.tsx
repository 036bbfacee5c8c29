import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { Badge, type Tone } from '../../parts/Badge.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { Empty } from '../../parts/Page.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { TestEmail } from './TestEmail.tsx'

const TONES: Record<string, Tone> = { sent: 'good', pending: 'wait', failed: 'bad', expired: 'bad' }

/** The email queue, without the content of the emails. */
export function Mail() {
  const t = texts.installation
  const { key, canChange } = usePlace()
  const [isTesting, setTesting] = useState(false)
  const filters: Filter[] = [{ name: 'status', title: t.state, options: t.mailStates }]
  const query = useListQuery(filters)
  const mail = useRead('/admin/mail', { query })
  const close = () => {
    setTesting(false)
    void mail.refetch()
  }
  return (
    <>
      <div className="toolbar">
        <p className="muted">{t.mailLead}</p>
        <span className="spacer" />
        {canChange && (
          <button type="button" onClick={() => setTesting(true)}>
            {t.sendTest}
          </button>
        )}
      </div>
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
          { key: 'kind', title: t.kind, cell: ({ kind }) => <code>{kind}</code> },
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
          { key: 'error', title: t.lastError, cell: (email) => <Reason {...email} /> },
          { key: 'created', title: t.queued, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={<Empty title={t.noMail} />}
      />
      {isTesting && <TestEmail onClose={close} />}
    </>
  )
}

/** Why the last attempt failed, and the error itself. */
const Reason = ({ problem, lastError }: Item<'/admin/mail'>) =>
  problem && (
    <>
      {texts.installation.mailProblems[problem]}
      <code className="below">{lastError}</code>
    </>
  )

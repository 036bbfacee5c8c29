import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { type Item, useRead } from '../../api/queries.ts'
import { textNamed, texts } from '../../texts/texts.ts'
import { Badge, type Tone } from '../Badge.tsx'
import type { Filter } from '../Filters.tsx'
import { List, useListQuery } from '../List.tsx'
import { Empty } from '../Page.tsx'
import { Time } from '../Time.tsx'
import { MAIL_KINDS } from './kinds.ts'
import { TestEmail } from './TestEmail.tsx'

const TONES: Record<string, Tone> = { sent: 'good', pending: 'wait', failed: 'bad', expired: 'bad' }

/** The kind of an email in words. */
const nameOfKind = (kind: string): string => textNamed(texts.emailTexts.kinds, kind) ?? kind

/** The email queue, or the emails of one user, without their content. */
export function MailList({ userId }: { userId?: string }) {
  const t = texts.installation
  const { key, kind, canChange } = usePlace()
  const installation = useRead('/admin/installation', {}, { enabled: kind === 'platform' })
  const [isTesting, setTesting] = useState(false)
  const kinds = Object.fromEntries(MAIL_KINDS.map((kind) => [kind, nameOfKind(kind)]))
  const filters: Filter[] = [
    { name: 'status', title: t.state, options: t.mailStates },
    { name: 'kind', title: t.kind, options: kinds },
  ]
  const query = { ...useListQuery(filters), ...(userId && { userId }) }
  const mail = useRead('/admin/mail', { query })
  const close = () => {
    setTesting(false)
    void mail.refetch()
  }
  return (
    <>
      <div className="toolbar">
        <p className="muted">
          {t.mailLead} {installation.data?.mail.transport === 'outbox' && <strong>{t.testOutbox}</strong>}
        </p>
        <span className="spacer" />
        {canChange && !userId && (
          <button type="button" onClick={() => setTesting(true)}>
            {t.sendTest}
          </button>
        )}
      </div>
      <List
        label={t.mail}
        name={userId ? 'user-mail' : 'mail'}
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
          { key: 'kind', title: t.kind, cell: ({ kind }) => nameOfKind(kind) },
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
          {
            key: 'created',
            title: t.queued,
            sort: 'createdAt' as const,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
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

import { useRead } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../Failed.tsx'
import { useNames } from '../names.ts'
import { Time } from '../Time.tsx'
import { idsOf, Sentence } from './Sentence.tsx'
import './Timeline.css'

type Props = { query: Record<string, string>; size?: number }

/** What happened to one thing, newest first. */
export function Timeline({ query, size = 10 }: Props) {
  const entries = useRead('/admin/audit', { query: { ...query, pageSize: size } })
  const rows = entries.data?.data ?? []
  const names = useNames(rows.flatMap(idsOf))
  if (entries.error && !entries.data) return <Failed error={entries.error} />
  if (entries.data && rows.length === 0) return <p className="muted">{texts.audit.empty}</p>
  return (
    <ol className="timeline">
      {rows.map((entry) => (
        <li key={entry.id} data-outcome={entry.outcome}>
          <Sentence entry={entry} names={names} />
          <span className="muted">
            <Time at={entry.time} />
          </span>
        </li>
      ))}
    </ol>
  )
}

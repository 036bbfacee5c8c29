import { useRead } from '../../api/queries.ts'
import { Badge, type Tone } from '../../parts/Badge.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { useNames } from '../../parts/names.ts'
import { Empty } from '../../parts/Page.tsx'
import { Time } from '../../parts/Time.tsx'
import { formatNumber, texts } from '../../texts/texts.ts'

const TONES: Record<string, Tone> = { queued: 'wait', running: 'wait', finished: 'good' }

/** 3 s, in ms. */
const INTERVAL = 3_000

/** The rest of large changes, which the server does in batches. */
export function Jobs() {
  const t = texts.installation
  const query = useListQuery()
  const jobs = useRead('/admin/jobs', { query }, { refetchInterval: INTERVAL })
  const names = useNames(jobs.data?.data.map(({ target }) => target.id) ?? [])
  return (
    <>
      <p className="muted">{t.jobsLead}</p>
      <List
        label={t.jobs}
        name="jobs"
        query={jobs}
        call={{ path: '/admin/jobs', given: { query } }}
        idOf={({ id }) => id}
        nameOf={({ kind }) => t.jobKinds[kind]}
        columns={[
          { key: 'kind', title: t.job, cell: ({ kind }) => t.jobKinds[kind] },
          { key: 'target', title: t.jobTarget, cell: ({ target }) => names.of(target.id)?.name ?? target.id },
          {
            key: 'status',
            title: t.state,
            cell: ({ status }) => <Badge tone={TONES[status] ?? 'plain'}>{t.jobStates[status]}</Badge>,
          },
          {
            key: 'progress',
            title: t.progress,
            cell: ({ done, total }) => (
              <>
                <progress max={total} value={done} aria-label={t.progress} />{' '}
                <span>
                  {formatNumber(done)} / {formatNumber(total)}
                </span>
              </>
            ),
          },
          { key: 'error', title: t.lastError, cell: ({ error }) => error },
          {
            key: 'created',
            title: t.started,
            sort: 'createdAt' as const,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
          { key: 'finished', title: t.finished, cell: ({ finishedAt }) => <Time at={finishedAt} none="" /> },
        ]}
        empty={<Empty title={t.noJobs} />}
      />
    </>
  )
}

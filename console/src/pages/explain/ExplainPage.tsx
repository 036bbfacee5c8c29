import { getRouteApi } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Page } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { textNamed, texts } from '../../texts/texts.ts'
import { questionOf } from './address.ts'
import { Question } from './Question.tsx'
import { type Explanation, FixButton, reportOf, Steps, sentenceOf } from './Steps.tsx'
import './ExplainPage.css'

const route = getRouteApi('/$context/explain')

/** Why a user can or cannot sign in to an application, step by step. */
export function ExplainPage() {
  const t = texts.explain
  const { key } = usePlace()
  const { query, isAsked } = questionOf(key, route.useSearch())
  const found = useRead('/admin/explain', { query }, { enabled: isAsked })
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={<ApiCalls calls={[{ path: '/admin/explain', given: { query } }]} />}
    >
      <Question key={JSON.stringify([key, query])} onRepeat={() => isAsked && void found.refetch()} />
      {isAsked && found.error && !found.data ? <Failed error={found.error} /> : null}
      {isAsked && found.data && <Result explanation={found.data} />}
    </Page>
  )
}

function Result({ explanation }: { explanation: Explanation }) {
  const t = texts.explain
  const { kind } = usePlace()
  const { outcome, complete, attempts, token, steps } = explanation
  const decisive =
    steps.find(({ verdict }) => verdict === 'refused') ?? steps.find(({ verdict }) => verdict === 'asked')
  return (
    <>
      <section className={`outcome ${outcome}`} role="status">
        <div>
          <h2>{outcome === 'granted' && !complete ? t.outcomes.grantedAsShown : t.outcomes[outcome]}</h2>
          {decisive && <p>{sentenceOf(decisive, kind)}</p>}
        </div>
        {decisive && <FixButton step={decisive} />}
        <Copy text={reportOf(explanation)} label={t.copyReport} isHidden />
      </section>
      <Steps explanation={explanation} />
      {token && (
        <details className="panel">
          <summary>{t.token}</summary>
          <pre>{JSON.stringify(token, null, 2)}</pre>
        </details>
      )}
      <Attempts attempts={attempts} />
    </>
  )
}

function Attempts({ attempts }: Pick<Explanation, 'attempts'>) {
  const t = texts.explain
  if (attempts.length === 0) return null
  return (
    <section>
      <h2>{t.attempts}</h2>
      <Table
        label={t.attempts}
        rows={attempts}
        idOf={(row) => `${row.time} ${row.action} ${row.requestId}`}
        nameOf={({ action }) => action}
        columns={[
          { key: 'time', title: t.time, cell: ({ time }) => <Time at={time} /> },
          {
            key: 'what',
            title: t.what,
            cell: ({ action, outcome }) => (
              <Badge tone={outcome === 'failure' ? 'bad' : 'good'}>
                {textNamed(t.actions, action) ?? action}
              </Badge>
            ),
          },
          {
            key: 'reason',
            title: t.reason,
            cell: ({ reason }) => (reason ? (textNamed(t.reasons, reason) ?? reason) : ''),
          },
          { key: 'ip', title: t.ip, cell: ({ ip }) => <span className="whole">{ip}</span> },
          {
            key: 'request',
            title: texts.parts.requestId,
            cell: ({ requestId }) => requestId && <Copy text={requestId} />,
          },
        ]}
      />
    </section>
  )
}

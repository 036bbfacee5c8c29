import { usePlace } from '../../api/context.ts'
import { type Answer, useRead } from '../../api/queries.ts'
import { entryOfEvent } from '../../parts/audit/of-event.ts'
import { idsOf, Sentence } from '../../parts/audit/Sentence.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { useNames } from '../../parts/names.ts'
import { Snippet } from '../../parts/Snippet.tsx'
import { exact, Time } from '../../parts/Time.tsx'
import { useAct } from '../../parts/useAct.ts'
import { fill, formatNumber, texts } from '../../texts/texts.ts'
import { STATUS_TONES, type Webhook } from './webhook.ts'
import './DeliveryPanel.css'

const ONE = '/admin/systems/{systemId}/webhooks/{webhookId}/deliveries/{deliveryId}'
type Whole = Answer<typeof ONE>

/** 3 s, in ms. */
const POLL = 3_000

type Props = { webhook: Webhook; deliveryId: string; onClose: () => void }

/** One delivery: what was sent, and what each attempt got. */
export function DeliveryPanel({ webhook, deliveryId, onClose }: Props) {
  const { canChange } = usePlace()
  const act = useAct()
  const t = texts.webhooks
  const path = { systemId: webhook.systemId, webhookId: webhook.id, deliveryId }
  const read = useRead(ONE, { path }, { refetchInterval: POLL })
  const delivery = read.data
  const names = useNames(delivery ? idsOf(entryOfEvent(delivery.payload)) : [])
  const resend = () => act((api) => api.post(`${ONE}/resend`, { path }), t.resent)
  return (
    <Dialog title={fill(t.delivery, { type: delivery?.type ?? '…' })} onClose={onClose} place="end">
      {read.error && !delivery && <Failed error={read.error} onRetry={() => void read.refetch()} />}
      {delivery && (
        <>
          <p>
            <Sentence entry={entryOfEvent(delivery.payload)} names={names} />
          </p>
          <DeliveryFacts delivery={delivery} />
          {canChange && webhook.enabled && (
            <p className="after">
              <button type="button" onClick={() => void resend()}>
                {t.resend}
              </button>
            </p>
          )}
          <h3>{t.attempts}</h3>
          <Attempts attempts={delivery.attempts} />
          <details className="more-panel">
            <summary>{t.payload}</summary>
            <Snippet code={JSON.stringify(delivery.payload, null, 2)} label={t.payload} />
            <p className="hint after">{t.headersLead}</p>
          </details>
        </>
      )}
    </Dialog>
  )
}

function DeliveryFacts({ delivery }: { delivery: Whole }) {
  const t = texts.webhooks
  const { status, timestamp, nextAttemptAt, finishedAt, eventId } = delivery
  return (
    <Facts
      facts={[
        [
          t.status,
          <Badge key="status" tone={STATUS_TONES[status]}>
            {t.statuses[status]}
          </Badge>,
        ],
        [t.time, exact(timestamp)],
        ...(nextAttemptAt ? [[t.nextAttempt, <Time key="next" at={nextAttemptAt} />] as const] : []),
        ...(finishedAt ? [[t.finished, exact(finishedAt)] as const] : []),
        ['webhook-id', <Copy key="id" text={eventId} />],
      ]}
    />
  )
}

function Attempts({ attempts }: { attempts: Whole['attempts'] }) {
  const t = texts.webhooks
  if (attempts.length === 0) return <p className="muted">{t.none}</p>
  return (
    <ol className="attempts">
      {attempts.toReversed().map(({ time, status, error, durationMs, answer }) => (
        <li key={time}>
          <Badge tone={status !== null && status >= 200 && status < 300 ? 'good' : 'bad'}>
            {status ?? t.noResponse}
          </Badge>{' '}
          <Time at={time} /> <span className="muted">{fill(t.ms, { count: formatNumber(durationMs) })}</span>
          {error && <p className="fault">{error}</p>}
          {answer && (
            <details>
              <summary>{t.answer}</summary>
              <pre>{answer}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}

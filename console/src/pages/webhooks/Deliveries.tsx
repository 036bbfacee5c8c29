import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { EventLine } from '../../parts/audit/EventLine.tsx'
import { entryOfEvent } from '../../parts/audit/of-event.ts'
import { idsOf } from '../../parts/audit/Sentence.tsx'
import { Badge } from '../../parts/Badge.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { type Names, useNames } from '../../parts/names.ts'
import { Empty } from '../../parts/Page.tsx'
import { usePageSearch } from '../../parts/search.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { fill, formatNumber, texts } from '../../texts/texts.ts'
import { DeliveryPanel } from './DeliveryPanel.tsx'
import { type Delivery, EVENT_TYPES, STATUS_TONES, type Webhook } from './webhook.ts'

const route = getRouteApi('/$context/webhooks/$systemId/$webhookId')

/** 5 s, in ms. */
const POLL = 5_000

/** What was sent to a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { set } = usePageSearch()
  const t = texts.webhooks
  const filters: Filter[] = [
    { name: 'status', title: t.status, options: t.statuses },
    {
      name: 'type',
      title: t.eventType,
      options: Object.fromEntries([...EVENT_TYPES, 'webhook.test'].map((type) => [type, type])),
    },
    { name: 'eventId', title: t.eventId, isExtra: true },
    { name: 'from', title: t.from, type: 'datetime-local', end: 'to' },
    { name: 'to', title: t.to, type: 'datetime-local', isExtra: true },
  ]
  const query = useListQuery(filters)
  const path = { systemId: webhook.systemId, webhookId: webhook.id }
  const list = '/admin/systems/{systemId}/webhooks/{webhookId}/deliveries'
  const deliveries = useRead(list, { path, query }, { refetchInterval: POLL })
  const names = useNames((deliveries.data?.data ?? []).flatMap(({ payload }) => idsOf(entryOfEvent(payload))))
  const open = route.useSearch().delivery
  return (
    <section className="after-panels">
      <h2>{t.deliveries}</h2>
      <List
        label={t.deliveries}
        name="deliveries"
        query={deliveries}
        call={{ path: list, given: { path, query } }}
        columns={columnsOf(names)}
        idOf={({ id }) => id}
        nameOf={({ type }) => type}
        onOpen={({ id }) => set({ delivery: id, page: query.page > 1 ? query.page : undefined })}
        filters={filters}
        empty={
          <Empty title={t.noDeliveries}>
            <p>{t.noDeliveriesLead}</p>
          </Empty>
        }
      />
      {open && (
        <DeliveryPanel
          webhook={webhook}
          deliveryId={open}
          onClose={() => set({ delivery: undefined, page: query.page > 1 ? query.page : undefined })}
        />
      )}
    </section>
  )
}

function columnsOf(names: Names): Column<Delivery>[] {
  const t = texts.webhooks
  return [
    {
      key: 'event',
      title: t.event,
      cell: ({ type, payload }) => <EventLine type={type} entry={entryOfEvent(payload)} names={names} />,
    },
    {
      key: 'time',
      title: t.time,
      sort: 'createdAt' as const,
      cell: ({ timestamp }) => <Time at={timestamp} />,
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{t.statuses[status]}</Badge>,
    },
    {
      key: 'attempts',
      title: t.attempts,
      isNumber: true,
      cell: ({ attempts }) => formatNumber(attempts.length),
    },
    {
      key: 'response',
      title: t.lastResponse,
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        return last ? (
          String(last.status ?? last.error ?? t.noResponse)
        ) : (
          <span className="muted">{t.none}</span>
        )
      },
    },
    {
      key: 'duration',
      title: t.duration,
      isNumber: true,
      cell: ({ attempts }) => {
        const last = attempts.at(-1)
        return last ? fill(t.ms, { count: formatNumber(last.durationMs) }) : ''
      },
    },
    {
      key: 'next',
      title: t.nextAttempt,
      cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} none={t.none} />,
    },
    { key: 'eventId', title: t.eventId, cell: ({ eventId }) => <code>{eventId}</code>, isExtra: true },
  ]
}

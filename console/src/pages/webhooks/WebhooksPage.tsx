import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import type { Filter } from '../../parts/Filters.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { List, useListQuery } from '../../parts/List.tsx'
import { Named } from '../../parts/Named.tsx'
import { type Names, useNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { useSources } from '../../parts/sources.ts'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { count, texts } from '../../texts/texts.ts'
import { NewWebhook } from './NewWebhook.tsx'
import { counted, State } from './State.tsx'
import { TryWebhook } from './TryWebhook.tsx'
import type { WebhookState } from './webhook.ts'

const route = getRouteApi('/$context/webhooks')

/** The webhooks of all applications, or of one. */
export function WebhooksPage() {
  const { key, kind, id, canChange } = usePlace()
  const [isNew, setNew] = useState(false)
  const [isTried, setTried] = useState(false)
  const search = route.useSearch()
  const sources = useSources()
  const t = texts.webhooks
  const filters: Filter[] = [
    { name: 'state', title: t.state, options: t.states },
    ...(kind === 'platform'
      ? [{ name: 'systemId' as const, title: t.system, source: sources.systems() }]
      : []),
  ]
  const query = useListQuery(filters)
  const webhooks = useRead('/admin/webhooks', { query })
  const names = useNames(
    kind === 'platform' ? (webhooks.data?.data ?? []).map(({ systemId }) => systemId) : [],
  )
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setNew(true)}>
      <Icon name="plus" />
      {t.new}
    </button>
  )
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/webhooks', given: { query } }]} />
          <button type="button" onClick={() => setTried(true)}>
            {t.try}
          </button>
          {add}
        </>
      }
    >
      <List
        label={t.title}
        name="webhooks"
        query={webhooks}
        call={{ path: '/admin/webhooks', given: { query } }}
        columns={columnsOf(names, kind === 'platform')}
        idOf={(webhook) => webhook.id}
        nameOf={({ url }) => url}
        linkOf={({ systemId, id: webhookId }) => ({
          to: '/$context/webhooks/$systemId/$webhookId',
          params: { context: key, systemId, webhookId },
        })}
        filters={filters}
        empty={
          <Empty title={t.empty}>
            <p>{t.noWebhook}</p>
            {add}
          </Empty>
        }
      />
      {isTried && <TryWebhook onClose={() => setTried(false)} />}
      {isNew && (
        <NewWebhook
          systemId={kind === 'system' ? id : (search.systemId ?? '')}
          onClose={() => setNew(false)}
        />
      )}
    </Page>
  )
}

function columnsOf(names: Names, hasSystem: boolean): Column<WebhookState>[] {
  const t = texts.webhooks
  const system: Column<WebhookState> = {
    key: 'system',
    title: t.system,
    cell: ({ systemId }) => <Named id={systemId} type="system" names={names} />,
  }
  return [
    { key: 'url', title: t.url, cell: ({ url }) => <strong>{url}</strong> },
    ...(hasSystem ? [system] : []),
    {
      key: 'events',
      title: t.events,
      cell: ({ events }) => (events.length === 0 ? t.allEvents : count(t.eventCount, events.length)),
    },
    { key: 'state', title: t.state, cell: (webhook) => <State webhook={webhook} /> },
    {
      key: 'delivered',
      title: t.delivered,
      isNumber: true,
      cell: ({ deliveries }) => counted(deliveries.delivered, deliveries.countedMax),
    },
    {
      key: 'failed',
      title: t.failed,
      isNumber: true,
      cell: ({ deliveries }) => counted(deliveries.failed, deliveries.countedMax),
    },
    {
      key: 'oldest',
      title: t.oldest,
      cell: ({ deliveries }) => <Time at={deliveries.oldestPendingAt} none={t.none} />,
    },
  ]
}

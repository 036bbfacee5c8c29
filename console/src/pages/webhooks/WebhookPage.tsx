import { getRouteApi, Link } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useRead, useVersioned } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Named } from '../../parts/Named.tsx'
import { useNames } from '../../parts/names.ts'
import { Page } from '../../parts/Page.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts/texts.ts'
import { Deliveries } from './Deliveries.tsx'
import { counted, State } from './State.tsx'
import { Verify } from './Verify.tsx'
import { WebhookActions } from './WebhookActions.tsx'
import type { Webhook, WebhookState } from './webhook.ts'

const route = getRouteApi('/$context/webhooks/$systemId/$webhookId')

/** 5 s, in ms: a test appears without a reload. */
const POLL = 5_000

/** One webhook: its state, and what was delivered. */
export function WebhookPage() {
  const { key } = usePlace()
  const { systemId, webhookId } = route.useParams()
  const webhook = useVersioned('/admin/systems/{systemId}/webhooks/{webhookId}', {
    path: { systemId, webhookId },
  })
  const query = { systemId, page: 1, pageSize: 100 }
  const states = useRead('/admin/webhooks', { query }, { refetchInterval: POLL })
  const t = texts.webhooks
  const above = (
    <Link className="back" to="/$context/webhooks" params={{ context: key }}>
      <Icon name="left" />
      {t.title}
    </Link>
  )
  if (webhook.error && !webhook.data)
    return (
      <Page title={t.settings} above={above}>
        <Failed error={webhook.error} onRetry={() => void webhook.refetch()} />
      </Page>
    )
  if (!webhook.data) return null
  const state = states.data?.data.find(({ id }) => id === webhookId)
  const list = '/admin/systems/{systemId}/webhooks/{webhookId}/deliveries'
  return (
    <Page
      title={webhook.data.url}
      above={above}
      actions={
        <>
          <ApiCalls calls={[{ path: list, given: { path: { systemId, webhookId } } }]} />
          <WebhookActions webhook={webhook.data} reload={() => void webhook.refetch()} />
        </>
      }
    >
      <Summary webhook={webhook.data} state={state} />
      <Deliveries webhook={webhook.data} />
      <Verify />
    </Page>
  )
}

function Summary({ webhook, state }: { webhook: Webhook; state: WebhookState | undefined }) {
  const { kind } = usePlace()
  const names = useNames(kind === 'platform' ? [webhook.systemId] : [])
  const t = texts.webhooks
  const numbers = state?.deliveries
  return (
    <div className="panels">
      <section className="panel">
        <Facts
          facts={[
            [t.state, state ? <State key="state" webhook={state} /> : '…'],
            ...(kind === 'platform'
              ? [[t.system, <Named key="s" id={webhook.systemId} type="system" names={names} />] as const]
              : []),
            [t.events, webhook.events.length === 0 ? t.allEvents : webhook.events.join(', ')],
            ['ID', <Copy key="id" text={webhook.id} label={texts.parts.copyId} />],
          ]}
        />
        {!webhook.enabled && <p className="hint after">{t.disabledLead}</p>}
      </section>
      <section className="panel">
        <Facts
          facts={[
            [t.delivered, numbers ? counted(numbers.delivered, numbers.countedMax) : '…'],
            [t.failed, numbers ? counted(numbers.failed, numbers.countedMax) : '…'],
            [t.pending, numbers ? counted(numbers.pending, numbers.countedMax) : '…'],
            [t.oldest, <Time key="oldest" at={numbers?.oldestPendingAt} none={t.none} />],
          ]}
        />
      </section>
    </div>
  )
}

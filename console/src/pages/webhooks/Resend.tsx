import { useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { type Item, useChange, useRead } from '../../api/queries.ts'
import { Choice } from '../../parts/Choice.tsx'
import { eachConcurrently, type Fault } from '../../parts/concurrently.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { messageOf } from '../../parts/Failed.tsx'
import { Form, TextField } from '../../parts/Form.tsx'
import { FaultList } from '../../parts/Runs.tsx'
import { exact } from '../../parts/Time.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { count, fill, texts } from '../../texts/texts.ts'
import type { Webhook } from './webhook.ts'

type What = 'failed' | 'all'
type Path = { systemId: string; webhookId: string }
const DELIVERIES = '/admin/systems/{systemId}/webhooks/{webhookId}/deliveries'

/** 1 day, in ms. */
const DAY = 86_400_000
/** Deliveries that one request reads. */
const READ = 100

type Delivery = Item<typeof DELIVERIES>
type Resent = { queued: number; faults: Fault<Delivery>[] }

/** Sends each failed delivery again. Those that were sent are no longer failed when the next are read. */
async function resendFailed(api: Admin, path: Path, from: string, onDone: () => void): Promise<Resent> {
  const faults: Fault<Delivery>[] = []
  let queued = 0
  while (true) {
    const page = 1 + Math.floor(faults.length / READ)
    const query = { status: 'failed' as const, from, page, pageSize: READ }
    const { data } = await api.get(DELIVERIES, { path, query })
    const fresh = data.filter(({ id }) => !faults.some(({ item }) => item.id === id))
    if (fresh.length === 0) return { queued, faults }
    const resend = ({ id }: Delivery) =>
      api.post(`${DELIVERIES}/{deliveryId}/resend`, { path: { ...path, deliveryId: id } })
    const sent = await eachConcurrently(fresh, resend, { onDone })
    queued += sent.done.length
    faults.push(...sent.faults)
  }
}

/** Sends all events from a time on again. */
async function resendAll(api: Admin, path: Path, from: string): Promise<Resent> {
  let queued = 0
  let after: string | null = from
  while (after !== null) {
    const answer: { queued: number; next: string | null } = await api.post(
      '/admin/systems/{systemId}/webhooks/{webhookId}/resend',
      { path, body: { after } },
    )
    queued += answer.queued
    after = answer.next
  }
  return { queued, faults: [] }
}

const localOf = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

const faultOf = ({ item, error }: Fault<Delivery>) => ({
  name: `${item.type} · ${exact(item.timestamp)}`,
  message: messageOf(error),
})

/** `since`: when the webhook was disabled. */
type Props = { webhook: Webhook; since?: string | undefined; onClose: () => void }

/** Sends deliveries again, and says first how many. */
export function Resend({ webhook, since: missedSince, onClose }: Props) {
  const toast = useToast()
  const [since, setSince] = useState(() => localOf(missedSince ? Date.parse(missedSince) : Date.now() - DAY))
  const [what, setWhat] = useState<What>(missedSince ? 'all' : 'failed')
  const [done, setDone] = useState(0)
  const t = texts.webhooks
  const path = { systemId: webhook.systemId, webhookId: webhook.id }
  const from = Number.isNaN(Date.parse(since)) ? undefined : new Date(since).toISOString()
  const query = { page: 1, pageSize: 1, ...(from && { from }), ...(what === 'failed' && { status: what }) }
  const found = useRead(DELIVERIES, { path, query })
  const number = from === undefined ? undefined : found.data?.total
  const oneMore = () => setDone((before) => before + 1)
  const send = useChange(
    (api, start: string) =>
      what === 'failed' ? resendFailed(api, path, start, oneMore) : resendAll(api, path, start),
    {
      onSuccess: ({ queued, faults }) => {
        if (queued > 0 || faults.length === 0) toast(count(t.queued, queued))
        if (faults.length === 0) onClose()
      },
    },
  )
  const isNothing = what === 'failed' && number === 0
  return (
    <Dialog title={t.resendAll} onClose={onClose}>
      <Form
        state={send}
        submit={t.resend}
        onCancel={onClose}
        onSubmit={() => {
          setDone(0)
          if (from && !isNothing) send.mutate(from)
        }}
      >
        <TextField
          name="since"
          type="datetime-local"
          label={t.since}
          value={since}
          onChange={setSince}
          required
        />
        <Choice
          name="what"
          legend={t.what}
          options={t.whatOptions}
          hints={t.whatHints}
          value={what}
          onChange={setWhat}
        />
        <p role="status">
          <strong>
            {number === undefined
              ? '…'
              : isNothing
                ? t.nothingFailed
                : count(what === 'failed' ? t.willSend : t.willSendAll, number)}
          </strong>{' '}
          {t.resendLead}
        </p>
        {send.isPending && what === 'failed' && (
          <p role="status">{fill(texts.parts.progress, { done, total: Math.max(done, number ?? 0) })}</p>
        )}
        {send.data && send.data.faults.length > 0 && (
          <section role="alert">
            <h3>{count(texts.parts.notDone, send.data.faults.length)}</h3>
            <FaultList faults={send.data.faults.map(faultOf)} />
          </section>
        )}
      </Form>
    </Dialog>
  )
}

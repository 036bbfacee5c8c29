import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, readQuery, useContextKey } from '../../api/queries.ts'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Field } from '../../parts/Form.tsx'
import { Guide } from '../../parts/Guide.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { texts } from '../../texts/texts.ts'
import { EVENT_TYPES, type EventType } from './webhook.ts'

const SAMPLE = '/admin/webhooks/sample'
type Sample = Answer<typeof SAMPLE>

/** The address of a receiver in development, as in docs/webhooks.md. */
const RECEIVER = 'http://localhost:8976/hook'

const requestOf = ({ headers, body }: Sample): string =>
  [
    'POST /hook HTTP/1.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\n')

/** A text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The same bytes, to the server of the developer. */
const commandOf = ({ headers, body }: Sample): string =>
  [
    `curl -i ${RECEIVER}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n')

/** What a receiver would get, before there is one: nothing is sent. */
export function TryWebhook({ onClose }: { onClose: () => void }) {
  const [type, setType] = useState<EventType>('user.access_granted')
  const context = useContextKey()
  // Each response has a new secret: what was copied stays what is shown.
  const sample = useQuery({
    ...readQuery(context, SAMPLE, { query: { type } }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const t = texts.webhooks
  return (
    <Dialog title={t.try} onClose={onClose} place="end">
      <p>
        {t.tryLead} <Guide page="webhooks">{texts.parts.guide}</Guide>
      </p>
      <Field name="type" label={t.eventType}>
        {(control) => (
          <select {...control} value={type} onChange={({ target }) => setType(target.value as EventType)}>
            {EVENT_TYPES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {sample.error && !sample.data && <Failed error={sample.error} onRetry={() => void sample.refetch()} />}
      {sample.data && (
        <>
          <h3 className="after">{t.tryRequest}</h3>
          <Snippet code={requestOf(sample.data)} label={t.tryRequest} />
          <h3 className="after">{t.tryBody}</h3>
          <Snippet code={JSON.stringify(JSON.parse(sample.data.body), null, 2)} label={t.tryBody} />
          <h3 className="after">{t.trySecret}</h3>
          <p>
            <Copy text={sample.data.secret} />
          </p>
          <p className="hint">{t.trySecretHint}</p>
          <h3 className="after">{t.tryCommand}</h3>
          <Snippet code={commandOf(sample.data)} label={t.tryCommand} />
        </>
      )}
    </Dialog>
  )
}

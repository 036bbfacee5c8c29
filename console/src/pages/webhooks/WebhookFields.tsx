import { useState } from 'react'
import { Choice } from '../../parts/Choice.tsx'
import { CheckField, TextField } from '../../parts/Form.tsx'
import { texts } from '../../texts/texts.ts'
import { EVENT_TYPES, type EventType, type Webhook } from './webhook.ts'
import './WebhookFields.css'

/** Address and events, in a form. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const t = texts.webhooks
  const [which, setWhich] = useState<'all' | 'some'>((webhook?.events.length ?? 0) > 0 ? 'some' : 'all')
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={t.url}
        hint={t.urlHint}
        value={webhook?.url ?? ''}
        placeholder="https://"
        required
        maxLength={2_000}
      />
      <Choice
        name="which"
        legend={t.events}
        options={{ all: t.allEvents, some: t.someEvents }}
        hints={{ all: t.allEventsHint, some: '' }}
        value={which}
        onChange={setWhich}
      />
      {which === 'some' && (
        <fieldset className="checks" aria-label={t.events}>
          {EVENT_TYPES.map((type) => (
            <CheckField
              key={type}
              name="events"
              value={type}
              label={type}
              checked={webhook?.events.includes(type) ?? false}
            />
          ))}
        </fieldset>
      )}
    </>
  )
}

export const bodyOf = (data: FormData) => ({
  url: String(data.get('url')).trim(),
  events: data.getAll('events').map(String) as EventType[],
})

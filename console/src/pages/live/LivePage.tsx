import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useContextKey } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { idsOf, Sentence } from '../../parts/audit/Sentence.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { download } from '../../parts/csv.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Named } from '../../parts/Named.tsx'
import { type Names, useAddedNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { Table } from '../../parts/Table.tsx'
import { exact, Time } from '../../parts/Time.tsx'
import { count, texts } from '../../texts/texts.ts'
import { type LiveEvent, useLive } from './useLive.ts'
import '../../parts/search.css'
import '../../parts/Form.css'

/** What happens now. Another context starts anew. */
export function LivePage() {
  return <Live key={useContextKey()} />
}

function Live() {
  const { kind } = usePlace()
  const t = texts.live
  const { rows, state, error, isPaused, setPaused, clear, waiting } = useLive()
  const [text, setText] = useState('')
  const [onlyFailures, setOnlyFailures] = useState(false)
  const [open, setOpen] = useState<LiveEvent>()
  const names = useAddedNames(rows.flatMap(({ entry }) => idsOf(entry)))
  const textOf = ({ entry, ...event }: LiveEvent) =>
    JSON.stringify([event, idsOf(entry).map((id) => names.of(id))]).toLowerCase()
  const shown = rows.filter(
    (row) => (!onlyFailures || isFailure(row)) && textOf(row).includes(text.trim().toLowerCase()),
  )
  const recent = rows.filter(({ timestamp }) => Date.now() - Date.parse(timestamp) < 60_000).length
  const save = () => download('events.json', JSON.stringify(shown.map(eventIn), null, 2), 'application/json')
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <ApiCalls calls={[{ path: '/admin/events/stream' }, { path: '/admin/audit' }]} />
          <button type="button" disabled={shown.length === 0} onClick={save}>
            {t.download}
          </button>
          <button type="button" onClick={clear}>
            {t.clear}
          </button>
          <button
            type="button"
            className="primary"
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? count(t.resume, waiting) : t.pause}
          </button>
        </>
      }
    >
      <search className="toolbar" aria-label={t.title}>
        <span className="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label={texts.parts.search}
            placeholder={texts.parts.search}
            value={text}
            data-shortcut="/"
            onChange={(event) => setText(event.target.value)}
          />
        </span>
        <label className="check">
          <input
            type="checkbox"
            checked={onlyFailures}
            onChange={(event) => setOnlyFailures(event.target.checked)}
          />
          {t.onlyFailures}
        </label>
        <span className="spacer" />
        <span role="status">
          <Badge tone={state === 'open' ? 'good' : 'wait'}>{state === 'open' ? t.open : t.lost}</Badge>{' '}
          {count(t.rate, recent)}
        </span>
      </search>
      {error !== undefined && <Failed error={error} />}
      {shown.length === 0 ? (
        <Empty title={t.none}>
          <p>{t.noneLead}</p>
        </Empty>
      ) : (
        <Table
          label={t.title}
          columns={[
            { key: 'time', title: t.time, cell: ({ timestamp }) => <Time at={timestamp} /> },
            { key: 'type', title: t.type, cell: (row) => <What row={row} names={names} /> },
            ...(kind === 'platform'
              ? [
                  {
                    key: 'system',
                    title: texts.users.system,
                    cell: ({ entry }: LiveEvent) => <Named type="system" id={entry.systemId} names={names} />,
                  },
                ]
              : []),
          ]}
          rows={shown}
          idOf={({ id }) => id}
          nameOf={({ type }) => type}
          onOpen={setOpen}
        />
      )}
      {open && (
        <Dialog title={t.type} onClose={() => setOpen(undefined)} side>
          <p>
            <What row={open} names={names} />
          </p>
          <p className="muted">{exact(open.timestamp)}</p>
          <details className="more-panel">
            <summary>{texts.audit.asJson}</summary>
            <Snippet code={JSON.stringify(eventIn(open), null, 2)} label={texts.audit.asJson} />
          </details>
        </Dialog>
      )}
    </Page>
  )
}

const isFailure = ({ data }: LiveEvent) => data.outcome === 'failure'

/** The event as the API has it. */
const eventIn = ({ entry: _, ...event }: LiveEvent) => event

/** What has happened, in a sentence; its type as the API names it. */
const What = ({ row, names }: { row: LiveEvent; names: Names }) => (
  <>
    <Sentence entry={row.entry} names={names} />
    <span className="below">
      {isFailure(row) ? <Badge tone="bad">{row.type}</Badge> : <code>{row.type}</code>}
    </span>
  </>
)

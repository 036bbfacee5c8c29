import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useContextKey } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { EventLine } from '../../parts/audit/EventLine.tsx'
import { idsOf } from '../../parts/audit/Sentence.tsx'
import { Badge, Done } from '../../parts/Badge.tsx'
import { download } from '../../parts/csv.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Named } from '../../parts/Named.tsx'
import { type Names, useAddedNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { Snippet } from '../../parts/Snippet.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
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
  const t = texts.live
  const live = useLive()
  const { rows, error } = live
  const [filter, setFilter] = useState<LiveFilter>({ text: '', onlyFailures: false })
  const [open, setOpen] = useState<LiveEvent>()
  const names = useAddedNames(rows.flatMap(({ entry }) => idsOf(entry)))
  const shown = rows.filter((row) => isFound(row, filter, names))
  return (
    <Page title={t.title} lead={t.lead} actions={<Actions live={live} shown={shown} />}>
      <Toolbar live={live} filter={filter} onChange={setFilter} />
      {error !== undefined && <Failed error={error} />}
      {shown.length === 0 ? (
        <Empty title={t.none}>
          <p>{t.noneLead}</p>
        </Empty>
      ) : (
        <Events rows={shown} names={names} onOpen={setOpen} />
      )}
      {open && <OneEvent row={open} names={names} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

type LiveState = ReturnType<typeof useLive>
type LiveFilter = { text: string; onlyFailures: boolean }

const isFailure = ({ data }: LiveEvent) => data.outcome === 'failure'

/** Whether an event has the text, also in a name that it shows. */
function isFound(row: LiveEvent, { text, onlyFailures }: LiveFilter, names: Names): boolean {
  if (onlyFailures && !isFailure(row)) return false
  const { entry, ...event } = row
  const all = JSON.stringify([event, idsOf(entry).map((id) => names.of(id))]).toLowerCase()
  return all.includes(text.trim().toLowerCase())
}

/** An event as the API has it. */
const eventIn = ({ entry: _, ...event }: LiveEvent) => event

function Actions({ live, shown }: { live: LiveState; shown: readonly LiveEvent[] }) {
  const t = texts.live
  const { isPaused, setPaused, clear, waiting } = live
  const save = () => download('events.json', JSON.stringify(shown.map(eventIn), null, 2), 'application/json')
  return (
    <>
      <ApiCalls calls={[{ path: '/admin/events/stream' }, { path: '/admin/audit' }]} />
      <button type="button" disabled={shown.length === 0} onClick={save}>
        {t.download}
      </button>
      <button type="button" onClick={clear}>
        {t.clear}
      </button>
      <button type="button" className="primary" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
        {isPaused ? count(t.resume, waiting) : t.pause}
      </button>
    </>
  )
}

type ToolbarProps = { live: LiveState; filter: LiveFilter; onChange: (filter: LiveFilter) => void }

function Toolbar({ live: { rows, state }, filter, onChange }: ToolbarProps) {
  const t = texts.live
  const recent = rows.filter(({ timestamp }) => Date.now() - Date.parse(timestamp) < 60_000).length
  return (
    <search className="toolbar" aria-label={t.title}>
      <span className="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={texts.parts.search}
          placeholder={texts.parts.search}
          value={filter.text}
          data-shortcut="/"
          onChange={(event) => onChange({ ...filter, text: event.target.value })}
        />
      </span>
      <label className="check">
        <input
          type="checkbox"
          checked={filter.onlyFailures}
          onChange={(event) => onChange({ ...filter, onlyFailures: event.target.checked })}
        />
        {t.onlyFailures}
      </label>
      <span className="spacer" />
      <span role="status">
        {state === 'open' ? <Done>{t.open}</Done> : <Badge tone="wait">{t.lost}</Badge>}{' '}
        {count(t.rate, recent)}
      </span>
    </search>
  )
}

type EventsProps = { rows: readonly LiveEvent[]; names: Names; onOpen: (row: LiveEvent) => void }

function Events({ rows, names, onOpen }: EventsProps) {
  const { kind } = usePlace()
  const t = texts.live
  const columns: Column<LiveEvent>[] = [
    { key: 'time', title: t.time, cell: ({ timestamp }) => <Time at={timestamp} /> },
    { key: 'type', title: t.type, cell: (row) => <Line row={row} names={names} /> },
  ]
  const system: Column<LiveEvent> = {
    key: 'system',
    title: texts.users.system,
    cell: ({ entry }) => <Named type="system" id={entry.systemId} names={names} />,
  }
  return (
    <Table
      label={t.title}
      columns={kind === 'platform' ? [...columns, system] : columns}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={({ type }) => type}
      onOpen={onOpen}
    />
  )
}

const Line = ({ row, names }: { row: LiveEvent; names: Names }) => (
  <EventLine type={row.type} entry={row.entry} names={names} isFailure={isFailure(row)} />
)

/** One event: the sentence, its time, and JSON on request. */
function OneEvent({ row, names, onClose }: { row: LiveEvent; names: Names; onClose: () => void }) {
  const t = texts.audit
  return (
    <Dialog title={texts.live.type} onClose={onClose} place="end">
      <p>
        <Line row={row} names={names} />
      </p>
      <p className="muted">{exact(row.timestamp)}</p>
      <details className="more-panel">
        <summary>{t.asJson}</summary>
        <Snippet code={JSON.stringify(eventIn(row), null, 2)} label={t.asJson} />
      </details>
    </Dialog>
  )
}

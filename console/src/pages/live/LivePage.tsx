import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useContextKey } from '../../api/queries.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { download } from '../../parts/csv.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Named } from '../../parts/Named.tsx'
import { type Names, useAddedNames } from '../../parts/names.ts'
import { Empty, Page } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
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
  const names = useAddedNames(rows.flatMap(({ data }) => [whoOf(data), idIn(data, 'systemId')]))
  const textOf = (row: LiveEvent) => JSON.stringify([row, names.of(whoOf(row.data))]).toLowerCase()
  const shown = rows.filter(
    (row) => (!onlyFailures || isFailure(row)) && textOf(row).includes(text.trim().toLowerCase()),
  )
  const recent = rows.filter(({ timestamp }) => Date.now() - Date.parse(timestamp) < 60_000).length
  const save = () => download('events.json', JSON.stringify(shown, null, 2), 'application/json')
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
            { key: 'type', title: t.type, cell: (row) => <TypeOf row={row} /> },
            { key: 'who', title: t.who, cell: ({ data }) => <Who data={data} names={names} /> },
            ...(kind === 'platform'
              ? [
                  {
                    key: 'system',
                    title: texts.users.system,
                    cell: ({ data }: LiveEvent) => (
                      <Named type="system" id={idIn(data, 'systemId')} names={names} />
                    ),
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
        <Dialog title={open.type} onClose={() => setOpen(undefined)} side>
          <pre>{JSON.stringify(open, null, 2)}</pre>
        </Dialog>
      )}
    </Page>
  )
}

const isFailure = ({ data }: LiveEvent) => data.outcome === 'failure'

const TypeOf = ({ row }: { row: LiveEvent }) =>
  isFailure(row) ? <Badge tone="bad">{row.type}</Badge> : <code>{row.type}</code>

type Data = LiveEvent['data']

const idIn = (data: Data, name: string): string | undefined =>
  typeof data[name] === 'string' ? data[name] : undefined

/** The id of the user that an event is about, otherwise of who did it. */
function whoOf(data: Data): string | undefined {
  type Party = { type?: string; id?: string | null } | undefined
  const [user, target, actor] = [data.user, data.target, data.actor] as Party[]
  const about = target?.type === 'user' ? target.id : undefined
  const by = actor?.type === 'user' ? actor.id : undefined
  return user?.id ?? idIn(data, 'userId') ?? about ?? by ?? undefined
}

/** A user by name; a service by its client id. */
function Who({ data, names }: { data: Data; names: Names }) {
  const id = whoOf(data)
  const actor = data.actor as { id?: string | null } | undefined
  if (id === undefined) return actor?.id ?? null
  const email = (data.user as { email?: string } | undefined)?.email
  const name = names.of(id)?.name ?? email
  if (name === undefined && !names.isLoaded) return '…'
  return (
    <>
      <strong>{name ?? texts.parts.deleted}</strong>
      <span className="below">
        <Copy text={id} label={texts.parts.copyId} />
      </span>
    </>
  )
}

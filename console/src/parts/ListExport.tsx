import { useEffect, useState } from 'react'
import { apiOf } from '../api/call.ts'
import { useContextKey } from '../api/queries.ts'
import { count, fill, formatNumber, texts } from '../texts/texts.ts'
import { csvOf, download } from './csv.ts'
import { Dialog } from './Dialog.tsx'
import { FormProblem } from './Failed.tsx'
import { useToast } from './Toasts.tsx'
import './progress.css'

/** An operation with pages, and what it is given besides the page. */
export type PagedCall = { path: string; given?: { path?: object; query?: object } }

/** So many rows of a list are exported. */
export const EXPORTED_MAX = 10_000
/** The greatest page that the server has. */
const PAGE = 100

type Reading = { signal: AbortSignal; onRead: (rows: number) => void }

/** All rows of a list in its order. A row that moves to the next page meanwhile is read once. */
async function readRows(
  context: string,
  { path, given = {} }: PagedCall,
  idOf: (row: object) => string,
  { signal, onRead }: Reading,
): Promise<object[]> {
  const get = apiOf(context).get as (
    path: string,
    given: object,
  ) => Promise<{ data: object[]; total: number }>
  const rows = new Map<string, object>()
  for (let page = 1; page <= EXPORTED_MAX / PAGE; page++) {
    const query = { ...given.query, page, pageSize: PAGE }
    const { data, total } = await get(path, { ...given, query, signal })
    for (const row of data) rows.set(idOf(row), row)
    onRead(rows.size)
    if (page * PAGE >= total) break
  }
  return [...rows.values()]
}

type Props = {
  /** The name of the file. */
  label: string
  call: PagedCall
  total: number
  idOf: (row: object) => string
  onClose: () => void
}

/** Reads a list page by page and saves it as a file. Closing it cancels. */
export function ListExport({ label, call, total, idOf, onClose }: Props) {
  const t = texts.parts
  const context = useContextKey()
  const toast = useToast()
  const [done, setDone] = useState(0)
  const [error, setError] = useState<unknown>()
  const all = Math.min(total, EXPORTED_MAX)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it starts when it is opened
  useEffect(() => {
    const end = new AbortController()
    readRows(context, call, idOf, { signal: end.signal, onRead: setDone })
      .then((rows) => {
        if (end.signal.aborted) return
        download(`${label}.csv`, csvOf(rows))
        toast(count(t.exportedRows, rows.length))
        onClose()
      })
      .catch((cause) => !end.signal.aborted && setError(cause))
    return () => end.abort()
  }, [])
  return (
    <Dialog title={t.exporting} onClose={onClose}>
      <FormProblem error={error} />
      <div className="progress">
        <progress max={all} value={done} aria-label={t.exporting} />
      </div>
      <p role="status">{fill(t.exportProgress, { count: formatNumber(done), total: formatNumber(all) })}</p>
      <div className="dialog-actions">
        <button type="button" onClick={onClose}>
          {t.cancel}
        </button>
      </div>
    </Dialog>
  )
}

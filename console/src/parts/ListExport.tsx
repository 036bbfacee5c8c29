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

/** The most rows of a list that are exported. */
export const EXPORTED_MAX = 10_000
/** The greatest page that the server has. */
const PAGE = 100

type Reading = { signal: AbortSignal; onRead: (rows: number) => void }

/** All rows of a list in its order, each once, even if others are added or deleted meanwhile. */
async function readRows(
  context: string,
  { path, given = {} }: PagedCall,
  { signal, onRead }: Reading,
): Promise<object[]> {
  const each = apiOf(context).each as (path: string, given: object) => AsyncGenerator<object, void>
  const query = { ...given.query, page: undefined, pageSize: PAGE }
  const rows: object[] = []
  for await (const row of each(path, { ...given, query, signal })) {
    if (rows.push(row) % PAGE === 0) onRead(rows.length)
    if (rows.length === EXPORTED_MAX) break
  }
  return rows
}

type Props = {
  /** The name of the file. */
  label: string
  call: PagedCall
  total: number
  onClose: () => void
}

/** Reads a list page by page and saves it as a file. Closing it cancels. */
export function ListExport({ label, call, total, onClose }: Props) {
  const t = texts.parts
  const context = useContextKey()
  const toast = useToast()
  const [done, setDone] = useState(0)
  const [error, setError] = useState<unknown>()
  const all = Math.min(total, EXPORTED_MAX)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it starts when it is opened
  useEffect(() => {
    const end = new AbortController()
    readRows(context, call, { signal: end.signal, onRead: setDone })
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

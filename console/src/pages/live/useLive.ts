import { useEffect, useMemo, useRef, useState } from 'react'
import { type Item, useContextKey, useRead } from '../../api/queries.ts'
import { follow, type StreamState } from '../../api/stream.ts'

export type LiveEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

/** Rows that are kept. */
const ROWS_MAX = 500
/** 5 s, in ms: sign-ins and refusals are no events; the audit log has them. */
const REFETCH = 5_000

type Filters = { action?: string; outcome: 'success' | 'failure'; from: string }

/** The newest entries of the audit log since the page was opened. */
function useAudited(enabled: boolean, filters: Filters) {
  const query = { ...filters, pageSize: 100 }
  return useRead('/admin/audit', { query }, { refetchInterval: REFETCH, enabled }).data?.data ?? []
}

const eventOf = ({ id, action, time, ...data }: Item<'/admin/audit'>): LiveEvent => ({
  id,
  type: action,
  timestamp: time,
  data,
})

/** Events of the stream, with sign-ins and refusals of the audit log, newest first. */
export function useLive() {
  const context = useContextKey()
  const [rows, setRows] = useState<LiveEvent[]>([])
  const [held, setHeld] = useState<LiveEvent[]>([])
  const [state, setState] = useState<StreamState>('lost')
  const [error, setError] = useState<unknown>()
  const [isPaused, setPaused] = useState(false)
  const paused = useRef(false)
  const [cleared, setCleared] = useState<readonly string[]>([])
  const since = useMemo(() => new Date().toISOString(), [])
  useEffect(() => {
    const end = new AbortController()
    const add = (event: LiveEvent) =>
      (paused.current ? setHeld : setRows)((before) => [event, ...before].slice(0, ROWS_MAX))
    follow<LiveEvent>(context, '/admin/events/stream', end.signal, { onEvent: add, onState: setState }).catch(
      setError,
    )
    return () => end.abort()
  }, [context])
  const refused = useAudited(!isPaused, { outcome: 'failure', from: since })
  const signedIn = useAudited(!isPaused, { action: 'user.login', outcome: 'success', from: since })
  const audited = [...refused, ...signedIn].map(eventOf)
  const all = [...rows, ...audited.filter(({ id }) => !cleared.includes(id))]
  return {
    rows: all.toSorted((one, other) => other.timestamp.localeCompare(one.timestamp)).slice(0, ROWS_MAX),
    waiting: held.length,
    state,
    error,
    isPaused,
    setPaused: (next: boolean) => {
      paused.current = next
      setPaused(next)
      if (next) return
      setRows((before) => [...held, ...before].slice(0, ROWS_MAX))
      setHeld([])
    },
    clear: () => {
      setRows([])
      setHeld([])
      setCleared(audited.map(({ id }) => id))
    },
  }
}

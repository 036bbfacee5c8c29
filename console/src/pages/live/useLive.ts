import { useEffect, useMemo, useRef, useState } from 'react'
import { useContextKey, useRead } from '../../api/queries.ts'
import { follow, type StreamState } from '../../api/stream.ts'
import { type AnyEvent, entryOfEvent } from '../../parts/audit/of-event.ts'
import type { Entry } from '../../parts/audit/Sentence.tsx'

/** `entry`: of the audit log, which says it in a sentence. */
export type LiveEvent = AnyEvent & { entry: Entry }

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

function eventOf(entry: Entry): LiveEvent {
  const { id, action, time, ...data } = entry
  return { id, type: action, timestamp: time, data, entry }
}

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
    const add = (event: AnyEvent) => {
      const row = { ...event, entry: entryOfEvent(event) }
      ;(paused.current ? setHeld : setRows)((before) => [row, ...before].slice(0, ROWS_MAX))
    }
    follow<AnyEvent>(context, '/admin/events/stream', end.signal, { onEvent: add, onState: setState }).catch(
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

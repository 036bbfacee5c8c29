import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { sendText } from '../../api/call.ts'
import { useContextKey } from '../../api/queries.ts'
import type { Line } from './read.ts'
import { endOfSlice, type Refused, sendSlice } from './slices.ts'

/** Lines in one request: progress is shown after each. */
const SLICE = 500
const DRY_SLICE = 5_000

type State = {
  phase: 'ready' | 'checking' | 'checked' | 'running' | 'stopped' | 'finished'
  /** The number of lines that have been sent and answered. */
  done: number
  created: number
  refused: readonly Refused[]
  /** Fields that the server does not know. */
  ignored: readonly string[]
  error: unknown
}
const NOTHING = { done: 0, created: 0, refused: [], ignored: [], error: null }
const READY: State = { phase: 'ready', ...NOTHING }

/** The names of the phases of a dry run, or of an import: while it works, when it has stopped, at the end. */
type Phases = readonly [State['phase'], State['phase'], State['phase']]
const CHECK: Phases = ['checking', 'ready', 'checked']
const RUN: Phases = ['running', 'stopped', 'finished']

/**
 * Imports lines, slice by slice, until it is stopped; `run` continues where it stopped. `check` is the dry
 * run.
 */
export function useImport(lines: readonly Line[]) {
  const context = useContextKey()
  const client = useQueryClient()
  const [state, setState] = useState(READY)
  const isStopped = useRef(false)
  const work = async (isDryRun: boolean, before: State) => {
    const [working, stopped, finished] = isDryRun ? CHECK : RUN
    const path = `/admin/users/import${isDryRun ? '?dryRun=true' : ''}`
    isStopped.current = false
    const seen = new Set<string>()
    let now: State = { ...before, phase: working, error: null }
    setState(now)
    try {
      while (now.done < lines.length && !isStopped.current) {
        const end = endOfSlice(lines, now.done, isDryRun ? DRY_SLICE : SLICE)
        const result = await sendSlice(lines.slice(now.done, end), seen, (body) =>
          sendText(context, path, 'application/x-ndjson', body),
        )
        now = {
          ...now,
          done: end,
          created: now.created + result.created,
          refused: [...now.refused, ...result.refused],
          ignored: [...new Set([...now.ignored, ...result.ignored])],
        }
        setState(now)
      }
      setState({ ...now, phase: now.done < lines.length ? stopped : finished })
    } catch (error) {
      setState({ ...now, phase: stopped, error })
    }
    if (!isDryRun) void client.invalidateQueries({ queryKey: [context] })
  }
  return {
    ...state,
    check: () => work(true, READY),
    run: () => work(false, state.phase === 'stopped' ? state : READY),
    back: () => setState(READY),
    stop: () => {
      isStopped.current = true
    },
  }
}

import { useQueryClient } from '@tanstack/react-query'
import { useContext } from 'react'
import type { Admin } from '../../../sdk/src/operations.ts'
import { apiOf } from '../api/call.ts'
import { useContextKey } from '../api/queries.ts'
import { texts } from '../texts/texts.ts'
import { eachConcurrently } from './concurrently.ts'
import { messageOf } from './Failed.tsx'
import { ShowRun } from './Runs.tsx'
import { useToast } from './Toasts.tsx'
import { useAct } from './useAct.ts'

/** 0.4 s, in ms: a shorter run shows no progress. */
const SHOWN_AFTER = 400

type Change<T> = (api: Admin, item: T) => Promise<unknown>
type Options<T> = {
  nameOf: (item: T) => string
  /** What was done, with the number of items. */
  done: (number: number) => string
  /** Takes the change of an item back; the toast offers it. */
  undo?: Change<T>
  /** Called for the error of a single item: true if it has been shown. */
  onError?: (error: Error, item: T) => boolean
}

/** Acts on several rows, a few at a time, with progress and the reason of each that fails. */
export function useActOnEach(): <T>(
  items: readonly T[],
  change: Change<T>,
  options: Options<T>,
) => Promise<boolean> {
  const context = useContextKey()
  const client = useQueryClient()
  const toast = useToast()
  const act = useAct()
  const show = useContext(ShowRun)
  const one = <T>(item: T, change: Change<T>, { done, undo, onError }: Options<T>) =>
    act((api) => change(api, item), done(1), {
      ...(undo && { undo: (api: Admin) => undo(api, item) }),
      ...(onError && { onError: (error: Error) => onError(error, item) }),
    })
  const each = async <T>(items: readonly T[], change: Change<T>, options: Options<T>): Promise<boolean> => {
    if (items.length === 1) return one(items[0]!, change, options)
    const { nameOf, undo } = options
    const [api, end, startedAt] = [apiOf(context), new AbortController(), Date.now()]
    let number = 0
    const onDone = () => {
      number += 1
      const run = { done: number, total: items.length, stop: () => end.abort() }
      if (Date.now() - startedAt > SHOWN_AFTER) show({ state: 'running', ...run })
    }
    const { done, faults } = await eachConcurrently(items, (item) => change(api, item), {
      onDone,
      signal: end.signal,
    })
    void client.invalidateQueries({ queryKey: [context] })
    const undone = () => texts.parts.undone
    if (done.length > 0)
      toast(options.done(done.length), undo && (() => void each(done, undo, { nameOf, done: undone })))
    const rows = faults.map(({ item, error }) => ({ name: nameOf(item), message: messageOf(error) }))
    const failed = faults.map(({ item }) => item)
    const retry = () => void each(failed, change, options)
    show(rows.length > 0 ? { state: 'failed', faults: rows, retry } : undefined)
    return done.length === items.length
  }
  return each
}

import { useQueryClient } from '@tanstack/react-query'
import type { Admin } from '../../../sdk/src/operations.ts'
import { useChange, useContextKey } from '../api/queries.ts'
import { texts } from '../texts/texts.ts'
import { messageOf } from './Failed.tsx'
import { useToast } from './Toasts.tsx'

type Change = (api: Admin) => Promise<unknown>
type Options = {
  /** Takes the change back; the toast offers it. */
  undo?: Change
  /** True if the error has been shown. */
  onError?: (error: Error) => boolean
}

/** Changes something without a form: a toast says what was done, or why it failed. */
export function useAct(): (change: Change, done: string, options?: Options) => Promise<boolean> {
  const toast = useToast()
  const client = useQueryClient()
  const context = useContextKey()
  const { mutateAsync } = useChange((api, change: Change) => change(api))
  const act = async (change: Change, done: string, { undo, onError }: Options = {}): Promise<boolean> => {
    try {
      await mutateAsync(change)
    } catch (error) {
      void client.invalidateQueries({ queryKey: [context] }) // a part of it may have been done
      if (!onError?.(error as Error)) toast(messageOf(error))
      return false
    }
    toast(done, undo && (() => void act(undo, texts.parts.undone)))
    return true
  }
  return act
}

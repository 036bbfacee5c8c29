/** A resource as it is edited: a change is refused if someone else has changed it since it was read. */
import { createContext, type ReactNode, useContext, useState } from 'react'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { versionOf } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { useToast } from '../Toasts.tsx'

/** Fields of the resource. */
export type Patch = Readonly<Record<string, unknown>>

type Resource<T> = {
  read: T
  reload: () => Promise<T | undefined>
  /** Sends what has changed; `headers`: the version that was read. */
  send: (api: Admin, patch: Patch, headers: { 'If-Match': string }) => Promise<T>
}

export type EditingState<T> = {
  resource: T
  /** What was stored at once: the fields of the form keep what is typed in them. */
  set: (resource: T) => void
  /** The fields of the form begin anew, with what is stored; `saved`: after a change of their own. */
  restart: (saved?: T) => void
  reload: () => void
  send: Resource<T>['send']
}
const State = createContext<unknown>(null)

/** Keeps the resource as it was when the page was opened, until a change of its own or `reload`. */
export function Editing<T extends object>({
  read,
  reload,
  send,
  children,
}: Resource<T> & { children: ReactNode }) {
  const [{ resource, revision }, set] = useState({ resource: read, revision: 0 })
  const value: EditingState<T> = {
    resource,
    set: (next) => set((before) => ({ ...before, resource: next })),
    restart: (saved) =>
      set((before) => ({ resource: saved ?? before.resource, revision: before.revision + 1 })),
    reload: () =>
      void reload().then(
        (next) => next && set((before) => ({ resource: next, revision: before.revision + 1 })),
      ),
    send,
  }
  return (
    <State key={revision} value={value}>
      {children}
    </State>
  )
}

export function useEdited<T>(): EditingState<T> {
  const state = useContext(State)
  if (!state) throw new Error('useEdited is used outside of Editing.')
  return state as EditingState<T>
}

/** Saves fields of the resource. */
export function useSave() {
  const { resource, restart, send } = useEdited<object>()
  const toast = useToast()
  return useChange(
    async (api, patch: Patch) => send(api, patch, { 'If-Match': versionOf(resource) ?? '*' }),
    {
      onSuccess: (saved) => {
        restart(saved)
        toast(texts.parts.saved)
      },
    },
  )
}

/** After a change that was refused because of another one. */
export function Conflict({ error }: { error: unknown }) {
  const { reload } = useEdited()
  if (!(error instanceof Problem) || error.code !== 'version_conflict') return null
  return (
    <p>
      <button type="button" onClick={reload}>
        {texts.settings.reload}
      </button>
    </p>
  )
}

/** Faults of fields that the form does not have: a setting can require another one. */
export function OtherFaults({ error, sent }: { error: unknown; sent: Patch | undefined }) {
  if (!(error instanceof Problem) || !sent || error.detail !== undefined) return null
  const others = error.errors.filter(({ path }) => path !== '' && !((path.split('/')[1] ?? '') in sent))
  if (others.length === 0) return null
  return (
    <ul className="problem">
      {others.map(({ path, message }) => (
        <li key={path}>
          <code>{path.slice(1)}</code> {message}
        </li>
      ))}
    </ul>
  )
}

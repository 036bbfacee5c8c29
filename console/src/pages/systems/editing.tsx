/** The application as it is edited: a change is refused if someone else has changed it since it was read. */
import { createContext, type ReactNode, useContext, useState } from 'react'
import { versionOf } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import type { System } from './system.ts'

export type Patch = Partial<
  Omit<System, 'id' | 'clientId' | 'clientType' | 'platform' | 'createdAt' | 'updatedAt'>
>

type State = {
  system: System
  /** What was stored at once: the fields of the form keep what is typed in them. */
  setSystem: (system: System) => void
  /** The fields of the form begin anew, with what is stored; `saved`: after a change of their own. */
  restart: (saved?: System) => void
  reload: () => void
}
const Editing = createContext<State | null>(null)

type Props = { system: System; reload: () => Promise<System | undefined>; children: ReactNode }

/** Keeps the system as it was when the tab was opened, until a change of its own or `reload`. */
export function EditingSystem({ system: read, reload, children }: Props) {
  const [{ system, revision }, set] = useState({ system: read, revision: 0 })
  const value: State = {
    system,
    setSystem: (next) => set((before) => ({ ...before, system: next })),
    restart: (saved) => set((before) => ({ system: saved ?? before.system, revision: before.revision + 1 })),
    reload: () =>
      void reload().then(
        (next) => next && set((before) => ({ system: next, revision: before.revision + 1 })),
      ),
  }
  return (
    <Editing key={revision} value={value}>
      {children}
    </Editing>
  )
}

export function useEditing(): State {
  const state = useContext(Editing)
  if (!state) throw new Error('useEditing is used outside of EditingSystem.')
  return state
}

/** Saves fields of the system. */
export function useSave() {
  const { system, restart } = useEditing()
  const toast = useToast()
  return useChange(
    (api, body: Patch) =>
      api.patch('/admin/systems/{systemId}', {
        path: { systemId: system.id },
        body: body as object,
        headers: { 'If-Match': versionOf(system) ?? '*' },
      }),
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
  const { reload } = useEditing()
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

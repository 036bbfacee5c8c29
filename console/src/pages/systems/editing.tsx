/** The application as it is edited: a change is refused if someone else has changed it since it was read. */
import { createContext, type ReactNode, useContext, useState } from 'react'
import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { Form } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import type { System } from './system.ts'
import './editing.css'

export type Patch = Partial<
  Omit<System, 'id' | 'clientId' | 'clientType' | 'platform' | 'createdAt' | 'updatedAt'>
>

type State = { system: System; setSystem: (system: System) => void; reload: () => void }
const Editing = createContext<State | null>(null)

type Props = { system: System; reload: () => Promise<System | undefined>; children: ReactNode }

/** Keeps the system as it was when the tab was opened, until a change of its own or `reload`. */
export function EditingSystem({ system: read, reload, children }: Props) {
  const [{ system, revision }, set] = useState({ system: read, revision: 0 })
  const value: State = {
    system,
    setSystem: (next) => set((before) => ({ ...before, system: next })),
    reload: () => void reload().then((next) => next && set({ system: next, revision: revision + 1 })),
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
  const { system, setSystem } = useEditing()
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
        setSystem(saved)
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
function OtherFaults({ error, sent }: { error: unknown; sent: Patch | undefined }) {
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

type FormProps = {
  title: string
  lead?: string
  /** The fields of the form. */
  read: (data: FormData) => Patch
  children: ReactNode
}

/** A group of settings that is saved together; a viewer sees it without the button. */
export function SettingsForm({ title, lead, read, children }: FormProps) {
  const save = useSave()
  const { canChange } = usePlace()
  return (
    <section className="panel">
      <h2>{title}</h2>
      {lead && <p className="muted">{lead}</p>}
      {canChange ? (
        <Form state={save} submit={texts.parts.save} onSubmit={(data) => save.mutate(read(data))}>
          {children}
          <OtherFaults error={save.error} sent={save.variables} />
          <Conflict error={save.error} />
        </Form>
      ) : (
        <fieldset disabled className="form">
          {children}
        </fieldset>
      )}
    </section>
  )
}

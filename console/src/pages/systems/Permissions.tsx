import { useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { TextField } from '../../parts/Form.tsx'
import { texts } from '../../texts/texts.ts'
import type { Role } from './system.ts'
import './Permissions.css'

/** Further ones are typed. */
const SUGGESTED = 40

/** One per line, or separated by spaces. */
export const permissionsOf = (text: string): string[] => [...new Set(text.split(/\s+/).filter(Boolean))]

/**
 * The permissions of a role, as `scopes` in the form data. Those of the other roles are offered as buttons.
 */
export function Permissions({ systemId, role }: { systemId: string; role: Role | undefined }) {
  const t = texts.settings
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId } })
  const [{ text, revision }, set] = useState({ text: role?.scopes.join('\n') ?? '', revision: 0 })
  const chosen = permissionsOf(text)
  const others = (roles.data ?? []).filter(({ id }) => id !== role?.id)
  const offered = [...new Set(others.flatMap(({ scopes }) => scopes))].sort().slice(0, SUGGESTED)
  const toggle = (permission: string) => {
    const left = chosen.filter((each) => each !== permission)
    const next = left.length < chosen.length ? left : [...chosen, permission]
    set({ text: next.join('\n'), revision: revision + 1 })
  }
  return (
    <>
      {/* The field is made again with what a button has changed. */}
      <TextField
        key={revision}
        name="scopes"
        label={t.permissions}
        hint={t.permissionsHint}
        value={text}
        onChange={(next) => set({ text: next, revision })}
        lines={5}
        isOptional
      />
      {offered.length > 0 && (
        <fieldset className="suggestions">
          <legend>{t.permissionsOfOthers}</legend>
          {offered.map((permission) => (
            <button
              key={permission}
              type="button"
              aria-pressed={chosen.includes(permission)}
              onClick={() => toggle(permission)}
            >
              {permission}
            </button>
          ))}
        </fieldset>
      )}
    </>
  )
}

/** The application as it is edited. */
import type { ReactNode } from 'react'
import { Editing, useEdited } from '../../parts/settings/editing.tsx'
import type { System } from './system.ts'

export type Patch = Partial<
  Omit<System, 'id' | 'clientId' | 'clientType' | 'platform' | 'createdAt' | 'updatedAt'>
>

type Props = { system: System; reload: () => Promise<System | undefined>; children: ReactNode }

export const EditingSystem = ({ system, reload, children }: Props) => (
  <Editing
    read={system}
    reload={reload}
    send={(api, body, headers) =>
      api.patch('/admin/systems/{systemId}', { path: { systemId: system.id }, body, headers })
    }
  >
    {children}
  </Editing>
)

export function useEditing() {
  const { resource: system, set: setSystem } = useEdited<System>()
  return { system, setSystem }
}

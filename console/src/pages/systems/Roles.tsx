import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useRead } from '../../api/queries.ts'
import { Badge } from '../../parts/Badge.tsx'
import { Failed } from '../../parts/Failed.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Empty } from '../../parts/Page.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { texts } from '../../texts/texts.ts'
import { AssignedMenu, RemoveAssigned } from './Assigned.tsx'
import { RoleForm } from './RoleForm.tsx'
import type { Role, System } from './system.ts'
import './Roles.css'

/** The roles of an application. */
export function Roles({ system }: { system: System }) {
  const { canChange } = usePlace()
  const [edited, setEdited] = useState<Role | 'new' | null>(null)
  const [removed, setRemoved] = useState<Role | null>(null)
  const roles = useRead('/admin/systems/{systemId}/roles', { path: { systemId: system.id } })
  const t = texts.settings
  if (roles.error && !roles.data) return <Failed error={roles.error} onRetry={() => void roles.refetch()} />
  if (!roles.data) return null
  const add = canChange && (
    <button type="button" className="primary" onClick={() => setEdited('new')}>
      <Icon name="plus" />
      {t.newRole}
    </button>
  )
  return (
    <>
      {roles.data.length === 0 ? (
        <Empty title={t.noRoles}>
          <p>{t.noRolesLead}</p>
          {add}
        </Empty>
      ) : (
        <>
          <div className="section-head">
            <p className="muted">{t.rolesLead}</p>
            {add}
          </div>
          <Table
            label={texts.systems.tabs.roles}
            columns={columnsOf(system)}
            rows={roles.data}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            onOpen={canChange ? setEdited : undefined}
            menu={(role) => (
              <AssignedMenu
                item={role}
                having={{ roleId: role.id }}
                onEdit={setEdited}
                onRemove={setRemoved}
              />
            )}
          />
        </>
      )}
      {edited && (
        <RoleForm
          systemId={system.id}
          role={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {removed && <RemoveRole role={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

function columnsOf(system: System): Column<Role>[] {
  const t = texts.settings
  return [
    {
      key: 'name',
      title: t.role,
      cell: ({ id, name }) => (
        <>
          <strong>{name}</strong>
          {id === system.founderRoleId && <span className="below">{t.founder}</span>}
        </>
      ),
    },
    {
      key: 'admin',
      title: t.isAdmin,
      cell: ({ isAdmin }) => (isAdmin ? <Badge tone="good">{texts.parts.yes}</Badge> : texts.parts.no),
    },
    {
      key: 'reserved',
      title: t.reserved,
      cell: ({ assignableByAccountAdmins }) => (assignableByAccountAdmins ? texts.parts.no : texts.parts.yes),
    },
    {
      key: 'permissions',
      title: t.permissions,
      cell: ({ scopes }) =>
        scopes.length > 0 ? <code>{scopes.join(' ')}</code> : <span className="muted">{t.noAttributes}</span>,
    },
  ]
}

function RemoveRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const [isForced, setForced] = useState(false)
  const { systemId, id: roleId } = role
  return (
    <RemoveAssigned
      item={role}
      having={{ roleId }}
      onClose={onClose}
      remove={(api) =>
        api.delete('/admin/systems/{systemId}/roles/{roleId}', {
          path: { systemId, roleId },
          ...(isForced && { query: { force: true } }),
        })
      }
      more={(error) =>
        (error as { code?: string } | null)?.code === 'last_admin_role' && (
          <label className="inline-check">
            <input type="checkbox" checked={isForced} onChange={(event) => setForced(event.target.checked)} />
            {texts.settings.deleteAnyway}
          </label>
        )
      }
    />
  )
}

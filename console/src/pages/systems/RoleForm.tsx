import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { Permissions, permissionsOf } from './Permissions.tsx'
import type { Role } from './system.ts'

const bodyOf = (data: FormData) => ({
  name: textOf(data, 'name') ?? '',
  isAdmin: isChecked(data, 'isAdmin'),
  assignableByAccountAdmins: isChecked(data, 'assignableByAccountAdmins'),
  canActForMembers: isChecked(data, 'canActForMembers'),
  scopes: permissionsOf(String(data.get('scopes'))),
})

type Props = { systemId: string; role: Role | undefined; onClose: () => void }

/** A new role, or one that exists. */
export function RoleForm({ systemId, role, onClose }: Props) {
  const toast = useToast()
  const t = texts.settings
  const save = useChange<FormData, unknown>(
    (api, data) => {
      const body = bodyOf(data)
      return role
        ? api.patch('/admin/systems/{systemId}/roles/{roleId}', { path: { systemId, roleId: role.id }, body })
        : api.post('/admin/systems/{systemId}/roles', { path: { systemId }, body })
    },
    {
      onSuccess: () => {
        toast(texts.parts.saved)
        onClose()
      },
    },
  )
  return (
    <Dialog title={role ? fill(t.editRole, { name: role.name }) : t.newRole} onClose={onClose}>
      <Form
        state={save}
        submit={role ? texts.parts.save : texts.parts.create}
        onCancel={onClose}
        onSubmit={save.mutate}
      >
        <TextField
          name="name"
          label={texts.systems.newName}
          value={role?.name ?? ''}
          required
          autoFocus
          maxLength={100}
        />
        <CheckField
          name="isAdmin"
          label={t.isAdminLabel}
          hint={t.isAdminHint}
          checked={role?.isAdmin ?? false}
        />
        <CheckField
          name="assignableByAccountAdmins"
          label={t.assignable}
          hint={t.assignableHint}
          checked={role?.assignableByAccountAdmins ?? true}
        />
        <CheckField
          name="canActForMembers"
          label={t.canAct}
          hint={t.canActHint}
          checked={role?.canActForMembers ?? false}
        />
        <Permissions systemId={systemId} role={role} />
      </Form>
    </Dialog>
  )
}

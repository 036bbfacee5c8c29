import { Problem } from '../../api/problem.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, SelectField, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'

export function NewOperator({ onClose }: { onClose: () => void }) {
  const t = texts.installation
  const toast = useToast()
  const systems = useRead('/admin/systems', { query: { pageSize: 100 } })
  const create = useChange(
    async (api, data: FormData) => {
      const email = textOf(data, 'email') ?? ''
      const found = await api.get('/admin/users', { query: { search: email, pageSize: 100 } })
      const user = found.data.find((each) => each.email.toLowerCase() === email.toLowerCase())
      if (!user) {
        const errors = [{ path: '/email', message: t.unknownUser }]
        throw new Problem(400, { code: 'invalid_request', detail: t.unknownUser, errors })
      }
      const level = data.get('level') as 'admin' | 'viewer'
      const body = { userId: user.id, systemId: textOf(data, 'systemId') ?? null, level }
      return api.post('/admin/operators', { body })
    },
    {
      onSuccess: () => {
        toast(t.added)
        onClose()
      },
    },
  )
  const options = Object.fromEntries((systems.data?.data ?? []).map(({ id, name }) => [id, name]))
  return (
    <Dialog title={t.newOperator} onClose={onClose}>
      <Form state={create} submit={texts.parts.add} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="email" label={t.email} type="email" hint={t.emailHint} required autoFocus />
        <SelectField name="systemId" label={t.place} options={{ '': texts.shell.platform, ...options }} />
        <SelectField name="level" label={t.level} value="viewer" options={t.levels} hint={t.levelHint} />
      </Form>
    </Dialog>
  )
}

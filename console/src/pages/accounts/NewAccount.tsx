import { useNavigate } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, TextField, textOf } from '../../parts/Form.tsx'
import { PickerField } from '../../parts/Picker.tsx'
import { useSources } from '../../parts/sources.ts'
import { texts } from '../../texts/texts.ts'

export function NewAccount({ onClose }: { onClose: () => void }) {
  const { key, kind, id } = usePlace()
  const t = texts.accounts
  const sources = useSources()
  const navigate = useNavigate()
  const create = useChange(
    (api, data: FormData) =>
      api.post('/admin/systems/{systemId}/accounts', {
        path: { systemId: kind === 'system' ? id : (textOf(data, 'systemId') ?? '') },
        body: { name: textOf(data, 'name') ?? '' },
      }),
    {
      onSuccess: (account) =>
        void navigate({
          to: '/$context/accounts/$accountId',
          params: { context: key, accountId: account.id },
        }),
    },
  )
  return (
    <Dialog title={t.new} onClose={onClose}>
      <p className="muted">{t.newLead}</p>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="name" label={t.name} required autoFocus maxLength={100} />
        {kind !== 'system' && <PickerField name="systemId" label={t.system} source={sources.systems()} />}
      </Form>
    </Dialog>
  )
}

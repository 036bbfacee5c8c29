import { useNavigate } from '@tanstack/react-router'
import { useChange, useContextKey } from '../../api/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../Dialog.tsx'
import { Form, SelectField, TextField, textOf } from '../Form.tsx'
import { useToast } from '../Toasts.tsx'
import { type Account, PATH } from './connection.ts'

/** A draft, whose page then has the values that the provider asks for. */
export function NewConnection({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = texts.connections
  const context = useContextKey()
  const toast = useToast()
  const navigate = useNavigate()
  const { id: accountId } = account
  const create = useChange(
    (api, data: FormData) =>
      api.post(PATH, {
        path: { accountId },
        body: {
          name: textOf(data, 'name') ?? '',
          kind: 'oidc',
          // Entra's `sub` is another one for each registered application.
          ...(data.get('service') === 'entra' && { subjectAttribute: 'oid' }),
        },
      }),
    {
      onSuccess: ({ id: connectionId }) => {
        toast(t.created)
        void navigate({
          to: '/$context/accounts/$accountId/connections/$connectionId',
          params: { context, accountId, connectionId },
        })
      },
    },
  )
  return (
    <Dialog title={t.add} onClose={onClose}>
      <p className="muted">{t.newLead}</p>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="name" label={t.name} hint={t.nameHint} required autoFocus maxLength={100} />
        <SelectField name="service" label={t.service} options={t.services} />
      </Form>
    </Dialog>
  )
}

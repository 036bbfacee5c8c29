import { useNavigate } from '@tanstack/react-router'
import { useChange, useContextKey } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { texts } from '../../texts/texts.ts'

export function NewUser({ onClose }: { onClose: () => void }) {
  const context = useContextKey()
  const navigate = useNavigate()
  const t = texts.users
  const create = useChange(
    (api, data: FormData) =>
      api.post('/admin/users', {
        body: {
          email: textOf(data, 'email') ?? '',
          name: textOf(data, 'name') ?? null,
          emailVerified: isChecked(data, 'emailVerified'),
          ...(textOf(data, 'password') && { password: textOf(data, 'password')! }),
        },
      }),
    { onSuccess: ({ id }) => void navigate({ to: `/${context}/users/${id}` as '/' }) },
  )
  return (
    <Dialog title={t.new} onClose={onClose}>
      <p className="muted">{t.newLead}</p>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="email" label={t.email} type="email" required autoFocus />
        <TextField name="name" label={t.name} isOptional maxLength={100} />
        <TextField
          name="password"
          label={t.password}
          type="password"
          isOptional
          hint={t.passwordHint}
          autoComplete="new-password"
        />
        <CheckField name="emailVerified" label={t.emailVerified} hint={t.emailVerifiedHint} />
      </Form>
    </Dialog>
  )
}

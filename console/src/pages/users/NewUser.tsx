import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../../api/context.ts'
import { useChange, useContextKey } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../../parts/Form.tsx'
import { texts } from '../../texts/texts.ts'
import { ShownPassword, TemporaryPassword } from './TemporaryPassword.tsx'

/** A new user with a password that is entered here, with a temporary one that is shown once, or with none. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const context = useContextKey()
  const navigate = useNavigate()
  const t = texts.users
  const [isTemporary, setTemporary] = useState(!useMe().installation.sendsEmail)
  const open = (id: string) =>
    void navigate({ to: '/$context/users/$userId', params: { context, userId: id } })
  const create = useChange(
    async (api, data: FormData) => {
      const { id } = await api.post('/admin/users', {
        body: {
          email: textOf(data, 'email') ?? '',
          name: textOf(data, 'name') ?? null,
          emailVerified: isChecked(data, 'emailVerified'),
          ...(textOf(data, 'password') && { password: textOf(data, 'password')! }),
        },
      })
      if (!isTemporary) return { id }
      const path = { userId: id }
      const made = await api.post('/admin/users/{userId}/reset-password', { path }).catch(() => undefined)
      return { id, password: made?.temporaryPassword ?? null }
    },
    { onSuccess: ({ id, password }) => password === undefined && open(id) },
  )
  if (create.data?.password !== undefined) {
    const { id, password } = create.data
    const close = () => open(id)
    // Without one, the user was created and the request for the password failed.
    if (password === null) return <TemporaryPassword userId={id} onClose={close} />
    return <ShownPassword password={password} onClose={close} />
  }
  return (
    <Dialog title={t.new} onClose={onClose}>
      <p className="muted">{t.newLead}</p>
      <Form state={create} submit={texts.parts.create} onCancel={onClose} onSubmit={create.mutate}>
        <TextField name="email" label={t.email} type="email" required autoFocus />
        <TextField name="name" label={t.name} isOptional maxLength={100} />
        {!isTemporary && (
          <TextField
            name="password"
            label={t.password}
            type="password"
            isOptional
            hint={t.passwordHint}
            autoComplete="new-password"
          />
        )}
        <CheckField
          name="temporary"
          label={t.withTemporary}
          hint={t.withTemporaryHint}
          checked={isTemporary}
          onChange={setTemporary}
        />
        <CheckField name="emailVerified" label={t.emailVerified} hint={t.emailVerifiedHint} />
      </Form>
    </Dialog>
  )
}

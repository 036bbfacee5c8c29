import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import type { FullUser } from './user.ts'

/** The `If-Match` of a user as it was read: someone else's change since then is not overwritten. */
export const ifUnchanged = (user: FullUser) => {
  const version = versionOf(user)
  return version ? { headers: { 'If-Match': version } } : {}
}

export function EditUser({ user, onClose }: { user: FullUser; onClose: () => void }) {
  const { kind } = usePlace()
  const t = texts.users
  const toast = useToast()
  const save = useChange(
    (api, data: FormData) => {
      const email = textOf(data, 'email')
      return api.patch('/admin/users/{userId}', {
        path: { userId: user.id },
        ...ifUnchanged(user),
        body: {
          name: textOf(data, 'name') ?? null,
          locale: textOf(data, 'locale') ?? null,
          phoneNumber: textOf(data, 'phoneNumber') ?? null,
          ...(email && email !== user.email && { email }),
        },
      })
    },
    {
      onSuccess: () => {
        toast(texts.parts.saved)
        onClose()
      },
    },
  )
  return (
    <Dialog title={texts.parts.edit} onClose={onClose}>
      <Form state={save} submit={texts.parts.save} onCancel={onClose} onSubmit={save.mutate}>
        <TextField name="name" label={t.name} value={user.name ?? ''} isOptional maxLength={100} autoFocus />
        {kind === 'platform' && (
          <TextField
            name="email"
            label={t.email}
            type="email"
            value={user.email}
            required
            hint={t.emailHint}
          />
        )}
        <TextField name="phoneNumber" label={t.phone} value={user.phoneNumber ?? ''} isOptional />
        <TextField name="locale" label={t.locale} value={user.locale ?? ''} isOptional />
      </Form>
    </Dialog>
  )
}

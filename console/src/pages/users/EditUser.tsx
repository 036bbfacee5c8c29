import { versionOf } from '../../api/call.ts'
import { usePlace } from '../../api/context.ts'
import { faultOf } from '../../api/problem.ts'
import { useChange } from '../../api/queries.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Form, TextField, textOf } from '../../parts/Form.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { texts } from '../../texts/texts.ts'
import { ADDRESS, PROFILE, partOf, profileChanges } from './profile.ts'
import type { User } from './user.ts'

/** The `If-Match` of a user as it was read: someone else's change since then is not overwritten. */
export const ifUnchanged = (user: User) => {
  const version = versionOf(user)
  return version ? { headers: { 'If-Match': version } } : {}
}

export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
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
          ...profileChanges(data, user),
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
        <MoreFields user={user} error={save.error} />
      </Form>
    </Dialog>
  )
}

/** The rest of the profile. It is open while one of its fields is refused. */
function MoreFields({ user, error }: { user: User; error: unknown }) {
  const t = texts.users.fields
  const names: string[] = [...PROFILE, 'address']
  return (
    <details className="more-fields" open={names.some((name) => faultOf(error, `/${name}`) !== undefined)}>
      <summary>{t.more}</summary>
      {PROFILE.map((field) => (
        <TextField
          key={field}
          name={field}
          label={t[field]}
          value={user[field] ?? ''}
          {...(field in t.hints && { hint: t.hints[field as keyof typeof t.hints] })}
        />
      ))}
      <fieldset>
        <legend>{t.address}</legend>
        {ADDRESS.map((part) => (
          <TextField
            key={part}
            name={partOf(part)}
            label={t[part]}
            value={user.address?.[part] ?? ''}
            {...((part === 'streetAddress' || part === 'formatted') && { lines: 2 })}
          />
        ))}
      </fieldset>
    </details>
  )
}

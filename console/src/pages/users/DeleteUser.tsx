import { useNavigate } from '@tanstack/react-router'
import { usePlace } from '../../api/context.ts'
import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { useToast } from '../../parts/Toasts.tsx'
import { fill, texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

export function DeleteUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { key, kind } = usePlace()
  const t = texts.users
  const navigate = useNavigate()
  const toast = useToast()
  const remove = useChange(
    async (api, userId: string) => {
      await api.delete('/admin/users/{userId}', { path: { userId } })
      await navigate({ to: '/$context/users', params: { context: key } }) // before this page reads the user again
    },
    { onSuccess: () => toast(t.deleted) },
  )
  return (
    <Confirm
      title={fill(t.deleteTitle, { name: user.name ?? user.email })}
      submit={texts.parts.delete}
      name={user.email}
      state={remove}
      onConfirm={() => remove.mutate(user.id)}
      onClose={onClose}
    >
      <p>{kind === 'system' ? t.deleteLeadSystem : t.deleteLead}</p>
    </Confirm>
  )
}

import { useNavigate } from '@tanstack/react-router'
import type { Admin } from '../../../../sdk/src/operations.ts'
import { useContextKey } from '../../api/queries.ts'
import { download } from '../../parts/csv.ts'
import { useAct } from '../../parts/useAct.ts'
import { useActOnEach } from '../../parts/useActOnEach.ts'
import { count, texts } from '../../texts/texts.ts'
import type { User } from './user.ts'

/** What is done with one user or with several, without a question. */
export function useUserActions() {
  const t = texts.users
  const act = useAct()
  const each = useActOnEach()
  const navigate = useNavigate()
  const context = useContextKey()
  type Some = readonly Pick<User, 'id' | 'email'>[]
  const nameOf = ({ email }: Some[number]) => email
  const pathOf = ({ id }: Some[number]) => ({ userId: id })
  const disabled = (value: boolean) => (api: Admin, user: Some[number]) =>
    api.patch('/admin/users/{userId}', { path: pathOf(user), body: { disabled: value } })
  return {
    setDisabled: (users: Some, value: boolean) =>
      each(users, disabled(value), {
        nameOf,
        done: (number) => count(value ? t.wasDisabled : t.wasEnabled, number),
        undo: disabled(!value),
      }),
    endSessions: (users: Some) =>
      each(users, (api, user) => api.delete('/admin/sessions/by-user/{userId}', { path: pathOf(user) }), {
        nameOf,
        done: (number) => count(t.sessionsEnded, number),
      }),
    sendReset: (users: Some) =>
      each(
        users,
        (api, user) => api.post('/admin/users/{userId}/send-password-reset', { path: pathOf(user) }),
        {
          nameOf,
          done: (number) => count(t.resetSent, number),
        },
      ),
    sendVerification: (userId: string) =>
      act(
        (api) => api.post('/admin/users/{userId}/resend-verification', { path: { userId } }),
        t.verificationSent,
      ),
    markVerified: (userId: string) =>
      act(
        (api) => api.patch('/admin/users/{userId}', { path: { userId }, body: { emailVerified: true } }),
        t.markedVerified,
      ),
    exportFile: (userId: string) =>
      act(async (api) => {
        const answer = await api.get('/admin/users/{userId}/export', { path: { userId } })
        download(`user-${userId}.json`, `${JSON.stringify(answer, null, 2)}\n`, 'application/json')
      }, texts.parts.exported),
    explain: (userId: string) =>
      void navigate({ to: '/$context/explain', params: { context }, search: { userId } }),
  }
}

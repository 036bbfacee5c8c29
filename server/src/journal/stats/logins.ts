/** Counts sign-ins, and refused ones, by their audit entry. */
import { LOGIN_REASONS } from '../../database/schema.ts'
import { count } from './count.ts'

type Login = {
  action: string
  target?: { type: string }
  outcome?: 'success' | 'failure'
  systemId?: string | null
  changes?: Record<string, [unknown, unknown]>
}

/** Whether an entry is counted. Refused requests of an application, without a user, are not sign-ins. */
export const isLogin = ({ action, target }: Login): boolean =>
  action === 'user.login' || (action === 'sign_in.refused' && target?.type === 'user')

/** A sign-in is counted when the user is verified, before further steps such as a second factor. */
export function countLogin({ outcome = 'success', systemId = null, changes = {} }: Login): void {
  const said = (name: string) => String(changes[name]?.[1] ?? '')
  const provider = said('provider')
  if (outcome === 'success')
    count('sign_ins', systemId, provider === '' ? said('method') || 'password' : 'social')
  else {
    const reason = said('reason')
    count(
      'failures',
      systemId,
      LOGIN_REASONS.includes(reason) ? reason : provider === '' ? 'other' : 'provider',
    )
  }
}

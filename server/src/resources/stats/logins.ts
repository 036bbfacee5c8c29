/** Counts sign-ins by their audit entry. */
import { count } from './count.ts'

type Login = {
  outcome?: 'success' | 'failure'
  systemId?: string | null
  changes?: Record<string, [unknown, unknown]>
}

/** Why a sign-in was refused; `other` if the entry has no reason. */
const REASONS = ['password', 'unknown', 'disabled', 'unverified', 'throttled']

/** A sign-in is counted when the user is verified, before further steps such as a second factor. */
export function countLogin({ outcome = 'success', systemId = null, changes = {} }: Login): void {
  const said = (name: string) => String(changes[name]?.[1] ?? '')
  const provider = said('provider')
  if (outcome === 'success')
    count('sign_ins', systemId, provider === '' ? said('method') || 'password' : 'social')
  else {
    const reason = said('reason')
    count('failures', systemId, REASONS.includes(reason) ? reason : provider === '' ? 'other' : 'provider')
  }
}

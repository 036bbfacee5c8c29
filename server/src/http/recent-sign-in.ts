/**
 * A recent authentication of a user (RFC 9470), which the operations and fields of class `power` require
 * (power.ts), and every change of a platform system, its roles and its members. Service tokens are not
 * affected.
 */
import { Failure } from '../errors.ts'
import type { Caller } from './authority.ts'
import { isUuid } from './uuid.ts'

/** 5 minutes, in seconds. */
export const RECENT_MAX = 300

/** The prefix of the console's API: its paths are those of the admin API behind it. */
export const CONSOLE_API = '/console/api'

/** The path of the admin API behind a path of the console's API. */
export const apiPathOf = (url: string): string =>
  url.startsWith(CONSOLE_API) ? url.slice(CONSOLE_API.length) : url

/**
 * Whether an authentication is at most `maxAge` seconds old. `authTime`: the time that `authTimeOf` decides
 * (authentication/proofs.ts), also as the claim `auth_time`; none if no login counts.
 */
export const isWithin = (authTime: number | null | undefined, maxAge: number): boolean =>
  typeof authTime === 'number' && Math.floor(Date.now() / 1_000) - authTime <= maxAge

/** The one rule of all pages, prompts, tokens and operations that require a recent sign-in. */
export const isRecent = (authTime: number | null | undefined): boolean => isWithin(authTime, RECENT_MAX)

/** Whether the caller is a user whose authentication is too long ago. */
export const isSignInTooOld = ({ authenticatedAt }: Caller): boolean =>
  authenticatedAt !== undefined && !isRecent(authenticatedAt)

export const signInTooOld = () => new Failure('insufficient_user_authentication')

/** The challenge of the response (RFC 9470 section 3). */
export const RECENT_CHALLENGE = `Bearer error="insufficient_user_authentication", max_age=${RECENT_MAX}`

/** The ids of the resources that a request changes: those of its path, and where it creates a membership. */
export function changedIds({ params, body }: { params: unknown; body: unknown }): string[] {
  const { systemId, accountId } = (body ?? {}) as Record<string, unknown>
  return [...Object.values((params ?? {}) as Record<string, unknown>), systemId, accountId].filter(isUuid)
}

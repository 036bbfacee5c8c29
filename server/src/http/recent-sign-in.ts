/**
 * Operations for which a user has to have authenticated recently (RFC 9470): those on secrets, credentials
 * and the addresses that these are sent to, and every change of a platform system, its roles and its members.
 * Service tokens are not affected.
 */
import { Failure } from '../errors.ts'
import type { Caller } from './authority.ts'
import { isRead } from './methods.ts'
import { isUuid } from './uuid.ts'

/** 5 minutes, in seconds. */
export const RECENT_MAX = 300

/** Whatever resource they are called for. Of other changes only those in platform systems are concerned. */
const ALWAYS = new Set([
  'POST /admin/keys/rotate',
  'POST /admin/systems',
  'POST /admin/systems/:systemId/rotate-secret',
  'POST /admin/systems/:systemId/webhooks',
  'POST /admin/systems/:systemId/webhooks/:webhookId/rotate-secret',
  'POST /admin/accounts/:accountId/service-accounts/:serviceAccountId/keys',
  'POST /admin/users/:userId/set-password',
  'POST /admin/users/:userId/reset-password',
  'POST /admin/users/:userId/disable-mfa',
  'DELETE /admin/users/:userId/factors/:factorId',
  'DELETE /admin/users/:userId/social/:provider',
  'POST /admin/operators',
  'DELETE /admin/operators/:operatorId',
])

/** The prefix of the console's API: its paths are those of the admin API behind it. */
export const CONSOLE_API = '/console/api'

/**
 * Required in the console only, where someone else could find the browser open: what deletes, adds or takes
 * away many data at once.
 */
const IN_CONSOLE = new Set([
  'DELETE /admin/users/:userId',
  'DELETE /admin/systems/:systemId',
  'DELETE /admin/accounts/:accountId',
  'POST /admin/users/import',
  'GET /admin/users/:userId/export',
  'GET /admin/audit/export',
])

/**
 * Changes of these fields: to where users' links, codes and events are sent, how a system authenticates, what
 * a program may do with a key that it has.
 */
const FIELDS: Record<string, string[]> = {
  'PATCH /admin/users/:userId': ['email', 'emailVerified'],
  'PATCH /admin/systems/:systemId': [
    'redirectUris',
    'postLogoutRedirectUris',
    'backchannelLogoutUri',
    'invitationUri',
    'tokenEndpointAuthMethod',
    'jwks',
    'jwksUri',
    'requireSignedRequestObject',
    'requirePkce',
    'securityProfile',
  ],
  'PATCH /admin/systems/:systemId/webhooks/:webhookId': ['url'],
  'PATCH /admin/accounts/:accountId/service-accounts/:serviceAccountId': ['roles'],
}

/** Changes to these values only: a service account that is enabled gets tokens with its keys again. */
const VALUES: Record<string, Record<string, unknown>> = {
  'PATCH /admin/accounts/:accountId/service-accounts/:serviceAccountId': { disabled: false },
}

type Operation = { method: string; url: string; body: unknown }

/** The url without the slash at its end that a prefix leaves. */
export function needsRecentSignIn({ method, url, body }: Operation): boolean {
  const isConsole = url.startsWith(CONSOLE_API)
  const asked = isRead({ method }) ? 'GET' : method
  const route = `${asked} ${(isConsole ? url.slice(CONSOLE_API.length) : url).replace(/\/$/, '')}`
  const given = (body ?? {}) as Record<string, unknown>
  return (
    ALWAYS.has(route) ||
    (isConsole && IN_CONSOLE.has(route)) ||
    (FIELDS[route] ?? []).some((field) => Object.hasOwn(given, field)) ||
    Object.entries(VALUES[route] ?? {}).some(([field, value]) => given[field] === value)
  )
}

/** Whether the caller is a user whose authentication is too long ago. */
export const isSignInTooOld = ({ authenticatedAt }: Caller): boolean =>
  authenticatedAt !== undefined && Date.now() / 1_000 - authenticatedAt > RECENT_MAX

export const signInTooOld = () => new Failure('insufficient_user_authentication')

/** The challenge of the response (RFC 9470 section 3). */
export const RECENT_CHALLENGE = `Bearer error="insufficient_user_authentication", max_age=${RECENT_MAX}`

/** The ids of the resources that a request changes: those of its path, and where it creates a membership. */
export function changedIds({ params, body }: { params: unknown; body: unknown }): string[] {
  const { systemId, accountId } = (body ?? {}) as Record<string, unknown>
  return [...Object.values((params ?? {}) as Record<string, unknown>), systemId, accountId].filter(isUuid)
}

/** What a client of the library is: a system, a service account, or the built-in client of /account. */
import type { Client as LibraryClient } from 'oidc-provider'
import type { Branding } from '../../database/schema.ts'
import type { ServiceClient } from '../../resources/service-accounts/queries.ts'
import type { Brand } from '../../texts/brand.ts'

/**
 * The built-in client of our own pages, /account and /console (decision 0040). It is the same in every
 * process and has no row: it is no system, cannot be deleted, and every user may sign in to it. Its only
 * response type is `none` (OAuth 2.0 Multiple Response Type Encoding Practices, section 4): no code, no token
 * and no session is ever issued to it.
 */
export const ACCOUNT_CLIENT_ID = 'tenantry-account'
export const ACCOUNT_CALLBACK = '/account/callback'
export const CONSOLE_CALLBACK = '/console/callback'
export const INVITATION_CALLBACK = '/invitation/callback'

export const isAccountClient = (client: LibraryClient | undefined): boolean =>
  client?.clientId === ACCOUNT_CLIENT_ID

/** The name and branding of a system, from its client. */
export const brandOf = (client: LibraryClient): Brand => ({
  name: client.clientName ?? client.clientId,
  branding: (client.branding ?? {}) as Branding,
})

/** The service account that a client is; undefined for a system. */
export const serviceAccountOf = (client: LibraryClient): ServiceClient | undefined =>
  client.service_account as ServiceClient | undefined

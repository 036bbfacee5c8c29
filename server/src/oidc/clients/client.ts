/**
 * What we know of a client beside the metadata of the protocol. The protocol library has one object for each
 * client, with one property of ours, `tenantry`; metadata.ts writes it, and everything else reads it here.
 */
import type { Client } from 'oidc-provider'
import type { Branding } from '../../database/schema.ts'
import type { ServiceClient } from '../../resources/service-accounts/queries.ts'
import type { Addresses, Application } from '../../resources/systems/application.ts'
import type { RegisteredKeys } from '../../resources/systems/client-keys.ts'
import type { ClientSystem as System } from '../../resources/systems/queries.ts'

/** The fields of a system that the protocol reads as they are. */
type SystemFields = Pick<
  System,
  | 'platform'
  | 'multiAccount'
  | 'open'
  | 'skipConsent'
  | 'requireEmailOtp'
  | 'requireMfa'
  | 'requirePkce'
  | 'securityProfile'
  | 'allowClientCredentials'
  | 'accessTokenType'
  | 'accessTokenAlg'
  | 'introspectableBy'
  | 'allowedOrigins'
>

export type OwnMetadata = Readonly<
  SystemFields & {
    /** The system that the client is, or that of the service account; null for the built-in client. */
    systemId: string | null
    allowActing: boolean
    branding: Branding
    addresses: Addresses
    /** The keys of a system that authenticates with them or signs requests. */
    registeredKeys: RegisteredKeys | null
    /** Changes with time, so that the library makes another client object (metadata.ts). */
    keysPeriod: number | null
    /** The hash of the secret that a rotation has replaced, while it is accepted. */
    previousSecretHash: string | null
    /** The service account that the client is; null for a system. */
    serviceAccount: ServiceClient | null
  }
>

declare module 'oidc-provider' {
  interface Client {
    readonly tenantry: OwnMetadata
  }
  interface AllClientMetadata {
    tenantry?: OwnMetadata
  }
}

/** `extraClientMetadata` of the library's configuration. */
export const OWN_PROPERTIES = ['tenantry'] satisfies (keyof Client)[]

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

export const isAccountClient = (client: Client | undefined): boolean => client?.clientId === ACCOUNT_CLIENT_ID

/** The system of a client that is not the built-in one. */
export function systemIdOfClient(client: Client | undefined): string {
  const systemId = client?.tenantry.systemId
  if (!systemId) throw new Error('the client of the request is no system')
  return systemId
}

/** The system that the client is; undefined for the built-in client and for a service account. */
export const applicationOfClient = (client: Client | undefined): Application | undefined =>
  client?.clientName && client.tenantry.systemId !== null
    ? {
        id: client.tenantry.systemId,
        clientId: client.clientId,
        name: client.clientName,
        branding: client.tenantry.branding,
        ...client.tenantry.addresses,
        redirectUris: client.redirectUris ?? [],
      }
    : undefined

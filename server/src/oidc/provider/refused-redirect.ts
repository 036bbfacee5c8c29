/**
 * A redirect URI that is not registered. Everyone is shown what was sent; what is registered only operators
 * who may read the system.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Client, KoaContextWithOIDC, Session } from 'oidc-provider'

export type UnregisteredRedirect = {
  field: 'redirectUris' | 'postLogoutRedirectUris'
  sent: string
  registered: readonly string[]
}

/** Undefined if the request has none, or one that is registered. */
export function unregisteredRedirect(
  client: Client | undefined,
  params: KoaContextWithOIDC['oidc']['params'],
  error: string,
): UnregisteredRedirect | undefined {
  const field = params?.redirect_uri === undefined ? 'postLogoutRedirectUris' : 'redirectUris'
  const sent = params?.redirect_uri ?? params?.post_logout_redirect_uri
  if (!client || typeof sent !== 'string') return undefined
  const registered = client[field] ?? []
  return error !== 'invalid_redirect_uri' && registered.includes(sent)
    ? undefined
    : { field, sent, registered }
}

/** `registered` and `context`, that of the console: absent for those who may not read the system. */
export type ShownRedirect = Omit<UnregisteredRedirect, 'registered'> & {
  systemId: string
  registered?: readonly string[]
  context?: string | undefined
}

const IN_REDIRECTS = /^invalid_redirect_uri$|post_logout_redirect_uri not registered/

type Parts = {
  log: FastifyBaseLogger
  contextOf(session: Session | undefined, systemId: string): Promise<string | undefined>
}

/** What an error page shows about the redirect URI of its request. */
export async function shownRedirect(
  { contextOf, log }: Parts,
  { oidc }: KoaContextWithOIDC,
  { error, error_description: description = '' }: { error: string; error_description?: string | undefined },
): Promise<ShownRedirect | undefined> {
  const { client, params, session } = oidc ?? {}
  const systemId = client?.tenantry.systemId
  if (!systemId || ![error, description].some((text) => IN_REDIRECTS.test(text))) return undefined
  const found = unregisteredRedirect(client, params, error)
  if (!found) return undefined
  const { registered, ...sent } = found
  const context = await contextOf(session, systemId).catch((fault) => {
    log.error({ err: fault }, 'the operator of a browser session cannot be read')
    return undefined
  })
  return { ...sent, systemId, ...(context && { context, registered }) }
}

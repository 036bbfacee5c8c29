/** The other places where a user can sign in: identity providers, and the connections of an organization. */
import type { Config } from '../config/config.ts'
import { EVERYTHING } from '../http/authority.ts'
import { isTestSignIn, type SignInStep } from '../oidc/interaction.ts'
import { listOffered } from '../resources/connections/linking.ts'
import type { EnabledUser } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import { findUser } from '../resources/users/queries.ts'
import type { OfferedConnection } from '../ui/pages/connection-sign-in.ts'

export type ProviderLink = { id: string; name: string; url: string }

export const providersOf = ({ social }: Config, uid: string): ProviderLink[] =>
  social.map(({ id, name }) => ({ id, name, url: `/social/${id}/login?${new URLSearchParams({ uid })}` }))

/** The linked providers of a user of /account who has neither a password nor a passkey. */
export async function linkedProviders(
  { db, config }: SignInStep['parts'],
  uid: string,
  { id }: EnabledUser,
): Promise<ProviderLink[]> {
  const { identities } = await findUser(db, EVERYTHING, id)
  return providersOf(config, uid).filter((each) => identities.some(({ provider }) => provider === each.id))
}

/** Of the organization that the request names by `account_id` or `connection`. A test links nobody. */
export async function connectionsOf(
  { parts, interaction }: SignInStep,
  system: ClientSystem | undefined,
): Promise<OfferedConnection[]> {
  const { uid, params } = interaction
  const { account_id: accountId, connection } = params
  const isNamed = accountId !== undefined || connection !== undefined
  if (!system || system.platform || !isNamed || isTestSignIn(interaction)) return []
  const found = await listOffered(parts.db, system.id, { accountId, connection })
  return found.map(({ issuer, ...each }) => ({
    ...each,
    host: new URL(issuer).host,
    url: `/interaction/${uid}/connection/${each.id}`,
  }))
}

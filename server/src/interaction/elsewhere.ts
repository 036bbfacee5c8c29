/** The other places where a user can sign in: identity providers, and the connections of an organization. */
import { withTyped } from '../authentication/typed-address.ts'
import type { Config } from '../config/config.ts'
import { addressKey } from '../email-address.ts'
import { EVERYTHING } from '../http/authority.ts'
import { addressShowing } from '../http/shown.ts'
import { isTestSignIn, type SignInStep } from '../oidc/interaction.ts'
import type { ConnectionDetails } from '../oidc/policy/connection-prompt.ts'
import { listOffered, listOfferedTo, OFFERED_MAX } from '../resources/connections/linking.ts'
import type { EnabledUser } from '../resources/sign-ins/queries.ts'
import type { ClientSystem } from '../resources/systems/queries.ts'
import { findUser } from '../resources/users/queries.ts'
import type { PageState } from '../ui/forms.ts'
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

/** Whether a sign-in can go to connections of organizations. A test links nobody. */
const takesConnections = (
  { interaction }: SignInStep,
  system: ClientSystem | undefined,
): system is ClientSystem => system !== undefined && !system.platform && !isTestSignIn(interaction)

/** The organization that the request names, itself or by a connection of it; or the one of the step. */
function namedBy({ interaction: { prompt, params } }: SignInStep) {
  const { account } = prompt.details as Partial<ConnectionDetails>
  if (prompt.name === 'connection') return { accountId: account?.id, connection: undefined }
  return { accountId: params.account_id, connection: params.connection }
}

const namesOrganization = (step: SignInStep): boolean => {
  const { accountId, connection } = namedBy(step)
  return accountId !== undefined || connection !== undefined
}

type Found = { connections: OfferedConnection[]; hasTooMany: boolean }

/**
 * The connections of the organization that the request names; if it names none, those of the organizations
 * that have verified the domain of the address. Their links have the address that was typed.
 */
export async function connectionsOf(
  step: SignInStep,
  system: ClientSystem | undefined,
  address: string | undefined,
  typed?: string,
): Promise<Found> {
  const { parts, interaction } = step
  const { uid } = interaction
  if (!takesConnections(step, system)) return { connections: [], hasTooMany: false }
  const isNamed = namesOrganization(step)
  const found = isNamed
    ? await listOffered(parts.db, system.id, namedBy(step))
    : address === undefined || !system.hasConnections
      ? []
      : await listOfferedTo(parts.db, system.id, addressKey(address))
  if (!isNamed && found.length > OFFERED_MAX) return { connections: [], hasTooMany: true }
  const usable = found.filter(({ kind }) => kind === 'oidc' || parts.config.SAML)
  const connections = usable.map(({ address: ofProvider, kind: _, ...each }) => ({
    ...each,
    host: new URL(ofProvider).host,
    url: withTyped(parts.seal, uid, `/interaction/${uid}/connection/${each.id}`, typed),
  }))
  return { connections, hasTooMany: false }
}

/** What a step offers of the connections. */
export type ConnectionOffer = {
  connections: OfferedConnection[]
  /** The form of an address alone: of the connections for it, or of the first page of the login. */
  address: string | undefined
  /** They are a page of their own, from which `other` leads to the login page. */
  isPage: boolean
  other: string
}

/** The steps at which an address is typed that a connection may be for. */
const OFFERING_STEPS = new Set(['login', 'register', 'connection'])

type Shown = {
  at: string
  email: string | undefined
  state: PageState & { ways?: boolean; offers?: boolean; looksUp?: false }
}

/** `email`: the address in the form. A page of their own follows its form, or is shown at once. */
export async function readOffer(
  step: SignInStep,
  system: ClientSystem | undefined,
  { at, email, state }: Shown,
): Promise<ConnectionOffer> {
  const { uid } = step.interaction
  const { ways, offers, values, errors, looksUp } = state
  const { connections } = OFFERING_STEPS.has(at)
    ? await connectionsOf(step, system, looksUp === false ? undefined : email, values?.email)
    : { connections: [] }
  const isAtOnce = namesOrganization(step) && !values?.email && !errors
  const isOffering = at === 'login' && takesConnections(step, system) && system.hasConnections
  const isAsked = isOffering || (at === 'login' && system?.addressFirst === true)
  const page = `/interaction/${uid}`
  return {
    connections,
    address: isAsked ? `${page}/address` : undefined,
    isPage: at === 'login' && connections.length > 0 && !ways && (offers === true || isAtOnce),
    other: values?.email ? addressOf(step, { values, entered: true }) : `${page}?ways=other`,
  }
}

/** The address of the step in a state; without it, if that is too much. */
export function addressOf({ parts, interaction: { uid, prompt } }: SignInStep, state: object): string {
  const page = `/interaction/${uid}`
  return addressShowing(parts.seal, page, { page: uid, shown: { prompt: prompt.name, state } }) ?? page
}

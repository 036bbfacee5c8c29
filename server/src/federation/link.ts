/**
 * The user of an identity, which is a provider and its subject. A verified address of the provider identifies
 * a user only if the user's address is verified too, or if the user has no sign-in method.
 */
import type { SocialProvider } from '../config/identity-providers.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor, Scope } from '../http/authority.ts'
import { placeOf } from '../oidc/interaction.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { findIdentityUser, type Identity, insertIdentity } from '../resources/identities/queries.ts'
import { type Client, shareOpenSystem } from '../resources/systems/queries.ts'
import { createUser } from '../resources/users/create.ts'
import { lockUserOf, type User, updateUser } from '../resources/users/queries.ts'
import type { Person } from './identity.ts'

/** A user that a provider has authenticated, who signs in to `system`; to /account without one. */
export type FederatedLogin = {
  provider: SocialProvider
  person: Person
  system: Client | undefined
}

export const identityOf = (
  provider: SocialProvider,
  { subject, email }: Pick<Person, 'subject' | 'email'>,
): Identity => ({ provider: provider.id, subject, email })

const namesOf = ({ name, givenName, familyName, locale }: Person) => ({ name, givenName, familyName, locale })

/** `password`: the identity can be linked only after the user has signed in with their password. */
export type Resolved = { userId: string; identity: { id: string; scope: Scope } } | 'password' | 'refused'

/**
 * Whether the provider may verify addresses of this domain: another one could state any address. Google also
 * verifies those of the organizations that it hosts.
 */
function isTrusted({ id, trustedDomains }: SocialProvider, email: string, { hostedDomain }: Person): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isHosted = id === 'google' && hostedDomain === domain
  return isHosted || trustedDomains.includes('*') || trustedDomains.includes(domain)
}

/** Finds the user of an identity, links it to the user of its verified address, or creates a user. */
export async function resolveUser(
  tx: Db,
  seal: Seal,
  actor: Actor,
  login: FederatedLogin,
): Promise<Resolved> {
  const { provider, person, system } = login
  const identity = identityOf(provider, person)
  const linked = await findIdentityUser(tx, identity, placeOf(system).scope)
  if (linked) return linked.disabled ? 'refused' : { userId: linked.userId, identity: linked }
  const { email } = person
  if (email === null || !person.emailVerified || !isTrusted(provider, email, person)) return 'password'
  const known = await lockUserOf(tx, email)
  if (known) return linkKnownUser(tx, seal, actor, known, login)
  if (!system || !(await shareOpenSystem(tx, system.id))) return 'refused'
  const id = crypto.randomUUID()
  const created = await createUser(
    tx,
    { ...actor, type: 'user', id },
    null,
    { ...namesOf(person), id, email, emailVerified: true },
    { action: 'user.registered', systemId: system.id, changes: { provider: [null, provider.id] } },
  )
  if (!created)
    throw new Failure('unavailable', {
      detail: 'The address was registered by another request.',
      retryAfter: 1,
    })
  return { userId: id, identity: { id: await insertIdentity(tx, id, identity, null), scope: null } }
}

/** Links the identity to the row-locked user of the address that the provider has verified. */
async function linkKnownUser(
  tx: Db,
  seal: Seal,
  actor: Actor,
  user: User,
  { provider, person, system }: FederatedLogin,
): Promise<Resolved> {
  if (user.disabled) return 'refused'
  const hasNoSignInMethod = !user.hasPassword && !user.mfaEnabled && user.identities.length === 0
  if (!user.emailVerified && !hasNoSignInMethod) return 'password'
  const self = { ...actor, type: 'user' as const, id: user.id }
  const verified = user.emailVerified ? user : await updateUser(tx, user.id, { emailVerified: true })
  const identity = identityOf(provider, person)
  const linking = { identity, scope: null, providerName: provider.name, system }
  const id = await linkIdentity(tx, seal, self, verified, linking)
  return { userId: user.id, identity: { id, scope: null } }
}

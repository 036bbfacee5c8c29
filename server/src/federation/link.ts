/**
 * The user of an identity, which is an issuer and its subject, whatever the provider is called in the
 * settings. An identity never leads to a second user, and a user has one identity of an issuer in each scope:
 * all else is `identity_conflict`. A verified address of the provider identifies
 * a user only if the user's address is verified too, or if the user has no sign-in method.
 */
import { GOOGLE_ISSUER, type SocialProvider } from '../config/identity-providers.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { Failure } from '../errors.ts'
import type { Actor, Scope } from '../http/authority.ts'
import { createUser } from '../lifecycle/create-user.ts'
import { placeOf } from '../oidc/interaction.ts'
import { linkIdentity } from '../resources/identities/link.ts'
import { findIdentityUser, insertIdentity, type LinkedIdentity } from '../resources/identities/queries.ts'
import { type ClientSystem, shareOpenSystem } from '../resources/systems/queries.ts'
import type { Identity } from '../resources/users/queries.ts'
import { lockUserOf, type User, updateUser } from '../resources/users/queries.ts'
import type { ProviderPerson } from './identity.ts'

/** A user that a provider has authenticated, who signs in to `system`; to /account without one. */
export type FederatedLogin = {
  provider: SocialProvider
  person: ProviderPerson
  system: ClientSystem | undefined
  /** A test of the sign-in creates and links nothing: only a linked identity signs in. */
  isTest: boolean
}

export const identityOf = (
  provider: SocialProvider,
  { issuer, subject, email }: Pick<ProviderPerson, 'issuer' | 'subject' | 'email'>,
): Identity => ({ provider: provider.id, issuer, subject, email })

const namesOf = ({ name, givenName, familyName, locale }: ProviderPerson) => ({
  name,
  givenName,
  familyName,
  locale,
})

/** `password`: the identity can be linked only after the user has signed in with their password. */
export type Resolved = { userId: string; identity: { id: string; scope: Scope } } | 'password' | 'refused'

/**
 * Whether the provider may verify addresses of this domain: another one could state any address. Google also
 * verifies those of the organizations that it hosts.
 */
function isTrusted({ trustedDomains }: SocialProvider, email: string, person: ProviderPerson): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const isHosted = person.issuer === GOOGLE_ISSUER && person.hostedDomain === domain
  return isHosted || trustedDomains.includes('*') || trustedDomains.includes(domain)
}

/**
 * Whether the provider states no other address than before. Another one may be that of a person who was given
 * a name that the provider uses again, unless the user has this address here too.
 */
const isStillOf = ({ email: before, userEmail }: LinkedIdentity, email: string | null): boolean =>
  email === null || before === null || email === before || email === userEmail

/** Throws `identity_conflict` if the user has another identity of the issuer, or another user this one. */
export async function linkOnly(...link: Parameters<typeof linkIdentity>): Promise<string> {
  try {
    return await linkIdentity(...link)
  } catch (error) {
    const code = failureOf(error)?.code
    if (code !== 'identity_taken' && code !== 'identity_linked') throw error
    throw new Failure('identity_conflict', { cause: error })
  }
}

/**
 * Finds the user of an identity, links it to the user of its verified address, or creates a user. Throws
 * `identity_conflict`.
 */
export async function resolveUser(
  tx: Db,
  seal: Seal,
  actor: Actor,
  login: FederatedLogin,
): Promise<Resolved> {
  const { provider, person, system } = login
  const identity = identityOf(provider, person)
  const linked = await findIdentityUser(tx, identity, placeOf(system).scope)
  const { email } = person
  if (linked) {
    if (linked.disabled) return 'refused'
    if (!isStillOf(linked, email)) throw new Failure('identity_conflict')
    return { userId: linked.userId, identity: linked }
  }
  if (login.isTest) return 'refused'
  if (email === null || !person.emailVerified || !isTrusted(provider, email, person)) return 'password'
  const known = await lockUserOf(tx, email)
  if (known) return linkKnownUser(tx, seal, actor, known, login)
  if (!system || !(await shareOpenSystem(tx, system.id))) return 'refused'
  const id = crypto.randomUUID()
  const created = await createUser(
    tx,
    seal,
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
  const id = await linkOnly(tx, seal, self, verified, linking)
  return { userId: user.id, identity: { id, scope: null } }
}

/**
 * Whose account it is that a person of another identity provider comes to. An identity is a provider and its subject; an
 * address leads to an account only when both sides have verified it, or nobody else can have got in to the account.
 */

import type { SocialProvider } from '../config/identity-providers.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { identityAdded } from '../jobs/email/messages.ts'
import { record } from '../resources/audit/record.ts'
import { deleteFactors } from '../resources/credentials/queries.ts'
import { enqueue } from '../resources/events/enqueue.ts'
import { endSessions } from '../resources/sessions/end.ts'
import { shareOpenSystem } from '../resources/systems/queries.ts'
import { eventOf } from '../resources/users/changes.ts'
import {
  deleteMailedTokens,
  lockUser,
  lockUserOf,
  type User,
  updateUser,
} from '../resources/users/queries.ts'
import type { Brand } from '../ui/brand.ts'
import type { Person } from './identity.ts'
import { clearRegistered, findOwner, insertIdentity, insertVerified } from './queries.ts'

export type Coming = { provider: SocialProvider; person: Person; system: Brand & { id: string } }
/** `password`: an account, should they have one, has to be opened with its password first. */
export type Admitted = { userId: string } | 'password' | 'refused'

export async function admit(tx: Db, seal: Seal, actor: Actor, coming: Coming): Promise<Admitted> {
  const { provider, person, system } = coming
  const owner = await findOwner(tx, provider.id, person.subject)
  if (owner) return owner.disabled ? 'refused' : { userId: owner.id }
  const { email } = person
  if (email === null || !person.emailVerified) return 'password'
  const known = await lockUserOf(tx, email)
  if (known) return admitKnown(tx, seal, actor, known, coming)
  if (!(await shareOpenSystem(tx, system.id))) return 'refused'
  const id = await insertVerified(tx, email, person)
  if (id === undefined)
    throw new Failure('unavailable', { detail: 'The address was registered meanwhile.', retryAfter: 1 })
  await insertIdentity(tx, { userId: id, provider: provider.id, person })
  const self = { ...actor, type: 'user' as const, id }
  const changes = { provider: [null, provider.id] as [unknown, unknown] }
  await record(tx, self, {
    action: 'user.registered',
    target: { type: 'user', id },
    systemId: system.id,
    changes,
  })
  await enqueue(tx, eventOf('user.created', self, { id, email }))
  return { userId: id }
}

/** A user, held, with the address that the provider has verified. */
async function admitKnown(tx: Db, seal: Seal, actor: Actor, user: User, coming: Coming): Promise<Admitted> {
  if (user.disabled) return 'refused'
  const self = { ...actor, type: 'user' as const, id: user.id }
  if (user.registration) {
    await takeOver(tx, self, user, coming)
    await link(tx, seal, self, await lockUser(tx, {}, user.id), coming)
    return { userId: user.id }
  }
  const nobodys = !user.hasPassword && !user.mfaEnabled && user.identities.length === 0
  if (!user.emailVerified && !nobodys) return 'password'
  const proven = user.emailVerified ? user : await updateUser(tx, user.id, { emailVerified: true })
  await link(tx, seal, self, proven, coming)
  return { userId: user.id }
}

/** Whoever registered with the address and never proved it is out, with all that would let them in again. */
async function takeOver(
  tx: Db,
  self: Actor,
  { id, hasPassword }: User,
  { provider, person, system }: Coming,
): Promise<void> {
  await deleteFactors(tx, id)
  await deleteMailedTokens(tx, id)
  await clearRegistered(tx, id, person)
  await endSessions(tx, self, { userId: id }, 'password_changed')
  await record(tx, self, {
    action: 'user.email_verified',
    target: { type: 'user', id },
    systemId: system.id,
    changes: {
      emailVerified: [false, true],
      hasPassword: [hasPassword, false],
      provider: [null, provider.id],
    },
  })
}

type Linking = Pick<Coming, 'provider' | 'person'> & Partial<Coming>

/**
 * Links an identity to a user that the transaction holds, and tells them; `system` is where they are signing in. Refused as
 * identity_taken or identity_linked.
 */
export async function link(
  tx: Db,
  seal: Seal,
  self: Actor,
  user: User,
  { provider, person, system }: Linking,
): Promise<void> {
  await insertIdentity(tx, { userId: user.id, provider: provider.id, person })
  await updateUser(tx, user.id, {})
  await record(tx, self, {
    action: 'user.identity_linked',
    target: { type: 'user', id: user.id },
    systemId: system?.id ?? null,
    changes: { provider: [null, provider.id] },
  })
  await enqueue(tx, eventOf('user.updated', self, user, { changed: ['identities'] }))
  await sendMail(tx, seal, identityAdded(user, system, provider.name))
}

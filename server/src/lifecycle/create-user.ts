/**
 * A new user: row, audit entry and event. Every way to get a user ends here: the admin API, an import,
 * registration, a first sign-in with another identity provider, and the first start of the server.
 */
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor, Scope } from '../http/authority.ts'
import { type AuditEntry, difference, record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { insertPasswords } from '../resources/credentials/passwords.ts'
import { insertUnconfirmed } from '../resources/credentials/unconfirmed.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { type CreatedUser, insertUsers, type NewUser, type User } from '../resources/users/queries.ts'
import { insertSystemUsers } from '../resources/users/system-users.ts'
import { applyKept } from './keep-decisions.ts'

type Entry = {
  action: 'user.created' | 'user.registered'
  /** Default: the platform alone sees the entry. */
  systemId?: string | null
  /** Default: every field of the user, except the password. */
  changes?: AuditEntry['changes']
}

/**
 * Creates the users whose e-mail address is free, and returns them in the order in which they were given. Of
 * the users that a system creates only the address is valid everywhere: what the system states about them,
 * and the password it sets, are valid in that system.
 */
export async function createUsers(
  tx: Db,
  seal: Seal,
  actor: Actor,
  scope: Scope,
  given: CreatedUser[],
  { changes, ...entry }: Entry,
): Promise<User[]> {
  const rows = given.map((user) => ({ ...user, id: user.id ?? crypto.randomUUID() }))
  const free = await insertUsers(
    tx,
    rows.map((user) => rowOf(user, scope)),
  )
  const inserted = new Map(free.map((user) => [user.id, user]))
  const created = rows.flatMap((stated) => {
    const user = inserted.get(stated.id)
    return user ? [{ user, stated }] : []
  })
  if (scope !== null)
    await insertSystemUsers(
      tx,
      scope,
      created.map(({ user, stated }) => ({ ...user, stated })),
    )
  const passwords = created.flatMap(({ user, stated }) => {
    const { passwordHash: hash, mustChangePassword: mustChange = false, isImported } = stated
    const isOwn = user.emailVerified || !isImported
    return hash ? [{ id: crypto.randomUUID(), userId: user.id, hash, mustChange, isOwn }] : []
  })
  await insertPasswords(tx, scope, passwords)
  if (scope === null)
    await insertUnconfirmed(
      tx,
      passwords.flatMap(({ id, userId, isOwn }) => (isOwn ? [] : [{ userId, credentialId: id }])),
    )
  await record(
    tx,
    actor,
    ...created.map(({ user, stated: { id, passwordHash, isImported, ...fields } }) => ({
      ...entry,
      target: { type: 'user', id: user.id },
      changes: changes ?? difference({}, fields),
    })),
  )
  await enqueue(tx, ...created.map(({ user }) => eventOfUser('user.created', actor, user, {}, scope)))
  const disabled = await applyKept(
    tx,
    seal,
    created.map(({ user }) => user),
  )
  return created.map(({ user, stated: { passwordHash, isImported, ...fields } }) => ({
    ...user,
    ...(fields as Partial<User>),
    hasPassword: Boolean(passwordHash),
    ...(scope !== null && disabled.get(user.id)?.has(scope) && { disabled: true }),
  }))
}

const rowOf = (
  { passwordHash, mustChangePassword, isImported, ...user }: CreatedUser,
  scope: Scope,
): NewUser =>
  scope === null
    ? { ...user, hasPassword: Boolean(passwordHash) }
    : { ...(user.id !== undefined && { id: user.id }), email: user.email }

/** Creates one user. Returns undefined when the e-mail address has a user. */
export async function createUser(
  tx: Db,
  seal: Seal,
  actor: Actor,
  scope: Scope,
  user: CreatedUser,
  entry: Entry,
): Promise<User | undefined> {
  const [created] = await createUsers(tx, seal, actor, scope, [user], entry)
  return created
}

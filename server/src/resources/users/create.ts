/**
 * A new user: row, audit entry and event. Every way to get a user ends here: the admin API, an import,
 * registration, a first sign-in with another identity provider, and the first start of the server.
 */
import type { Db } from '../../database/database.ts'
import type { Actor } from '../../http/authority.ts'
import { type AuditEntry, difference, record } from '../audit/record.ts'
import { enqueue } from '../events/enqueue.ts'
import { eventOf } from './changes.ts'
import { insertUsers, type NewUser, type User } from './queries.ts'

type Entry = {
  action: 'user.created' | 'user.registered'
  /** Default: the platform alone sees the entry. */
  systemId?: string | null
  /** Default: every field of the user, except the password. */
  changes?: AuditEntry['changes']
}

/** Creates the users whose e-mail address is free, and returns them in the order in which they were given. */
export async function createUsers(
  tx: Db,
  actor: Actor,
  given: NewUser[],
  { changes, ...entry }: Entry,
): Promise<User[]> {
  const rows = given.map((user) => ({ ...user, id: user.id ?? crypto.randomUUID() }))
  const inserted = new Map((await insertUsers(tx, rows)).map((user) => [user.id, user]))
  const created = rows.flatMap(({ id, passwordHash, ...fields }) => {
    const user = inserted.get(id)
    return user ? [{ user, changes: changes ?? difference({}, fields) }] : []
  })
  await record(
    tx,
    actor,
    ...created.map(({ user, changes }) => ({ ...entry, target: { type: 'user', id: user.id }, changes })),
  )
  await enqueue(tx, ...created.map(({ user }) => eventOf('user.created', actor, user)))
  return created.map(({ user }) => user)
}

/** Creates one user. Returns undefined when the e-mail address has a user. */
export async function createUser(
  tx: Db,
  actor: Actor,
  user: NewUser,
  entry: Entry,
): Promise<User | undefined> {
  const [created] = await createUsers(tx, actor, [user], entry)
  return created
}

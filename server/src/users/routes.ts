/**
 * Users. Mounted at /admin/users, behind the admin guard. Memberships are their own folder. Links,
 * temporary passwords and second factors are not built yet.
 *
 * A system's service token reads the users who have a membership in the system, and changes those it manages: who have
 * none elsewhere. A user it has just made is nobody's yet: it may not read or change that user until it has made the
 * membership, since by the same rule any other system could take over a user who is not a member anywhere. Deleting a
 * person also deletes personal accounts that other systems keep, so that is the platform's alone.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { erasePerson } from '../audit/erase.ts'
import { difference, record } from '../audit/record.ts'
import { type Actor, type Caller, reachOf } from '../authority.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db.ts'
import { failures, invalid } from '../errors.ts'
import { enqueueAccess } from '../events/access.ts'
import { type EventType, enqueue } from '../events/enqueue.ts'
import { passwordChanged } from '../mail/letters.ts'
import { sendMail } from '../mail/send.ts'
import type { Seal } from '../seal.ts'
import { endSessions } from '../sessions/end.ts'
import { Email, Id, JsonObject, Name, Nullable, PageOf, PageQuery, pageOf, Search, Time } from '../shapes.ts'
import { findSystem } from '../systems/queries.ts'
import { hashPassword, passwordFault } from './passwords.ts'
import {
  deleteMailedTokens,
  deleteUser,
  demandManaged,
  findUser,
  insertUser,
  type ListedUser,
  listUsers,
  lockUser,
  type User,
  updatePassword,
  updateUser,
} from './queries.ts'

const OneUser = Type.Object({ userId: Id })
/** A BCP 47 language tag; its length is RFC 5646 section 4.4.1's. */
const Locale = Type.String({ pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$', maxLength: 35 })
const Password = Type.String({ writeOnly: true, description: 'From PASSWORD_MIN_LENGTH to 128 characters after NFC.' })

const FIELDS = {
  emailVerified: Type.Boolean(),
  name: Nullable(Name),
  givenName: Nullable(Name),
  familyName: Nullable(Name),
  locale: Nullable(Locale),
  metadata: JsonObject,
}
const UserPatchBody = Type.Partial(Type.Object({ email: Email, ...FIELDS, disabled: Type.Boolean() }))
const UserBody = Type.Object({ ...Type.Partial(Type.Object(FIELDS)).properties, email: Email, password: Type.Optional(Password) })
const PasswordBody = Type.Object({
  password: Password,
  mustChangePassword: Type.Optional(
    Type.Boolean({ description: 'Whether the next sign-in is to ask for another one; none does yet. Default false.' }),
  ),
})

const UserAnswer = Type.Object({
  id: Id,
  email: Type.String(),
  ...FIELDS,
  disabled: Type.Boolean(),
  hasPassword: Type.Boolean(),
  mustChangePassword: Type.Boolean(),
  mfaEnabled: Type.Boolean({ description: 'An authenticator app or a passkey is enrolled.' }),
  identities: Type.Array(Type.Object({ provider: Type.String(), subject: Type.String(), email: Nullable(Type.String()) })),
  lastLoginAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
})
/** A user beyond the caller's reach, found by the whole address. */
const FoundUser = Type.Object({ id: Id, email: Type.String() })

const answerOf = (user: User) => ({
  ...user,
  lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
})
const listedOf = ({ inReach, ...user }: ListedUser) => (inReach ? answerOf(user) : { id: user.id, email: user.email })

/** What the audit says of a user: which, and the system whose token acted, so that the system finds its own deeds. */
const entryOf = (caller: Caller, id: string) => ({ target: { type: 'user', id }, systemId: reachOf(caller).systemId ?? null })

const eventOf = (type: EventType, actor: Actor, { id, email }: User, more: Record<string, unknown> = {}) => ({
  type,
  userId: id,
  data: { user: { id, email }, ...more, actor: { type: actor.type, id: actor.id } },
})

export const usersRoutes: FastifyPluginAsyncTypebox<{ db: Db; seal: Seal; config: Config }> = async (
  app,
  { db, seal, config },
) => {
  /** Hashing takes its time and its turn: never inside a transaction. */
  async function hashOf(password: string): Promise<string> {
    const fault = passwordFault(password, config.PASSWORD_MIN_LENGTH)
    if (fault) throw invalid('/password', fault)
    return hashPassword(password)
  }

  /** The user, held for a change that this caller may make. */
  async function lockManaged(tx: Db, caller: Caller, id: string): Promise<User> {
    const reach = reachOf(caller)
    const user = await lockUser(tx, reach, id)
    if (reach.systemId !== undefined) await demandManaged(tx, id, reach.systemId)
    return user
  }

  /** The name of the system whose token acts; none when the platform does. */
  async function systemName(tx: Db, caller: Caller): Promise<string | undefined> {
    const { systemId } = reachOf(caller)
    return systemId === undefined ? undefined : (await findSystem(tx, {}, systemId)).name
  }

  app.get(
    '/',
    {
      config: { authority: ['platform', 'system'] },
      schema: {
        querystring: Type.Object({
          ...PageQuery,
          search: Type.Optional(Search),
          email: Type.Optional(Type.String({ maxLength: 254, description: 'The whole address, in any letter case.' })),
        }),
        response: { 200: PageOf(Type.Union([UserAnswer, FoundUser])), ...failures('invalid_request') },
      },
    },
    async (request) => {
      const { rows, total } = await listUsers(db, reachOf(request.caller), request.query)
      return pageOf(request.query, rows.map(listedOf), total)
    },
  )

  app.post(
    '/',
    {
      config: { authority: ['platform', 'system'] },
      schema: { body: UserBody, response: { 201: UserAnswer, ...failures('invalid_request', 'email_taken') } },
    },
    async (request, reply) => {
      const { actor } = request.caller
      const { password, ...input } = request.body
      const passwordHash = password === undefined ? null : await hashOf(password)
      const user = await db.transaction(async (tx) => {
        const user = await insertUser(tx, input, passwordHash)
        await record(tx, actor, { action: 'user.created', ...entryOf(request.caller, user.id), changes: difference({}, input) })
        await enqueue(tx, eventOf('user.created', actor, user))
        return user
      })
      return reply.code(201).send(answerOf(user))
    },
  )

  app.get(
    '/:userId',
    {
      config: { authority: ['platform', 'system'] },
      schema: { params: OneUser, response: { 200: UserAnswer, ...failures('user_not_found') } },
    },
    async (request) => answerOf(await findUser(db, reachOf(request.caller), request.params.userId)),
  )

  app.patch(
    '/:userId',
    {
      config: { authority: ['platform', 'system'] },
      schema: {
        params: OneUser,
        body: UserPatchBody,
        response: { 200: UserAnswer, ...failures('invalid_request', 'user_shared', 'user_not_found', 'email_taken') },
      },
    },
    async (request) => {
      const { actor } = request.caller
      const user = await db.transaction(async (tx) => {
        const before = await lockManaged(tx, request.caller, request.params.userId)
        const { email } = request.body
        const moved = email !== undefined && email.toLowerCase() !== before.email.toLowerCase()
        const patch = { ...(moved && { emailVerified: false }), ...request.body }
        const changes = difference(before, { ...before, ...patch })
        if (Object.keys(changes).length === 0) return before
        const after = await updateUser(tx, before.id, patch)
        if (moved) await deleteMailedTokens(tx, before.id)
        if (after.disabled && !before.disabled) await endSessions(tx, actor, { userId: before.id }, 'user_disabled')
        await record(tx, actor, { action: 'user.updated', ...entryOf(request.caller, before.id), changes })
        await enqueue(tx, eventOf('user.updated', actor, after, { changed: Object.keys(changes) }))
        return after
      })
      return answerOf(user)
    },
  )

  app.post(
    '/:userId/set-password',
    {
      config: { authority: ['platform', 'system'] },
      schema: {
        params: OneUser,
        body: PasswordBody,
        response: { 200: UserAnswer, ...failures('invalid_request', 'user_shared', 'user_not_found') },
      },
    },
    async (request) => {
      const { actor } = request.caller
      const { password, mustChangePassword = false } = request.body
      const passwordHash = await hashOf(password)
      const user = await db.transaction(async (tx) => {
        const before = await lockManaged(tx, request.caller, request.params.userId)
        const after = await updatePassword(tx, before.id, passwordHash, mustChangePassword)
        await deleteMailedTokens(tx, before.id)
        await endSessions(tx, actor, { userId: before.id }, 'password_changed')
        const { hasPassword } = after
        await record(tx, actor, {
          action: 'user.password_set',
          ...entryOf(request.caller, before.id),
          changes: difference(before, { hasPassword, mustChangePassword }),
        })
        await enqueue(tx, eventOf('user.updated', actor, after, { changed: ['password'] }))
        await sendMail(tx, seal, passwordChanged(after, await systemName(tx, request.caller)))
        return after
      })
      return answerOf(user)
    },
  )

  app.delete(
    '/:userId',
    {
      config: { authority: ['platform'] },
      schema: { params: OneUser, response: { 204: Type.Null(), ...failures('user_not_found') } },
    },
    async (request, reply) => {
      const { actor } = request.caller
      await db.transaction(async (tx) => {
        const gone = await lockUser(tx, reachOf(request.caller), request.params.userId)
        await endSessions(tx, actor, { userId: gone.id }, 'user_removed')
        await enqueueAccess(tx, actor, 'user.access_revoked', { userId: gone.id })
        await deleteUser(tx, gone.id)
        await erasePerson(tx, gone.id)
        await record(tx, actor, { action: 'user.deleted', ...entryOf(request.caller, gone.id) })
        await enqueue(tx, eventOf('user.deleted', actor, gone))
      })
      return reply.code(204).send(null)
    },
  )
}

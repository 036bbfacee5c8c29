/**
 * Users. Mounted at /admin/users, behind the admin guard. credentials/ has their passwords, links and
 * factors.
 *
 * A system's service token reads and changes the users of its system: what it states about them and the
 * credentials it sets are valid in that system only. A user becomes one of a system by a membership there, or
 * when the system creates the user. The address is the user's own: only the platform and the user change it.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { type Actor, reachOf, scopeOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Email, Id, PageOf, PageQuery, pageOf, Search } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { enqueue } from '../../journal/events/enqueue.ts'
import { renamePersonalAccounts } from '../accounts/personal.ts'
import { deleteMailedTokens } from '../credentials/queries.ts'
import { unconfirmCredentials } from '../credentials/unconfirmed.ts'
import { revokeInvitationsOf } from '../invitations/changes.ts'
import { endSessions } from '../sessions/end.ts'
import { entryOf, eventOf, notifyAddressChange } from './changes.ts'
import { createUser } from './create.ts'
import { DOCS } from './docs.ts'
import { demandFilters, FILTERS } from './filters.ts'
import { importRoutes } from './import.ts'
import { withPhone } from './profile.ts'
import {
  findUser,
  type ListedUser,
  listUsers,
  lockUser,
  lockUserOf,
  type User,
  type UserPatch,
  updateUser,
} from './queries.ts'
import { erase, hasAnything, removeFromSystem } from './remove.ts'
import { answerOf, FIELDS, hashOf, importedHash, NewUser, OneUser, Password, UserAnswer } from './schemas.ts'
import { hasStated, statementOf, updateSystemUser } from './system-users.ts'

const UserPatchBody = Type.Object(Type.Partial(Type.Object({ email: Email, ...FIELDS })).properties, {
  title: 'UpdateUser',
})
const UserBody = Type.Object(
  {
    ...NewUser.properties,
    password: Type.Optional(Password),
  },
  { title: 'CreateUser' },
)
/** A user outside the reach, found by the complete address. */
const FoundUser = Type.Object({ id: Id, email: Type.String() }, { title: 'FoundUser' })

const listedOf = ({ inReach, ...user }: ListedUser) =>
  inReach ? answerOf(user) : { id: user.id, email: user.email }

type Parts = { db: Db; seal: Seal; config: Config }

const searchUsers = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: {
      authority: ['platform', 'system'],
      reach: {
        system:
          'users of its system, not by `mfa`, `hasPassword` or the last sign-in; by complete address also others, as `id` and `email`',
      },
      docs: DOCS.listUsers,
    },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        search: Type.Optional(Search),
        ...FILTERS,
        systemId: Type.Optional(Type.String({ ...Id, description: 'Returns only users of this system.' })),
        email: Type.Optional(
          Type.String({
            ...Email,
            description:
              'Returns only the user with this email address, which is converted to its stored form.',
          }),
        ),
      }),
      response: {
        200: PageOf(Type.Union([UserAnswer, FoundUser]), 'UserList'),
        ...failures('invalid_request', 'insufficient_authority'),
      },
    },
    handler: async (request) => {
      demandFilters(request.caller, request.query)
      const { rows, total } = await listUsers(db, reachOf(request.caller), request.query)
      return pageOf(request.query, rows.map(listedOf), total)
    },
  })

const addUser = ({ db, config }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: {
      authority: ['platform', 'system'],
      reach: { system: 'yes; the user is a user of its system' },
      docs: DOCS.createUser,
    },
    schema: {
      body: UserBody,
      response: { 201: UserAnswer, ...failures('invalid_request', 'email_taken', 'limit_reached') },
    },
    handler: async (request, reply) => {
      const { actor } = request.caller
      const { password, passwordHash: imported, ...input } = request.body
      if (password !== undefined && imported !== undefined)
        throw invalid('/passwordHash', 'cannot be combined with password')
      const isImported = imported !== undefined
      const stated = withPhone(input)
      const passwordHash =
        password === undefined
          ? importedHash(imported)
          : await hashOf(password, config.PASSWORD_MIN_LENGTH, request.caller.systemId)
      const user = await inTransaction(db, async (tx) => {
        const scope = scopeOf(request.caller)
        const entry = { action: 'user.created', systemId: scope } as const
        const created = await createUser(tx, actor, scope, { ...stated, passwordHash, isImported }, entry)
        if (!created) throw await emailTaken(tx, input.email)
        return created
      })
      return reply.code(201).send(answerOf(user))
    },
  })

const readUser = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:userId',
    config: { authority: ['platform', 'system'], docs: DOCS.getUser },
    schema: { params: OneUser, response: { 200: UserAnswer, ...failures('user_not_found') } },
    handler: async (request) => answerOf(await findUser(db, reachOf(request.caller), request.params.userId)),
  })

/** Names the user who has the address, whom an exact search finds as well. */
async function emailTaken(tx: Db, email: string): Promise<Failure> {
  const known = await lockUserOf(tx, email)
  return new Failure('email_taken', { userId: known?.id })
}

const changeUser = ({ db, seal }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:userId',
    config: {
      authority: ['platform', 'system'],
      setElsewhere: { password: 'is set by POST /admin/users/{userId}/set-password' },
      docs: DOCS.updateUser,
    },
    schema: {
      params: OneUser,
      body: UserPatchBody,
      response: {
        200: UserAnswer,
        ...failures('invalid_request', 'user_shared', 'user_not_found', 'email_taken'),
      },
    },
    handler: async (request, reply) => {
      const { caller, body, params } = request
      const user = await inTransaction(db, async (tx) => {
        const before = await lockUser(tx, reachOf(caller), params.userId)
        demandVersion(reply, answerOf(before))
        const { email } = body
        const moved = email !== undefined && email !== before.email
        const patch = withPhone({ ...(moved && { emailVerified: false }), ...body }, before)
        const changes = difference(before, { ...before, ...patch })
        const changed = Object.keys(changes)
        const scope = scopeOf(caller)
        const isKnown = scope === null || (await hasStated(tx, { userId: before.id, systemId: scope }, patch))
        if (changed.length === 0 && isKnown) return before
        const after =
          scope === null
            ? await changeEverywhere(tx, seal, caller.actor, before, patch)
            : await changeInSystem(tx, caller.actor, before, scope, patch)
        await record(tx, caller.actor, {
          action: 'user.updated',
          ...entryOf(caller, before.id),
          changes: changed.length > 0 ? changes : difference({}, statementOf(patch)),
        })
        if (changed.length > 0)
          await enqueue(tx, eventOf('user.updated', caller.actor, after, { changed }, scope))
        return after
      })
      return answerOf(user)
    },
  })

async function changeEverywhere(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  patch: UserPatch,
): Promise<User> {
  const after = await updateUser(tx, before.id, patch)
  const [moved, isDisabled] = [after.email !== before.email, after.disabled && !before.disabled]
  if (moved || isDisabled) await deleteMailedTokens(tx, before.id)
  if (moved) {
    await unconfirmCredentials(tx, before, after.email)
    await renamePersonalAccounts(tx, actor, { id: after.id, from: before.email, to: after.email })
    await notifyAddressChange(tx, seal, before, after, undefined)
  }
  if (isDisabled) await endAccess(tx, actor, { userId: before.id })
  return after
}

/** Changes what a system states about its user. Throws `user_shared` for the address. */
async function changeInSystem(
  tx: Db,
  actor: Actor,
  before: User,
  systemId: string,
  patch: UserPatch,
): Promise<User> {
  if (patch.email !== undefined && patch.email !== before.email) throw new Failure('user_shared')
  await updateSystemUser(tx, { userId: before.id, systemId }, patch)
  const after = await findUser(tx, { systemId }, before.id)
  if (after.disabled && !before.disabled) await endAccess(tx, actor, { userId: before.id, systemId })
  return after
}

/** Of a user who is disabled, in one system or everywhere. */
async function endAccess(tx: Db, actor: Actor, of: { userId: string; systemId?: string }): Promise<void> {
  await endSessions(tx, actor, of, 'user_disabled')
  await revokeInvitationsOf(tx, actor, of)
}

const removeUser = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:userId',
    config: {
      authority: ['platform', 'system'],
      reach: { system: 'users of its system; what other systems and the user have remains' },
      docs: DOCS.deleteUser,
    },
    schema: { params: OneUser, response: { 204: Type.Null(), ...failures('user_not_found') } },
    handler: async (request, reply) => {
      const { caller, params } = request
      const scope = scopeOf(caller)
      await inTransaction(db, async (tx) => {
        const gone = await lockUser(tx, reachOf(caller), params.userId)
        if (scope !== null) await removeFromSystem(tx, caller.actor, gone, scope)
        const isErased = scope === null || !(await hasAnything(tx, gone.id))
        const changes = isErased ? await erase(tx, caller.actor, gone) : {}
        await record(tx, caller.actor, { action: 'user.deleted', ...entryOf(caller, gone.id), changes })
      })
      return reply.code(204).send(null)
    },
  })

export const usersRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  await app.register(importRoutes, { db: parts.db })
  addOperations(app, parts, [searchUsers, addUser, readUser, changeUser, removeUser])
}

/**
 * Users. Mounted at /admin/users, behind the admin guard. credentials/ has their passwords, links and
 * factors.
 *
 * A system's service token reads the users with a membership in the system, and changes those with no
 * membership elsewhere. It cannot read or change a user that it has just created before it creates the
 * membership: otherwise another system could take over a user without memberships. Deleting a user also
 * deletes personal accounts in other systems, so it requires platform authority.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Email, Id, PageOf, PageQuery, pageOf, Search } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { releaseSharedAccounts } from '../accounts/release.ts'
import { eraseUserFromAudit } from '../audit/erase.ts'
import { difference, record } from '../audit/record.ts'
import { deleteMailedTokens } from '../credentials/queries.ts'
import { enqueue } from '../events/enqueue.ts'
import { enqueueAccess } from '../events/enqueue-access.ts'
import { lockMemberships } from '../memberships/queries.ts'
import { endSessions } from '../sessions/end.ts'
import { actingSystem, entryOf, eventOf, lockManaged, MANAGED, notifyAddressChange } from './changes.ts'
import { createUser } from './create.ts'
import { DOCS } from './docs.ts'
import { importRoutes } from './import.ts'
import { deleteUser, findUser, type ListedUser, listUsers, lockUser, updateUser } from './queries.ts'
import { answerOf, FIELDS, hashOf, importedHash, NewUser, OneUser, Password, UserAnswer } from './schemas.ts'

const UserPatchBody = Type.Object(
  Type.Partial(
    Type.Object({
      email: Email,
      ...FIELDS,
      disabled: Type.Boolean({ description: 'Whether the user cannot sign in.' }),
    }),
  ).properties,
  { title: 'UpdateUser' },
)
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
      reach: { system: 'users of its system; by complete address also others, as `id` and `email`' },
      docs: DOCS.listUsers,
    },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        search: Type.Optional(Search),
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
        ...failures('invalid_request'),
      },
    },
    handler: async (request) => {
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
      reach: { system: 'yes; it can access the user after `createMembership`' },
      docs: DOCS.createUser,
    },
    schema: {
      body: UserBody,
      response: { 201: UserAnswer, ...failures('invalid_request', 'email_taken') },
    },
    handler: async (request, reply) => {
      const { actor } = request.caller
      const { password, passwordHash: imported, ...input } = request.body
      if (password !== undefined && imported !== undefined)
        throw invalid('/passwordHash', 'cannot be combined with password')
      const passwordHash =
        password === undefined ? importedHash(imported) : await hashOf(password, config.PASSWORD_MIN_LENGTH)
      const user = await inTransaction(db, async (tx) => {
        const entry = { action: 'user.created', systemId: reachOf(request.caller).systemId ?? null } as const
        const created = await createUser(tx, actor, { ...input, passwordHash }, entry)
        if (!created) throw new Failure('email_taken')
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

const changeUser = ({ db, seal }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:userId',
    config: { authority: ['platform', 'system'], reach: { system: MANAGED }, docs: DOCS.updateUser },
    schema: {
      params: OneUser,
      body: UserPatchBody,
      response: {
        200: UserAnswer,
        ...failures('invalid_request', 'user_shared', 'user_not_found', 'email_taken'),
      },
    },
    handler: async (request, reply) => {
      const { actor } = request.caller
      const user = await inTransaction(db, async (tx) => {
        const before = await lockManaged(tx, request.caller, request.params.userId)
        demandVersion(reply, answerOf(before))
        const { email } = request.body
        const moved = email !== undefined && email !== before.email
        const patch = { ...(moved && { emailVerified: false }), ...request.body }
        const changes = difference(before, { ...before, ...patch })
        if (Object.keys(changes).length === 0) return before
        const after = await updateUser(tx, before.id, patch)
        const isDisabled = after.disabled && !before.disabled
        if (moved || isDisabled) await deleteMailedTokens(tx, before.id)
        if (moved) await notifyAddressChange(tx, seal, before, after, await actingSystem(tx, request.caller))
        if (isDisabled) await endSessions(tx, actor, { userId: before.id }, 'user_disabled')
        await record(tx, actor, { action: 'user.updated', ...entryOf(request.caller, before.id), changes })
        await enqueue(tx, eventOf('user.updated', actor, after, { changed: Object.keys(changes) }))
        return after
      })
      return answerOf(user)
    },
  })

const removeUser = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:userId',
    config: { authority: ['platform'], docs: DOCS.deleteUser },
    schema: { params: OneUser, response: { 204: Type.Null(), ...failures('user_not_found') } },
    handler: async (request, reply) => {
      const { actor } = request.caller
      await inTransaction(db, async (tx) => {
        const gone = await lockUser(tx, reachOf(request.caller), request.params.userId)
        await lockMemberships(tx, { userId: gone.id })
        await endSessions(tx, actor, { userId: gone.id }, 'user_removed')
        await enqueueAccess(tx, actor, 'user.access_revoked', { userId: gone.id })
        await enqueue(tx, eventOf('user.deleted', actor, gone))
        await eraseUserFromAudit(tx, gone.id)
        await releaseSharedAccounts(tx, actor, gone.id)
        await deleteUser(tx, gone.id)
        await record(tx, actor, { action: 'user.deleted', ...entryOf(request.caller, gone.id) })
      })
      return reply.code(204).send(null)
    },
  })

export const usersRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  await app.register(importRoutes, { db: parts.db })
  addOperations(app, parts, [searchUsers, addUser, readUser, changeUser, removeUser])
}

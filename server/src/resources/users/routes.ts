/**
 * Users. Mounted at /admin/users, behind the admin guard. credentials/ has their passwords, links and
 * factors.
 *
 * A system's service token reads and changes the users of its system: what it states about them and the
 * credentials it sets are valid in that system only. A user becomes one of a system by a membership there, or
 * when the system creates the user. The address is the user's own: only the platform and the user change it.
 */

import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { storedAddress } from '../../email-address.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { reachOf, scopeOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import type { WriteBudget } from '../../http/limits/write-budget.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { bodyUnchecked } from '../../http/schema-compilers.ts'
import { Email, Id, PageOf, PageQuery, Query, Search } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { record } from '../../journal/audit/record.ts'
import { changeUser } from '../../lifecycle/change-user.ts'
import { createUser } from '../../lifecycle/create-user.ts'
import { importUsers } from '../../lifecycle/import-users.ts'
import { keepForNext } from '../../lifecycle/keep-decisions.ts'
import { erase, removeFromSystem } from '../../lifecycle/remove-user.ts'
import { demandAnswers } from './asked-addresses.ts'
import { entryOfUser } from './changes.ts'
import { DOCS } from './docs.ts'
import { demandFilters, USER_FILTERS } from './filters.ts'
import { ImportedLine, readLines } from './import-lines.ts'
import { type ListedUser, listUsers } from './list.ts'
import { withPhone } from './profile.ts'
import { findUser, lockUser } from './queries.ts'
import { findReadable } from './readable.ts'
import { hasAnything } from './remains.ts'
import {
  answerOf,
  CreateUser,
  demandPassword,
  FIELDS,
  hashChosenPassword,
  importedHash,
  OneUser,
  Password,
  UserAnswer,
} from './schemas.ts'

const UserPatchBody = Type.Object(Type.Partial(Type.Object({ email: Email, ...FIELDS })).properties, {
  title: 'UpdateUser',
})
const UserBody = Type.Object(
  {
    ...CreateUser.properties,
    password: Type.Optional(Password),
  },
  { title: 'CreateUser' },
)
const listedOf = ({ inReach, ...user }: ListedUser) =>
  inReach ? answerOf(user) : { id: user.id, email: user.email }

type Parts = { db: Db; seal: Seal; config: Config; budget: WriteBudget }

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
        query: Type.Optional(Query),
        ...USER_FILTERS,
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
        200: PageOf(UserAnswer, 'UserList'),
        ...failures('invalid_request', 'insufficient_authority', 'too_many_requests'),
      },
    },
    handler: async (request) => {
      demandFilters(request.caller, request.query)
      const { email, search } = request.query
      const asked = email ?? (search && storedAddress(search.trim()))
      if (asked) await demandAnswers(db, request.caller, [asked])
      const page = pageRequestOf(request)
      const listed = await listUsers(db, reachOf(request.caller), { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(listedOf))
    },
  })

const addUser = ({ db, seal, config }: Parts) =>
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
      response: {
        201: UserAnswer,
        ...failures('invalid_request', 'email_taken', 'limit_reached', 'too_many_requests'),
      },
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
          ? importedHash(imported, scopeOf(request.caller))
          : await hashChosenPassword(password, config.PASSWORD_MIN_LENGTH, request.caller.systemId)
      demandPassword(input.mustChangePassword, passwordHash)
      await demandAnswers(db, request.caller, [input.email])
      const user = await inTransaction(db, async (tx) => {
        const scope = scopeOf(request.caller)
        const entry = { action: 'user.created', systemId: scope } as const
        const created = await createUser(
          tx,
          seal,
          actor,
          scope,
          { ...stated, passwordHash, isImported },
          entry,
        )
        if (!created) throw await emailTaken(tx, input.email, reachOf(request.caller).systemId)
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

/** Names the user who has the address if an exact search finds that user as well. */
const emailTaken = async (tx: Db, email: string, reader: string | undefined): Promise<Failure> =>
  new Failure('email_taken', { userId: await findReadable(tx, { email, reader }) })

const patchUser = ({ db, seal }: Parts) =>
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
        return changeUser(tx, seal, caller, before, body)
      })
      return answerOf(user)
    },
  })

const removeUser = ({ db, seal }: Parts) =>
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
        if (isErased && scope !== null) await keepForNext(tx, seal, gone, scope)
        const changes = isErased ? await erase(tx, caller.actor, gone) : {}
        await record(tx, caller.actor, {
          action: 'user.deleted',
          ...entryOfUser(caller, gone.id),
          changes,
          isRead: true,
        })
      })
      return reply.code(204).send(null)
    },
  })

const NDJSON = /^application\/(x-ndjson|jsonl)\s*(;\s*charset="?utf-8"?\s*)?$/i

const importLines = ({ db, seal, budget }: Pick<Parts, 'db' | 'seal' | 'budget'>) =>
  operation({
    method: 'POST',
    url: '/import',
    config: { authority: ['platform', 'system'], share: 'long', docs: DOCS.importUsers },
    validatorCompiler: bodyUnchecked, // the body is a stream; its lines are validated
    schema: {
      querystring: Type.Object({
        dryRun: Type.Optional(
          Type.Boolean({
            description: 'If true, nothing is changed: the response says what the import would do.',
          }),
        ),
      }),
      body: { content: { 'application/x-ndjson': { schema: CreateUser } } },
      response: {
        200: {
          description: 'What became of each line.',
          content: { 'application/x-ndjson': { schema: ImportedLine } },
        },
        ...failures('invalid_request', 'payload_too_large', 'unsupported_media_type'),
      },
    },
    handler: async (request, reply) => {
      const lines = request.body instanceof Readable ? await readLines(request.body) : []
      if (lines.length === 0) throw new Failure('invalid_request', { detail: 'The body has no user.' })
      const isDryRun = request.query.dryRun === true
      const bytes = lines.reduce((sum, line) => sum + line.bytes.length, 0)
      if (!isDryRun) await budget.take(request.caller, { bytes, things: lines.length })
      const answers = importUsers({ db, seal, app: request.server, request, isDryRun }, lines)
      // A closed connection stops the import between two batches.
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(answers) as never)
    },
  })

const importRoutes: FastifyPluginAsync<Pick<Parts, 'db' | 'seal' | 'budget'>> = async (app, parts) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(NDJSON, (_request, body, done) => done(null, body))
  addOperations(app, parts, [importLines])
}

export const usersRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  await app.register(importRoutes, { db: parts.db, seal: parts.seal, budget: parts.budget })
  addOperations(app, parts, [searchUsers, addUser, readUser, patchUser, removeUser])
}

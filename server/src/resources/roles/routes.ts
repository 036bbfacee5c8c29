/**
 * Roles of a system. Mounted at /admin/systems/:systemId/roles, behind the admin guard. Memberships assign
 * roles (memberships/). A change is in a token after its next refresh, because every refresh reads the roles
 * again; each member with the role receives it as an event.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { changeRole } from '../../lifecycle/change-role.ts'
import { removeRole } from '../../lifecycle/remove-role.ts'
import { findSystem, lockContents } from '../systems/queries.ts'
import { DOCS } from './docs.ts'
import { findRole, insertRole, listRoles, lockRole, type RoleInput } from './queries.ts'
import { answerOf, CreateRole, Forced, InSystem, OneRole, RoleAnswer, UpdateRole } from './schemas.ts'

type Parts = { db: Db }

/** Only the system and the platform decide who acts for members. */
function checkActing(role: Partial<RoleInput> & { isFounder?: boolean }): void {
  if (!role.canActForMembers) return
  if (role.assignableByAccountAdmins !== false)
    throw invalid('/canActForMembers', 'requires assignableByAccountAdmins false')
  if (role.isFounder) throw invalid('/canActForMembers', 'is not allowed for the founder role')
}

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: {
      authority: ['platform', 'system', 'account'],
      docs: DOCS.listRoles,
    },
    schema: {
      params: InSystem,
      response: { 200: Type.Array(RoleAnswer), ...failures('system_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      return (await listRoles(db, id)).map(answerOf)
    },
  })

const create = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: {
      authority: ['platform', 'system'],
      docs: DOCS.createRole,
    },
    schema: {
      params: InSystem,
      body: CreateRole,
      response: {
        201: RoleAnswer,
        ...failures('invalid_request', 'system_not_found', 'role_name_taken', 'limit_reached'),
      },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const role = await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        checkActing(request.body)
        const role = await insertRole(tx, systemId, request.body)
        await record(tx, request.caller.actor, {
          action: 'role.created',
          target: { type: 'role', id: role.id },
          systemId,
          changes: difference({}, request.body),
        })
        return role
      })
      return reply.code(201).send(answerOf(role))
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:roleId',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.getRole },
    schema: {
      params: OneRole,
      response: { 200: RoleAnswer, ...failures('system_not_found', 'role_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      return answerOf(await findRole(db, id, request.params.roleId))
    },
  })

const update = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:roleId',
    config: {
      authority: ['platform', 'system'],
      docs: DOCS.updateRole,
    },
    schema: {
      params: OneRole,
      body: UpdateRole,
      response: {
        200: RoleAnswer,
        ...failures(
          'invalid_request',
          'system_not_found',
          'role_not_found',
          'role_name_taken',
          'limit_reached',
        ),
      },
    },
    handler: async (request, reply) => {
      const { systemId, roleId } = request.params
      const { actor } = request.caller
      const role = await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        const before = await lockRole(tx, systemId, roleId)
        demandVersion(reply, answerOf(before))
        checkActing({ ...before, ...request.body })
        return changeRole(tx, actor, before, request.body)
      })
      return answerOf(role)
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:roleId',
    config: {
      authority: ['platform', 'system'],
      docs: DOCS.deleteRole,
    },
    schema: {
      params: OneRole,
      querystring: Forced,
      response: {
        204: Type.Null(),
        ...failures('invalid_request', 'system_not_found', 'role_not_found', 'last_admin_role'),
      },
    },
    handler: async (request, reply) => {
      const { systemId, roleId } = request.params
      const { actor } = request.caller
      await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        const role = await lockRole(tx, systemId, roleId)
        if (role.isLastAdmin && !request.query.force) throw new Failure('last_admin_role')
        await removeRole(tx, actor, role)
      })
      return reply.code(204).send(null)
    },
  })

export const rolesRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, get, update, remove])

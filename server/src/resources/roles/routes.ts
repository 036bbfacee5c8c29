/**
 * Roles of a system. Mounted at /admin/systems/:systemId/roles, behind the admin guard. Who has
 * which role is the membership's (memberships/). A change reaches tokens at their next refresh, since every refresh
 * reads roles again, and each member it concerns as an event.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Name, Time } from '../../http/shapes.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../audit/record.ts'
import { enqueueAccess } from '../events/access.ts'
import { findSystem } from '../systems/queries.ts'
import { deleteHeld, deleteRole, insertRole, listRoles, lockRole, type Role, updateRole } from './queries.ts'

const InSystem = Type.Object({ systemId: Id })
const OneRole = Type.Object({ systemId: Id, roleId: Id })

/** One scope token as RFC 6749 section 3.3 spells it: printable ASCII without space, quote and backslash. The bounds are ours. */
const Scope = Type.String({ pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,100}$' })
const Scopes = Type.Array(Scope, { maxItems: 200, uniqueItems: true })

const RolePatchBody = Type.Object({
  name: Type.Optional(Name),
  isAdmin: Type.Optional(Type.Boolean()),
  scopes: Type.Optional(Scopes),
})
const RoleBody = Type.Object({ ...RolePatchBody.properties, name: Name })
const RoleAnswer = Type.Object({
  id: Id,
  systemId: Id,
  name: Name,
  isAdmin: Type.Boolean(),
  scopes: Type.Array(Type.String()),
  createdAt: Time,
  updatedAt: Time,
})

const answerOf = (role: Role) => ({
  ...role,
  createdAt: role.createdAt.toISOString(),
  updatedAt: role.updatedAt.toISOString(),
})

type Parts = { db: Db }

const listSystemRoles = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'] },
    schema: {
      params: InSystem,
      response: { 200: Type.Array(RoleAnswer), ...failures('system_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      return (await listRoles(db, id)).map(answerOf)
    },
  })

const createRole = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { authority: ['platform', 'system'] },
    schema: {
      params: InSystem,
      body: RoleBody,
      response: { 201: RoleAnswer, ...failures('invalid_request', 'system_not_found', 'role_name_taken') },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const role = await inTransaction(db, async (tx) => {
        await findSystem(tx, reachOf(request.caller), systemId)
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

const changeRole = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:roleId',
    config: { authority: ['platform', 'system'] },
    schema: {
      params: OneRole,
      body: RolePatchBody,
      response: {
        200: RoleAnswer,
        ...failures('invalid_request', 'system_not_found', 'role_not_found', 'role_name_taken'),
      },
    },
    handler: async (request, reply) => {
      const { systemId, roleId } = request.params
      const { actor } = request.caller
      const role = await inTransaction(db, async (tx) => {
        await findSystem(tx, reachOf(request.caller), systemId)
        const before = await lockRole(tx, systemId, roleId)
        demandVersion(reply, answerOf(before))
        const changes = difference(before, { ...before, ...request.body })
        if (Object.keys(changes).length === 0) return before
        const after = await updateRole(tx, roleId, request.body)
        await enqueueAccess(tx, actor, 'user.access_updated', { roleId })
        await record(tx, actor, {
          action: 'role.updated',
          target: { type: 'role', id: roleId },
          systemId,
          changes,
        })
        return after
      })
      return answerOf(role)
    },
  })

const removeRole = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:roleId',
    config: { authority: ['platform', 'system'] },
    schema: {
      params: OneRole,
      response: { 204: Type.Null(), ...failures('system_not_found', 'role_not_found') },
    },
    handler: async (request, reply) => {
      const { systemId, roleId } = request.params
      const { actor } = request.caller
      await inTransaction(db, async (tx) => {
        await findSystem(tx, reachOf(request.caller), systemId)
        const { name } = await lockRole(tx, systemId, roleId)
        const membershipIds = await deleteHeld(tx, roleId)
        await deleteRole(tx, roleId)
        await enqueueAccess(tx, actor, 'user.access_updated', { membershipIds })
        await record(tx, actor, {
          action: 'role.deleted',
          target: { type: 'role', id: roleId },
          systemId,
          changes: { name: [name, null] },
        })
      })
      return reply.code(204).send(null)
    },
  })

export const rolesRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [listSystemRoles, createRole, changeRole, removeRole])

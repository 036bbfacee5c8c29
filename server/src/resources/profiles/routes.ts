/**
 * Profiles of a system. Mounted at /admin/systems/:systemId/profiles, behind the admin guard. Memberships
 * have profiles (memberships/); the application defines the meaning of the attributes. Tokens contain the
 * names, which every refresh reads again.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { NameSearch, PageQuery } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { difference, record } from '../../journal/audit/record.ts'
import { changeProfile } from '../../lifecycle/change-profile.ts'
import { removeProfile } from '../../lifecycle/remove-profile.ts'
import { findSystem, lockContents } from '../systems/queries.ts'
import { DOCS } from './docs.ts'
import { findProfile, insertProfile, listProfiles, lockProfile } from './queries.ts'
import {
  answerOf,
  CreateProfile,
  InSystem,
  OneProfile,
  ProfileAnswer,
  ProfileList,
  UpdateProfile,
} from './schemas.ts'

type Parts = { db: Db }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.listProfiles },
    schema: {
      params: InSystem,
      querystring: Type.Object({ ...PageQuery, search: Type.Optional(NameSearch) }),
      response: { 200: ProfileList, ...failures('invalid_request', 'system_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      const page = pageRequestOf(request)
      const listed = await listProfiles(db, id, { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const create = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { authority: ['platform', 'system'], docs: DOCS.createProfile },
    schema: {
      params: InSystem,
      body: CreateProfile,
      response: {
        201: ProfileAnswer,
        ...failures('invalid_request', 'system_not_found', 'profile_name_taken', 'limit_reached'),
      },
    },
    handler: async (request, reply) => {
      const { systemId } = request.params
      const profile = await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        const profile = await insertProfile(tx, systemId, request.body)
        await record(tx, request.caller.actor, {
          action: 'profile.created',
          target: { type: 'profile', id: profile.id },
          systemId,
          changes: difference({}, request.body),
        })
        return profile
      })
      return reply.code(201).send(answerOf(profile))
    },
  })

const get = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:profileId',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.getProfile },
    schema: {
      params: OneProfile,
      response: { 200: ProfileAnswer, ...failures('system_not_found', 'profile_not_found') },
    },
    handler: async (request) => {
      const { id } = await findSystem(db, reachOf(request.caller), request.params.systemId)
      return answerOf(await findProfile(db, id, request.params.profileId))
    },
  })

const update = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:profileId',
    config: { authority: ['platform', 'system'], docs: DOCS.updateProfile },
    schema: {
      params: OneProfile,
      body: UpdateProfile,
      response: {
        200: ProfileAnswer,
        ...failures(
          'invalid_request',
          'system_not_found',
          'profile_not_found',
          'profile_name_taken',
          'limit_reached',
        ),
      },
    },
    handler: async (request, reply) => {
      const { systemId, profileId } = request.params
      const { actor } = request.caller
      const profile = await inTransaction(db, async (tx) => {
        await lockContents(tx, reachOf(request.caller), systemId)
        const before = await lockProfile(tx, systemId, profileId)
        demandVersion(reply, answerOf(before))
        return changeProfile(tx, actor, before, request.body)
      })
      return answerOf(profile)
    },
  })

const remove = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:profileId',
    config: { authority: ['platform', 'system'], docs: DOCS.deleteProfile },
    schema: {
      params: OneProfile,
      response: { 204: Type.Null(), ...failures('system_not_found', 'profile_not_found') },
    },
    handler: async (request, reply) => {
      const { systemId, profileId } = request.params
      const { actor } = request.caller
      await inTransaction(db, async (tx) => {
        await findSystem(tx, reachOf(request.caller), systemId)
        await removeProfile(tx, actor, await lockProfile(tx, systemId, profileId))
      })
      return reply.code(204).send(null)
    },
  })

export const profilesRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, get, update, remove])

/**
 * Invitations to an organization. Mounted at /admin/accounts/:accountId/invitations, behind the admin guard.
 * The admin of an account reaches those of the account, and never receives a link.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { failures } from '../../errors.ts'
import { type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { PageQuery, Search } from '../../http/schemas.ts'
import { findAccount } from '../accounts/queries.ts'
import { inviteEach } from './batch.ts'
import { DOCS } from './docs.ts'
import {
  type InviteParts,
  invite,
  lockOrganization,
  revokeInvitation,
  sendAgain,
  type WantedInvitation,
} from './invite.ts'
import { findInvitation, listInvitations } from './queries.ts'
import {
  answerOf,
  BatchAnswer,
  BatchBody,
  CreatedInvitation,
  InvitationAnswer,
  InvitationBody,
  InvitationList,
  InvitationStatusSchema,
  OfAccount,
  OneInvitation,
} from './schemas.ts'

type Parts = InviteParts & { db: Db }

const ANY_AUTHORITY = { authority: ['platform', 'system', 'account'] } as const
const NO_LINK = { account: 'its own account; it receives no link' } as const

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: DOCS.listInvitations },
    schema: {
      params: OfAccount,
      querystring: Type.Object({
        ...PageQuery,
        status: Type.Optional(InvitationStatusSchema),
        search: Type.Optional(Search),
      }),
      response: { 200: InvitationList, ...failures('invalid_request', 'account_not_found') },
    },
    handler: async (request) => {
      const { id: accountId } = await findAccount(db, reachOf(request.caller), request.params.accountId)
      const page = pageRequestOf(request)
      const listed = await listInvitations(db, { ...request.query, ...page, accountId })
      return pageOf(
        page,
        listed,
        listed.rows.map((row) => answerOf(row, reachOf(request.caller))),
      )
    },
  })

/** One transaction per address. */
const inviteOne = (parts: Parts, caller: Caller, accountId: string, wanted: WantedInvitation) =>
  inTransaction(parts.db, async (tx) => {
    const { invitation, url } = await invite(
      tx,
      parts,
      caller,
      await lockOrganization(tx, caller, accountId),
      wanted,
    )
    return { ...answerOf(invitation, reachOf(caller)), ...(url !== undefined && { url }) }
  })

const create = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: { ...ANY_AUTHORITY, reach: NO_LINK, docs: DOCS.createInvitation },
    schema: {
      params: OfAccount,
      body: InvitationBody,
      response: {
        201: CreatedInvitation,
        ...failures(
          'invalid_request',
          'role_not_in_system',
          'profile_not_in_system',
          'links_not_allowed',
          'insufficient_authority',
          'account_not_found',
          'not_organization',
          'membership_exists',
          'invitation_exists',
          'limit_reached',
          'too_many_requests',
        ),
      },
    },
    handler: async (request, reply) => {
      const { accountId } = request.params
      const created = await inviteOne(parts, request.caller, accountId, request.body)
      return reply
        .code(201)
        .header('location', `/admin/accounts/${accountId}/invitations/${created.id}`)
        .send(created)
    },
  })

const createSeveral = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/batch',
    config: { ...ANY_AUTHORITY, reach: NO_LINK, docs: DOCS.createInvitations, share: 'long' },
    schema: {
      params: OfAccount,
      body: BatchBody,
      response: {
        200: BatchAnswer,
        ...failures('invalid_request', 'account_not_found', 'not_organization'),
      },
    },
    handler: async (request) => {
      const { accountId } = request.params
      const results = await inviteEach(request.body.invitations, (wanted) =>
        inviteOne(parts, request.caller, accountId, wanted),
      )
      return { results }
    },
  })

const read = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:invitationId',
    config: { ...ANY_AUTHORITY, docs: DOCS.getInvitation },
    schema: {
      params: OneInvitation,
      response: { 200: InvitationAnswer, ...failures('invitation_not_found') },
    },
    handler: async ({ caller, params: { accountId, invitationId: id } }) =>
      answerOf(await findInvitation(db, reachOf(caller), { accountId, id }), reachOf(caller)),
  })

const resend = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:invitationId/resend',
    config: { ...ANY_AUTHORITY, docs: DOCS.resendInvitation },
    schema: {
      params: OneInvitation,
      response: {
        200: InvitationAnswer,
        ...failures(
          'account_not_found',
          'invitation_not_found',
          'invitation_ended',
          'membership_exists',
          'too_many_requests',
        ),
      },
    },
    handler: async ({ caller, params: { accountId, invitationId: id } }) => {
      const invitation = await inTransaction(parts.db, async (tx) => {
        await lockOrganization(tx, caller, accountId)
        return sendAgain(tx, parts, caller, { accountId, id })
      })
      return answerOf(invitation, reachOf(caller))
    },
  })

const revoke = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:invitationId',
    config: { ...ANY_AUTHORITY, docs: DOCS.revokeInvitation },
    schema: {
      params: OneInvitation,
      response: { 204: Type.Null(), ...failures('invitation_not_found') },
    },
    handler: async ({ caller, params: { accountId, invitationId: id } }, reply) => {
      await inTransaction(db, (tx) => revokeInvitation(tx, caller, { accountId, id }))
      return reply.code(204).send(null)
    },
  })

export const invitationsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, create, createSeveral, read, resend, revoke])

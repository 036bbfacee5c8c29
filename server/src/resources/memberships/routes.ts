/**
 * Memberships; states.ts has their states. Mounted at /admin/memberships, behind the admin guard.
 *
 * The administrator of an account reaches the memberships of that account only: they add members of the
 * system by id, cannot create another account, and cannot leave the account without an administrator. In a
 * 1:1 system adding members requires platform authority.
 */

import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures, invalid } from '../../errors.ts'
import { authorityOf, type Caller, reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, PageQuery, pathId, type Static } from '../../http/schemas.ts'
import { demandVersion } from '../../http/versions.ts'
import { assign, changeOf, setStatus } from '../../lifecycle/change-membership.ts'
import { exemptMember } from '../../lifecycle/exempt-member.ts'
import { removeMember } from '../../lifecycle/remove-membership.ts'
import { findAccount } from '../accounts/queries.ts'
import { shareSystem } from '../systems/queries.ts'
import { demandAnswers } from '../users/asked-addresses.ts'
import { shareUser } from '../users/queries.ts'
import type { Mailing } from './approval.ts'
import { createMembership } from './create.ts'
import { MEMBERS, MEMBERSHIPS } from './docs.ts'
import { listMemberships } from './list.ts'
import { findMembership, type LockedMembership, lockMembership, type Membership } from './queries.ts'
import {
  answerOf,
  Ids,
  MEMBERSHIP_FILTERS,
  MembershipAnswer,
  MembershipBody,
  MembershipList,
  MembershipStatusSchema,
  OneMembership,
  SetChange,
  Sort,
  SsoExempt,
} from './schemas.ts'

/** The text of docs/authority.md. */
const KEEPS_ADMIN = { account: 'its own account, which must keep an admin' } as const
const ANY_AUTHORITY = { authority: ['platform', 'system', 'account'] } as const

type Parts = Mailing & { db: Db }

const searchMemberships = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: MEMBERSHIPS.listMemberships },
    schema: {
      querystring: Type.Object({
        ...PageQuery,
        ...MEMBERSHIP_FILTERS,
        systemId: Type.Optional(Id),
        accountId: Type.Optional(Id),
        userId: Type.Optional(Id),
        roleId: Type.Optional(Id),
        profileId: Type.Optional(Id),
        sort: Type.Optional(Sort),
      }),
      response: { 200: MembershipList, ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const listed = await listMemberships(db, reachOf(request.caller), { ...request.query, ...page })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const addMembership = ({ db, ...mailing }: Parts) =>
  operation({
    method: 'POST',
    url: '/',
    config: {
      ...ANY_AUTHORITY,
      reach: {
        system: 'with `multiAccount` only',
        account: 'members of the system, by `userId`, into its own account, with `multiAccount` only',
      },
      docs: MEMBERSHIPS.createMembership,
    },
    schema: {
      body: MembershipBody,
      response: {
        201: MembershipAnswer,
        ...failures(
          'invalid_request',
          'membership_place_missing',
          'role_not_in_system',
          'profile_not_in_system',
          'insufficient_authority',
          'user_not_found',
          'user_not_in_system',
          'system_not_found',
          'account_not_found',
          'membership_exists',
          'account_taken',
          'account_occupied',
          'limit_reached',
          'too_many_requests',
        ),
      },
    },
    handler: async (request, reply) => {
      const { email } = request.body
      if (email !== undefined) await demandAnswers(db, request.caller, [email])
      const membership = await inTransaction(db, (tx) => create(tx, mailing, request.caller, request.body))
      return reply.code(201).send(answerOf(membership))
    },
  })

const readMembership = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/:membershipId',
    config: { ...ANY_AUTHORITY, docs: MEMBERSHIPS.getMembership },
    schema: {
      params: OneMembership,
      response: { 200: MembershipAnswer, ...failures('membership_not_found') },
    },
    handler: async (request) =>
      answerOf(await findMembership(db, reachOf(request.caller), request.params.membershipId)),
  })

const changeStatus = ({ db, ...mailing }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:membershipId',
    config: {
      ...ANY_AUTHORITY,
      reach: {
        account:
          'its own account, which must keep an admin; `ssoExempt` of others, where it sets up single sign-on',
      },
      setElsewhere: {
        roles: 'is set by PATCH /admin/memberships/{membershipId}/roles',
        profiles: 'is set by PATCH /admin/memberships/{membershipId}/profiles',
      },
      docs: MEMBERSHIPS.updateMembership,
    },
    schema: {
      params: OneMembership,
      body: Type.Object(
        { status: Type.Optional(MembershipStatusSchema), ssoExempt: Type.Optional(SsoExempt) },
        { title: 'UpdateMembership' },
      ),
      response: {
        200: MembershipAnswer,
        ...failures(
          'invalid_request',
          'insufficient_authority',
          'membership_not_found',
          'invalid_transition',
          'last_admin',
          'sso_not_enabled',
          'not_organization',
          'factor_missing',
        ),
      },
    },
    handler: async (request, reply) => {
      const { caller, params, body } = request
      const isEmpty = body.status === undefined && body.ssoExempt === undefined
      if (isEmpty) throw invalid('/status', 'is required, unless ssoExempt is present')
      const membership = await inTransaction(db, async (tx) => {
        const reach = reachOf(caller)
        const isOfAccount = body.ssoExempt !== undefined || reach.accountId !== undefined
        const before = await lockMembership(tx, reach, params.membershipId, isOfAccount)
        demandVersion(reply, answerOf(before))
        const exempt = exemptionIn(request, before)
        const exempted =
          exempt === undefined
            ? before
            : { ...before, ...(await exemptMember(tx, mailing, caller, before, exempt)) }
        return body.status === undefined ? exempted : setStatus(tx, mailing, caller, exempted, body.status)
      })
      return answerOf(membership)
    },
  })

/** A membership that was read and is sent back decides nothing by the present value. */
const exemptionIn = (
  { readOnly, body }: { readOnly: object; body: { ssoExempt?: boolean | undefined } },
  { ssoExemptBy }: LockedMembership,
): boolean | undefined => {
  const isSame = body.ssoExempt === (ssoExemptBy !== null)
  return isSame && Object.hasOwn(readOnly, 'ssoExemptBy') ? undefined : body.ssoExempt
}

const changeRoles = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:membershipId/roles',
    config: { ...ANY_AUTHORITY, reach: KEEPS_ADMIN, docs: MEMBERSHIPS.updateMembershipRoles },
    schema: {
      params: OneMembership,
      body: Type.Object({ roles: Type.Optional(Ids), ...SetChange }, { title: 'UpdateMembershipRoles' }),
      response: {
        200: MembershipAnswer,
        ...failures(
          'invalid_request',
          'role_not_in_system',
          'insufficient_authority',
          'membership_not_found',
          'last_admin',
          'limit_reached',
        ),
      },
    },
    handler: async (request, reply) => {
      const { roles: whole, add, remove } = request.body
      const change = changeOf('roles', { whole, add, remove })
      const membership = await inTransaction(db, async (tx) => {
        const before = await lockMembership(tx, reachOf(request.caller), request.params.membershipId)
        demandVersion(reply, answerOf(before))
        return assign(tx, request.caller, before, 'roles', change)
      })
      return answerOf(membership)
    },
  })

const changeProfiles = ({ db }: Parts) =>
  operation({
    method: 'PATCH',
    url: '/:membershipId/profiles',
    config: { ...ANY_AUTHORITY, docs: MEMBERSHIPS.updateMembershipProfiles },
    schema: {
      params: OneMembership,
      body: Type.Object(
        { profiles: Type.Optional(Ids), ...SetChange },
        { title: 'UpdateMembershipProfiles' },
      ),
      response: {
        200: MembershipAnswer,
        ...failures(
          'invalid_request',
          'profile_not_in_system',
          'insufficient_authority',
          'membership_not_found',
          'limit_reached',
        ),
      },
    },
    handler: async (request, reply) => {
      const { profiles: whole, add, remove } = request.body
      const change = changeOf('profiles', { whole, add, remove })
      const membership = await inTransaction(db, async (tx) => {
        const before = await lockMembership(tx, reachOf(request.caller), request.params.membershipId)
        demandVersion(reply, answerOf(before))
        return assign(tx, request.caller, before, 'profiles', change)
      })
      return answerOf(membership)
    },
  })

const removeMembership = ({ db }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:membershipId',
    config: { ...ANY_AUTHORITY, reach: KEEPS_ADMIN, docs: MEMBERSHIPS.deleteMembership },
    schema: {
      params: OneMembership,
      response: {
        204: Type.Null(),
        ...failures('insufficient_authority', 'membership_not_found', 'last_admin'),
      },
    },
    handler: async (request, reply) => {
      await inTransaction(db, (tx) => removeMember(tx, request.caller, request.params.membershipId))
      return reply.code(204).send(null)
    },
  })

export const membershipsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [
    searchMemberships,
    addMembership,
    readMembership,
    changeStatus,
    changeRoles,
    changeProfiles,
    removeMembership,
  ])

/** The members of one account. Mounted at /admin/accounts/:accountId/members. */
const listAccountMembers = ({ db }: Pick<Parts, 'db'>) =>
  operation({
    method: 'GET',
    url: '/',
    config: { ...ANY_AUTHORITY, docs: MEMBERS.listAccountMembers },
    schema: {
      params: Type.Object({ accountId: pathId('account') }),
      querystring: Type.Object({ ...PageQuery, ...MEMBERSHIP_FILTERS }),
      response: { 200: MembershipList, ...failures('invalid_request', 'account_not_found') },
    },
    handler: async (request) => {
      const reach = reachOf(request.caller)
      const { id } = await findAccount(db, reach, request.params.accountId)
      const { status, search, query } = request.query // its own parameters only
      const page = pageRequestOf(request)
      const listed = await listMemberships(db, reach, { ...page, status, search, query, accountId: id })
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

export const accountMembersRoutes: FastifyPluginAsync<Pick<Parts, 'db'>> = async (app, parts) =>
  addOperations(app, parts, [listAccountMembers])

/** Determines the account of a new membership, checks the authority of the caller, and creates it. */
async function create(
  tx: Db,
  mailing: Mailing,
  caller: Caller,
  body: Static<typeof MembershipBody>,
): Promise<Membership> {
  const reach = reachOf(caller)
  const { userId, email, accountId, accountName, roles, profiles, status } = body
  const by =
    userId === undefined
      ? { email: email ?? '', reader: reach.systemId }
      : { id: userId, reader: reach.systemId }
  if ((userId === undefined) === (email === undefined))
    throw invalid('/userId', 'exactly one of userId and email is required')
  // The answer would tell whether the address is that of a member of another account of the system.
  if (email !== undefined && caller.authority === 'account')
    throw new Failure('insufficient_authority', {
      detail: 'The admin of an account adds members by userId. Invite the address instead.',
    })
  const account = accountId === undefined ? undefined : await findAccount(tx, reach, accountId)
  if (account && body.systemId !== undefined && body.systemId.toLowerCase() !== account.systemId)
    throw new Failure('account_not_found')
  const systemId = account?.systemId ?? body.systemId
  if (systemId === undefined) throw new Failure('membership_place_missing')
  if (!account && caller.authority === 'account') throw new Failure('insufficient_authority')
  const system = await shareSystem(tx, reach, systemId)
  if (!system.multiAccount && caller.authority !== 'platform') throw new Failure('insufficient_authority')
  const user = await shareUser(tx, by, caller.authority === 'account' ? systemId : undefined)
  const addedBy = authorityOf(caller)
  return createMembership(tx, mailing, caller.actor, {
    addedBy,
    user,
    system,
    account,
    accountName,
    roles,
    profiles,
    status,
  })
}

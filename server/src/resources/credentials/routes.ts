/**
 * Credentials of users in the admin API. Mounted at /admin/users, behind the admin guard. Those that a
 * system's service token sets or removes are valid in that system only, and a link that it sends is for the
 * owner of the mailbox. The emailed links open the pages of recovery/; a sign-in with a temporary password
 * asks for a new one (oidc/policy/prompts.ts).
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { hashPassword } from '../../crypto/password-hash.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { type Caller, EVERYTHING, reachOf, scopeOf } from '../../http/authority.ts'
import { EXAMPLE } from '../../http/example.ts'
import { dailyRule } from '../../http/limits/guard.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { pathId, timeOf } from '../../http/schemas.ts'
import { notify } from '../../jobs/email/budget.ts'
import { identityRemoved, passwordChanged, passwordReset } from '../../jobs/email/messages.ts'
import { record } from '../../journal/audit/record.ts'
import { disableFactors } from '../../lifecycle/disable-factors.ts'
import { replacePassword } from '../../lifecycle/replace-password.ts'
import { isOfProvider, unlinkIdentity } from '../identities/unlink.ts'
import { actingSystem, entryOfUser } from '../users/changes.ts'
import { findUser, lockUser, type User } from '../users/queries.ts'
import { answerOf, hashChosenPassword, OneUser, Password, UserAnswer } from '../users/schemas.ts'
import { refuseEarlier } from '../users/system-users.ts'
import { DOCS } from './docs.ts'
import { type LinkPurpose, mailLink } from './links.ts'
import { TEMPORARY_HOURS, temporaryPassword } from './temporary-password.ts'

const config = { authority: ['platform', 'system'] } as const

const PasswordBody = Type.Object(
  {
    password: Password,
    mustChangePassword: Type.Optional(
      Type.Boolean({ description: 'Whether the next sign-in asks for a new password. Default false.' }),
    ),
    temporary: Type.Optional(Type.Boolean({ description: 'Another name of `mustChangePassword`.' })),
  },
  { title: 'SetPassword' },
)
const Temporary = Type.Object(
  {
    temporaryPassword: Type.String({
      description: 'Only in this response. Expires after 72 hours.',
    }),
  },
  { title: 'TemporaryPassword' },
)
const Sent = Type.Object({ expiresAt: timeOf('When the link expires.') }, { title: 'SentLink' })

const ofUser = failures('user_not_found')

type Parts = { db: Db; seal: Seal; config: Config }

/** Emails a link, or fails with the seconds until the address or the system may have the next one. */
const sendLink = (
  { db, ...parts }: Parts,
  caller: Caller,
  userId: string,
  { purpose, action, allowed }: { purpose: LinkPurpose; action: string; allowed?: (user: User) => void },
) =>
  inTransaction(db, async (tx) => {
    const user = await lockUser(tx, reachOf(caller), userId)
    allowed?.(user)
    const { systemId } = reachOf(caller)
    const ofDay = dailyRule(parts.config.SYSTEM_EMAILS_PER_DAY)
    const cause = systemId === undefined ? 'platform' : { systemId, ofDay }
    const reader = await findUser(tx, EVERYTHING, user.id) // the email is in the language of the user
    const mailed = await mailLink(tx, parts, purpose, reader, {
      system: await actingSystem(tx, caller),
      systemId: systemId ?? null,
      cause,
    })
    if (!mailed.sent) throw new Failure('too_many_requests', { retryAfter: mailed.retryAfter })
    await record(tx, caller.actor, { action, ...entryOfUser(caller, user.id) })
    return { expiresAt: mailed.expiresAt.toISOString() }
  })

const setPassword = ({ db, seal, config: settings }: Parts) =>
  operation({
    method: 'POST',
    url: '/:userId/set-password',
    config: { ...config, docs: DOCS.setUserPassword },
    schema: {
      params: OneUser,
      body: PasswordBody,
      response: { 200: UserAnswer, ...failures('invalid_request', 'user_not_found') },
    },
    handler: async (request) => {
      const { password, mustChangePassword = false, temporary = false } = request.body
      const passwordHash = await hashChosenPassword(
        password,
        settings.PASSWORD_MIN_LENGTH,
        request.caller.systemId,
      )
      const user = await inTransaction(db, async (tx) => {
        const { caller } = request
        const before = await lockUser(tx, reachOf(caller), request.params.userId)
        const entry = { action: 'user.password_set', ...entryOfUser(caller, before.id) }
        const after = await replacePassword(
          tx,
          caller.actor,
          before,
          scopeOf(caller),
          { hash: passwordHash, mustChange: mustChangePassword || temporary },
          entry,
        )
        const reader = await findUser(tx, EVERYTHING, after.id)
        const email = passwordChanged(reader, 'byAdministrator', await actingSystem(tx, caller))
        await notify(tx, seal, email, scopeOf(caller))
        return after
      })
      return answerOf(user)
    },
  })

const resetPassword = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:userId/reset-password',
    config: { ...config, docs: DOCS.resetUserPassword },
    schema: { params: OneUser, response: { 200: Temporary, ...ofUser } },
    handler: async (request) => {
      const password = temporaryPassword()
      const passwordHash = await hashPassword(password, request.caller.systemId)
      await inTransaction(db, async (tx) => {
        const { caller } = request
        const before = await lockUser(tx, reachOf(caller), request.params.userId)
        const entry = { action: 'user.password_reset', ...entryOfUser(caller, before.id) }
        const temporary = { hash: passwordHash, mustChange: true, goodFor: TEMPORARY_HOURS }
        const after = await replacePassword(tx, caller.actor, before, scopeOf(caller), temporary, entry)
        const reader = await findUser(tx, EVERYTHING, after.id)
        const email = passwordReset(reader, await actingSystem(tx, caller))
        await notify(tx, seal, email, scopeOf(caller))
      })
      return { temporaryPassword: password }
    },
  })

const sendPasswordReset = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:userId/send-password-reset',
    config: { ...config, docs: DOCS.sendPasswordReset },
    schema: {
      params: OneUser,
      response: { 202: Sent, ...failures('user_not_found', 'too_many_requests') },
    },
    handler: async (request, reply) => {
      const { caller, params } = request
      return reply.code(202).send(
        await sendLink(parts, caller, params.userId, {
          purpose: 'password_reset',
          action: 'user.password_reset_sent',
        }),
      )
    },
  })

const resendVerification = (parts: Parts) =>
  operation({
    method: 'POST',
    url: '/:userId/resend-verification',
    config: { ...config, docs: DOCS.resendVerification },
    schema: {
      params: OneUser,
      response: {
        202: Sent,
        ...failures('user_not_found', 'email_already_verified', 'too_many_requests'),
      },
    },
    handler: async (request, reply) => {
      const { caller, params } = request
      const unverified = ({ emailVerified }: User) => {
        if (emailVerified) throw new Failure('email_already_verified')
      }
      return reply.code(202).send(
        await sendLink(parts, caller, params.userId, {
          purpose: 'email_verification',
          action: 'user.verification_sent',
          allowed: unverified,
        }),
      )
    },
  })

const disableMfa = ({ db, seal }: Parts) =>
  operation({
    method: 'POST',
    url: '/:userId/disable-mfa',
    config: { ...config, docs: DOCS.disableUserMfa },
    schema: {
      params: OneUser,
      response: { 200: UserAnswer, ...ofUser },
    },
    handler: async (request) => {
      const { caller } = request
      const user = await inTransaction(db, async (tx) => {
        const before = await lockUser(tx, reachOf(caller), request.params.userId)
        return disableFactors(tx, seal, caller.actor, before, {
          scope: scopeOf(caller),
          system: await actingSystem(tx, caller),
        })
      })
      return answerOf(user)
    },
  })

const removeIdentity = ({ db, seal, config: { social } }: Parts) =>
  operation({
    method: 'DELETE',
    url: '/:userId/social/:provider',
    config: { ...config, docs: DOCS.unlinkUserIdentity },
    schema: {
      params: Type.Object({
        userId: pathId('user'),
        provider: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The id of the identity provider, such as `google`.',
          examples: [EXAMPLE.provider],
        }),
      }),
      response: {
        204: Type.Null(),
        ...failures('user_not_found', 'identity_not_found', 'only_way_in'),
      },
    },
    handler: async (request, reply) => {
      const { caller } = request
      const { userId, provider } = request.params
      await inTransaction(db, async (tx) => {
        const before = await lockUser(tx, reachOf(caller), userId)
        const unlinking = {
          social,
          provider,
          scope: scopeOf(caller),
          email: identityRemoved(before, await actingSystem(tx, caller), provider),
        }
        const { systemId } = reachOf(caller)
        if (systemId === undefined) return unlinkIdentity(tx, seal, caller.actor, before, unlinking)
        // An identity that is valid everywhere stays, and the system does not learn whether there is one.
        if (before.identities.some((each) => isOfProvider(social, provider, each)))
          await unlinkIdentity(tx, seal, caller.actor, before, unlinking)
        await refuseEarlier(tx, { userId: before.id, systemId })
      })
      return reply.code(204).send(null)
    },
  })

export const credentialsRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [
    setPassword,
    resetPassword,
    sendPasswordReset,
    resendVerification,
    disableMfa,
    removeIdentity,
  ])

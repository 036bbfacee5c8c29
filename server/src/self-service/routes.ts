/**
 * A person's own pages: /account and what is below it. They belong to who is signed in in this browser, whatever systems
 * that was for; nothing is changed by a GET, and nothing of anybody else is within reach.
 */
import formbody from '@fastify/formbody'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { passwordLengths } from '../authentication/new-password.ts'
import { inTransaction } from '../database/transaction.ts'
import { answerPageFailures } from '../interaction/refusals.ts'
import { ownSignIn } from '../oidc/storage/artifacts.ts'
import { difference, record } from '../resources/audit/record.ts'
import { deleteConsent } from '../resources/consents/queries.ts'
import { enqueue } from '../resources/events/enqueue.ts'
import { endSessions } from '../resources/sessions/end.ts'
import { eventOf } from '../resources/users/changes.ts'
import { lockUser, updateUser } from '../resources/users/queries.ts'
import { ownTexts } from '../ui/i18n/self-service/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { membershipsPage } from '../ui/pages/self-service/memberships.ts'
import { passwordPage } from '../ui/pages/self-service/password.ts'
import { PROFILE_FIELDS, type Profile, profilePage } from '../ui/pages/self-service/profile.ts'
import { sessionsPage } from '../ui/pages/self-service/sessions.ts'
import { emailRoutes } from './email.ts'
import { type LinkParts, linkRoutes } from './link.ts'
import { changeOwnPassword } from './own-password.ts'
import { findSystemOf, listOwnMemberships, listOwnSessions } from './queries.ts'
import { securityRoutes } from './security.ts'
import { signInRoutes } from './sign-in.ts'
import {
  BODY_LIMIT,
  demandOwnOrigin,
  demandPerson,
  doneOf,
  OWN,
  type Standing,
  sendPage,
} from './signed-in.ts'

export const accountRoutes: FastifyPluginAsyncTypebox<LinkParts> = async (app, parts) => {
  const { db, seal, config } = parts
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
  answerPageFailures(app)
  // Browsers would send `Origin: null` from a page with no-referrer, and our own forms could not be told from others.
  app.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'same-origin'))
  app.addHook('onRequest', demandOwnOrigin(parts))
  await app.register(signInRoutes, parts)
  await app.register(securityRoutes, parts)
  await app.register(linkRoutes, parts)
  await app.register(emailRoutes, parts)

  app.get('/account', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    return there ? sendProfile(request, reply, there, there.user) : reply
  })

  app.post('/account', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    if (!there) return reply
    const { profile, errors } = readProfile(request, there)
    if (Object.keys(errors).length > 0) return sendProfile(request, reply.code(400), there, profile, errors)
    await inTransaction(db, async (tx) => {
      const before = await lockUser(tx, {}, there.user.id)
      const changes = difference(before, { ...before, ...profile })
      if (Object.keys(changes).length === 0) return
      const after = await updateUser(tx, before.id, profile)
      await record(tx, there.actor, {
        action: 'user.updated',
        target: { type: 'user', id: before.id },
        changes,
      })
      await enqueue(tx, eventOf('user.updated', there.actor, after, { changed: Object.keys(changes) }))
    })
    return reply.redirect('/account?done=saved', 303)
  })

  app.get('/account/password', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, {
      owing: 'password',
      recent: true,
      unless: 'hasPassword',
    })
    return there ? sendPassword(request, reply, there) : reply
  })

  app.post('/account/password', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, {
      owing: 'password',
      recent: true,
      unless: 'hasPassword',
    })
    if (!there) return reply
    const { status, errors } = await changeOwnPassword(parts, request, reply, there)
    if (errors) return sendPassword(request, reply.code(status), there, errors)
    return reply.redirect('/account/password?done=passwordSaved', 303)
  })

  app.get('/account/sessions', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    if (!there) return reply
    const sessions = await listOwnSessions(db, there.user.id)
    return sendPage(
      reply,
      sessionsPage({ ...there, sessions, here: there.session.uid, notice: doneOf(request, there) }),
    )
  })

  app.post('/account/sessions/end', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    if (!there) return reply
    const { sid, all } = (request.body ?? {}) as { sid?: unknown; all?: unknown }
    const userId = there.user.id
    await inTransaction(db, async (tx) => {
      const own = ownSignIn(seal, '', there.session.uid)
      if (all === 'yes') await endSessions(tx, there.actor, { userId }, 'logout', own)
      const systemId = typeof sid === 'string' && !sid.includes('\0') && (await findSystemOf(tx, userId, sid))
      if (systemId) await endSessions(tx, there.actor, { sid: String(sid), userId, systemId }, 'logout')
    })
    return reply.redirect('/account/sessions?done=ended', 303)
  })

  app.get('/account/accounts', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    if (!there) return reply
    const memberships = await listOwnMemberships(db, there.user.id)
    return sendPage(reply, membershipsPage({ ...there, memberships, notice: doneOf(request, there) }))
  })

  /** What was allowed is no longer, so what lives on it ends as well. */
  app.post('/account/accounts/revoke', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply)
    if (!there) return reply
    const { accountId } = (request.body ?? {}) as { accountId?: unknown }
    const userId = there.user.id
    if (typeof accountId === 'string' && UUID.test(accountId))
      await inTransaction(db, async (tx) => {
        const gone = await deleteConsent(tx, userId, accountId)
        if (!gone) return
        const { systemId, scopes } = gone
        await endSessions(tx, there.actor, { userId, systemId, accountId }, 'logout')
        const target = { type: 'account', id: accountId }
        const changes = { scopes: [scopes, null] as [unknown, unknown] }
        await record(tx, there.actor, { action: 'consent.revoked', target, systemId, accountId, changes })
      })
    return reply.redirect('/account/accounts?done=revoked', 303)
  })

  function sendProfile(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    profile: Profile,
    errors: Faults = {},
  ) {
    const { user, csrf, locale } = there
    return sendPage(
      reply,
      profilePage({ locale, csrf, email: user.email, profile, errors, notice: doneOf(request, there) }),
    )
  }

  function sendPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    errors: Faults = {},
  ): FastifyReply {
    return sendPage(
      reply,
      passwordPage({ ...there, lengths: passwordLengths(config), errors, notice: doneOf(request, there) }),
    )
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LANGUAGE = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/

function readProfile(
  { body }: FastifyRequest,
  { user, locale }: Standing,
): { profile: Profile; errors: Faults } {
  const given = (body ?? {}) as Record<string, unknown>
  const errors: Faults = {}
  const profile: Profile = {
    name: user.name,
    givenName: user.givenName,
    familyName: user.familyName,
    locale: user.locale,
  }
  for (const field of PROFILE_FIELDS) {
    const value = given[field]
    if (typeof value !== 'string') continue
    profile[field] = value.trim().replaceAll('\0', '') || null
    if ([...value.trim()].length > 100) errors[field] = ownTexts(locale).tooLong
  }
  const { locale: language } = given
  if (language === '') profile.locale = null
  if (typeof language === 'string' && language.length <= 35 && LANGUAGE.test(language))
    profile.locale = language
  return { profile, errors }
}

import type { FastifyReply } from 'fastify'
import { inTransaction } from '../database/transaction.ts'
import { difference, record } from '../resources/audit/record.ts'
import { enqueue } from '../resources/events/enqueue.ts'
import { eventOf } from '../resources/users/changes.ts'
import { lockUser, updateUser } from '../resources/users/queries.ts'
import { textsOf } from '../ui/i18n/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { PROFILE_FIELDS, type Profile, profilePage } from '../ui/pages/self-service/profile.ts'
import { form, noticeOf, page, sendPage, type Visit } from './signed-in.ts'

export const showProfile = page('/account', (visit) => sendProfile(visit, visit.user))

export const submitProfile = form('/account', async (visit) => {
  const { parts, user, actor, reply } = visit
  const { profile, errors } = readProfile(visit)
  if (Object.keys(errors).length > 0) return sendProfile(visit, profile, errors)
  await inTransaction(parts.db, async (tx) => {
    const before = await lockUser(tx, {}, user.id)
    const changes = difference(before, { ...before, ...profile })
    if (Object.keys(changes).length === 0) return
    const after = await updateUser(tx, before.id, profile)
    await record(tx, actor, { action: 'user.updated', target: { type: 'user', id: before.id }, changes })
    await enqueue(tx, eventOf('user.updated', actor, after, { changed: Object.keys(changes) }))
  })
  return reply.redirect('/account?done=saved', 303)
})

function sendProfile(visit: Visit, profile: Profile, errors?: Faults): FastifyReply {
  const { user, csrf, locale } = visit
  const html = profilePage({ locale, csrf, email: user.email, profile, errors, notice: noticeOf(visit) })
  return sendPage(visit, html, errors ? 400 : 200)
}

/** BCP 47, by its shape only. */
const LANGUAGE = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/

function readProfile({ request, user, locale }: Visit): { profile: Profile; errors: Faults } {
  const given = (request.body ?? {}) as Record<string, unknown>
  const errors: Faults = {}
  const { name, givenName, familyName } = user
  const profile: Profile = { name, givenName, familyName, locale: user.locale }
  for (const field of PROFILE_FIELDS) {
    const value = given[field]
    if (typeof value !== 'string') continue
    profile[field] = value.trim().replaceAll('\0', '') || null
    if ([...value.trim()].length > 100) errors[field] = textsOf(locale, 'account').tooLong
  }
  const { locale: language } = given
  if (language === '') profile.locale = null
  if (typeof language === 'string' && language.length <= 35 && LANGUAGE.test(language))
    profile.locale = language
  return { profile, errors }
}

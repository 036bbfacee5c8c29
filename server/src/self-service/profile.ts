import type { FastifyReply } from 'fastify'
import { inTransaction } from '../database/transaction.ts'
import { EVERYTHING } from '../http/authority.ts'
import { fits } from '../http/schema-compilers.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueue } from '../journal/events/enqueue.ts'
import { eventOfUser } from '../resources/users/changes.ts'
import { withPhone } from '../resources/users/profile.ts'
import { lockUser, updateUser } from '../resources/users/queries.ts'
import { FIELDS } from '../resources/users/schemas.ts'
import { textsOf } from '../texts/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { DETAILS, NAMES, type ProfileFields, profilePage } from '../ui/pages/self-service/profile.ts'
import { noticeOf, sendPage, showAt, type Visit, visitForm, visitPage } from './signed-in.ts'

export const showProfile = visitPage('/account', (visit) => sendProfile(visit, visit.user))

export const submitProfile = visitForm(
  '/account',
  async (visit) => {
    const { parts, user, actor, reply } = visit
    const { profile, errors } = readProfile(visit)
    if (Object.keys(errors).length > 0) return sendProfile(visit, profile, errors)
    await inTransaction(parts.db, async (tx) => {
      const before = await lockUser(tx, EVERYTHING, user.id)
      const patch = withPhone(profile, before)
      const changes = difference(before, { ...before, ...patch })
      if (Object.keys(changes).length === 0) return
      const after = await updateUser(tx, before.id, patch)
      await record(tx, actor, { action: 'user.updated', target: { type: 'user', id: before.id }, changes })
      await enqueue(tx, eventOfUser('user.updated', actor, after, { changed: Object.keys(changes) }))
    })
    return reply.redirect('/account?done=saved', 303)
  },
  'ordinary',
)

function sendProfile(visit: Visit, profile: ProfileFields, errors?: Faults): FastifyReply {
  const { csrf, reader } = visit
  const state = { status: errors ? 400 : 200, profile: errors && profile, errors }
  return showAt(visit, '/account', state, ({ status, profile: entered = profile, errors: shown }) => {
    const page = { ...reader, csrf, profile: entered, notice: noticeOf(visit) }
    return sendPage(visit, profilePage({ ...page, errors: shown }), status)
  })
}

const TYPED = [...NAMES, ...DETAILS, 'zoneinfo'] as const

function readProfile({ request, user, locale }: Visit): { profile: ProfileFields; errors: Faults } {
  const given = (request.body ?? {}) as Record<string, unknown>
  const texts = textsOf(locale, 'profile')
  const errors: Faults = {}
  const profile = Object.fromEntries(
    [...TYPED, 'locale' as const].map((field) => [field, user[field]]),
  ) as ProfileFields
  for (const field of TYPED) {
    const value = given[field]
    if (typeof value !== 'string') continue
    const typed = value.trim().replaceAll('\0', '')
    profile[field] = (field === 'phoneNumber' ? typed.replaceAll(/[\s().-]/g, '') : typed) || null
    if (!fits(FIELDS[field], profile[field])) errors[field] = texts[FAULTS[field] ?? 'tooLong']
  }
  const { locale: language } = given
  if (language === '') profile.locale = null
  else if (typeof language === 'string' && fits(FIELDS.locale, language)) profile.locale = language
  return { profile, errors }
}

/** The message for each field that has other limits than its length. */
const FAULTS: Partial<Record<keyof ProfileFields, 'wrongUrl' | 'wrongDate' | 'wrongZone' | 'wrongPhone'>> = {
  picture: 'wrongUrl',
  website: 'wrongUrl',
  birthdate: 'wrongDate',
  zoneinfo: 'wrongZone',
  phoneNumber: 'wrongPhone',
}

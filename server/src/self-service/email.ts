/**
 * Requests a change of the user's e-mail address; the emailed links complete it
 * (lifecycle/change-email.ts).
 */

import type { FastifyReply } from 'fastify'
import { inTransaction } from '../database/transaction.ts'
import { ADDRESS_MAX, storedAddress } from '../email-address.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { CODES_MAILED, limitOf } from '../http/limits/guard.ts'
import { reserve, secondsToWait } from '../http/limits/queries.ts'
import { requestEmailChange } from '../lifecycle/change-email.ts'
import { lockUser } from '../resources/users/queries.ts'
import { textsOf } from '../texts/texts.ts'
import { csrfField, sentencesOf } from '../ui/forms.ts'
import { bdi, fill, html } from '../ui/html.ts'
import { type Faults, framed, type PageReader, textField } from '../ui/pages/self-service/frame.ts'
import { panel, panelFoot } from '../ui/pages/self-service/rows.ts'
import {
  changedMeanwhile,
  noticeOf,
  type SignedIn,
  sendPage,
  showAt,
  type Visit,
  visitForm,
  visitPage,
} from './signed-in.ts'

export const showEmail = visitPage('/account/email', (visit) => sendForm(visit), 'recent')

export const submitEmail = visitForm(
  '/account/email',
  async (visit) => {
    const { parts, request, reply, user, actor, locale } = visit
    const { email: given } = (request.body ?? {}) as { email?: unknown }
    const typed = typeof given === 'string' ? given.trim() : ''
    const email = storedAddress(typed)
    const texts = textsOf(locale, 'profile')
    if (email === undefined) return sendForm(visit, typed.slice(0, ADDRESS_MAX), { email: texts.emailWrong })
    if (email === user.email) return sendForm(visit, email, { email: texts.emailSame })
    const limit = limitOf(parts.seal, 'email-change', CODES_MAILED, user.id)
    if (!(await reserve(parts.db, limit))) {
      const retryAfter = Math.max(1, await secondsToWait(parts.db, [limit]))
      if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter })
      const { errors } = sentencesOf({ errors: { form: 'tooManyAttempts' }, retryAfter }, locale)
      return sendForm(visit, email, errors, retryAfter)
    }
    await inTransaction(parts.db, async (tx) => {
      const locked = await lockUser(tx, EVERYTHING, user.id)
      if (locked.disabled || locked.email !== user.email) throw changedMeanwhile()
      await requestEmailChange(tx, parts, actor, locked, email)
    })
    return reply.redirect('/account/email?done=emailAsked', 303)
  },
  'recent',
)

type Shown = { status: number; value: string; errors: Faults; retryAfter?: number | undefined }

function sendForm(visit: Visit, value = '', errors?: Faults, retryAfter?: number): FastifyReply {
  const { reader, csrf, user, reply } = visit
  const status = retryAfter !== undefined ? 429 : errors ? 400 : 200
  const state: Shown = { status, value, errors: errors ?? {}, retryAfter }
  return showAt(visit, '/account/email', state, (shown) => {
    if (shown.retryAfter !== undefined) reply.header('retry-after', String(shown.retryAfter))
    const html = emailPage({ ...reader, csrf, user, ...shown, notice: noticeOf(visit) })
    return sendPage(visit, html, shown.status)
  })
}

type EmailPage = PageReader & {
  csrf: string
  user: Pick<SignedIn['user'], 'email' | 'emailVerified'>
  value: string
  errors: Faults
  notice: string | undefined
}

export function emailPage(page: EmailPage): string {
  const { locale, csrf, user, value, errors, notice } = page
  const texts = textsOf(locale, 'profile')
  const input = {
    id: 'email',
    label: texts.newEmail,
    type: 'email' as const,
    value,
    autocomplete: 'email',
    max: 254,
    focus: true,
  }
  return framed({
    reader: page,
    at: '/account/email',
    crumb: { href: '/account', text: texts.profileTitle },
    heading: texts.emailTitle,
    lead: fill(user.emailVerified ? texts.emailLead : texts.emailLeadUnproven, { email: bdi(user.email) }),
    notice,
    errors,
    labels: { email: texts.newEmail },
    body: panel({
      body: html`<form method="post" action="/account/email">
${csrfField(csrf)}
<div class="body">${textField(input, errors)}</div>
${panelFoot(html`<button type="submit" id="submit">${texts.sendLinks}</button>`)}
</form>`,
    }),
  })
}

/** Another e-mail address: asked for here with a recent sign-in, made by the links that are mailed (credentials/email-change.ts). */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { reserve, secondsToWait } from '../http/limits/queries.ts'
import { CODES_MAILED, limitOf } from '../http/limits/rules.ts'
import { Email } from '../http/shapes.ts'
import { askEmailChange } from '../resources/credentials/email-change.ts'
import { lockUser } from '../resources/users/queries.ts'
import { fits } from '../tuning/compiled.ts'
import { bdi, fill, html } from '../ui/html.ts'
import { ownTexts } from '../ui/i18n/self-service/texts.ts'
import { icons } from '../ui/icons.ts'
import { csrfField } from '../ui/layout.ts'
import { type Faults, framed, textField } from '../ui/pages/self-service/frame.ts'
import { demandPerson, doneOf, meanwhile, OWN, type OwnParts, type Standing, sendPage } from './signed-in.ts'

const RECENT = { recent: true } as const

export const emailRoutes: FastifyPluginAsyncTypebox<OwnParts> = async (app, parts) => {
  const { db, seal } = parts

  app.get('/account/email', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    return there ? show(request, reply, there) : reply
  })

  app.post('/account/email', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const { email: given } = (request.body ?? {}) as { email?: unknown }
    const email = typeof given === 'string' ? given.trim().normalize('NFC') : ''
    const texts = ownTexts(there.locale)
    if (!fits(Email, email)) return show(request, reply.code(400), there, email, { email: texts.emailWrong })
    if (email.toLowerCase() === there.user.email.toLowerCase())
      return show(request, reply.code(400), there, email, { email: texts.emailSame })
    const limit = limitOf(seal, 'email-change', CODES_MAILED, there.user.id)
    if (!(await reserve(db, limit)))
      throw new Failure('too_many_requests', { retryAfter: Math.max(1, await secondsToWait(db, [limit])) })
    await inTransaction(db, async (tx) => {
      const user = await lockUser(tx, {}, there.user.id)
      if (user.disabled || user.email !== there.user.email) throw meanwhile()
      await askEmailChange(tx, parts, there.actor, user, email)
    })
    return reply.redirect('/account/email?done=emailAsked', 303)
  })

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    value = '',
    errors: Faults = {},
  ): FastifyReply {
    return sendPage(reply, emailPage({ ...there, value, errors, notice: doneOf(request, there) }))
  }
}

type EmailPage = Pick<Standing, 'locale' | 'csrf'> & {
  user: Pick<Standing['user'], 'email' | 'emailVerified'>
  value: string
  errors: Faults
  notice: string | undefined
}

export function emailPage({ locale, csrf, user, value, errors, notice }: EmailPage): string {
  const texts = ownTexts(locale)
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
    locale,
    at: '/account/email',
    icon: icons.envelope,
    heading: texts.emailTitle,
    lead: fill(user.emailVerified ? texts.emailLead : texts.emailLeadUnproven, { email: bdi(user.email) }),
    notice,
    errors,
    labels: { email: texts.newEmail },
    body: html`<form method="post" action="/account/email">
${csrfField(csrf)}
${textField(input, errors)}
<div class="actions"><button type="submit" id="submit">${texts.sendLinks}</button></div>
</form>`,
  })
}

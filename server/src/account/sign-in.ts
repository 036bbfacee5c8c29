/**
 * The pages' own sign-in, by the same password step, limits and second factors as a system's; what comes of it is the
 * browser session that every system's sign-in goes by. Who is signed in and comes here again proves everything anew.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { record } from '../audit/record.ts'
import { Failure } from '../errors.ts'
import { AMR } from '../factors/assurance.ts'
import { assertionOptions, hasPasskeys } from '../factors/passkeys.ts'
import { countRecoveryCodes, findTotp, listPasskeys } from '../factors/queries.ts'
import { attemptLogin } from '../interaction/attempts.ts'
import { usedMeanwhile } from '../interaction/codes.ts'
import { isOwnForm } from '../interaction/forms.ts'
import { checkProof, type Proof } from '../interaction/proofs.ts'
import { touchLogin } from '../interaction/queries.ts'
import { localeOf, textsOf } from '../interaction/texts.ts'
import { recoveryCodeUsed } from '../mail/letters.ts'
import { sendMail } from '../mail/send.ts'
import { signInBrowser } from '../oidc/browser.ts'
import { lockUser } from '../users/queries.ts'
import type { Faults } from './frame.ts'
import {
  demandPerson,
  inOneUnit,
  meanwhile,
  nextOf,
  OPEN,
  OWN,
  type OwnParts,
  owedBy,
  personOf,
  type Standing,
  sendPage,
  strangerOf,
} from './person.ts'
import { ownFactorPage, signInPage } from './sign-in-pages.ts'
import { ownTexts, said } from './texts.ts'

const fieldOf = (request: FastifyRequest, name: string): string => {
  const value = ((request.body ?? {}) as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

/** Of whom the form is, and the words that go with it. */
async function formOf(parts: OwnParts, request: FastifyRequest, reply: FastifyReply) {
  const there = await personOf(parts, request, reply)
  const locale = there?.locale ?? localeOf(undefined, request.headers['accept-language'])
  const csrf = there?.csrf ?? strangerOf(parts, request, reply).csrf
  return { there, locale, csrf }
}

export const signInRoutes: FastifyPluginAsyncTypebox<OwnParts> = async (app, parts) => {
  app.get('/account/login', OPEN, async (request, reply) => {
    const { there, locale, csrf } = await formOf(parts, request, reply)
    const next = nextOf((request.query as { next?: unknown }).next)
    const form = there?.user.registration ? ownTexts(locale).unproven : undefined
    return sendPage(reply, signInPage({ locale, csrf, next, known: there?.user.email, email: '', errors: { form } }))
  })

  app.post('/account/login', OPEN, async (request, reply) => {
    const { there, locale, csrf } = await formOf(parts, request, reply)
    if (!isOwnForm(request, parts.config.BASE_URL, csrf)) throw new Failure('csrf_rejected')
    const [next, known] = [nextOf(fieldOf(request, 'next')), there?.user.email]
    const [email, password] = [(known ?? fieldOf(request, 'email')).trim().slice(0, 254), fieldOf(request, 'password')]
    const refuse = (status: number, errors: Faults) =>
      sendPage(reply.code(status), signInPage({ locale, csrf, next, known, email, errors }))
    const words = textsOf(locale)
    if (!email.includes('@') || email.includes('\0')) return refuse(400, { email: words.emailInvalid })
    if (password === '') return refuse(400, { password: words.passwordMissing })
    if (password.length > 1_024) return refuse(401, { form: words.wrongCredentials })
    const attempt = await attemptLogin(parts, request, { email, password }, null)
    if (!attempt.user) {
      const { status = 401, retryAfter } = attempt.screen
      if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
      return refuse(status, said(attempt.screen, locale))
    }
    const { user } = attempt
    if (user.unproven) return refuse(403, { form: ownTexts(locale).unproven })
    await inOneUnit(parts.db, async (tx) => {
      const proven = { accountId: user.id, amr: AMR.password }
      if (!(await touchLogin(tx, user)) || !(await signInBrowser(parts, request, reply, there?.session, proven)))
        throw meanwhile()
      await record(
        tx,
        { ...request.actor, type: 'user', id: user.id },
        { action: 'user.login', target: { type: 'user', id: user.id } },
      )
    })
    return reply.redirect(next, 303)
  })

  app.get('/account/second-factor', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, { owing: 'factor' })
    if (!there) return reply
    const next = nextOf((request.query as { next?: unknown }).next)
    if (owedBy(there) !== 'factor') return reply.redirect(next, 303)
    return sendFactor(parts, reply, there, next, {})
  })

  app.post('/account/second-factor', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, { owing: 'factor' })
    if (!there) return reply
    const next = nextOf(fieldOf(request, 'next'))
    if (owedBy(there) !== 'factor') return reply.redirect(next, 303)
    const fields = (request.body ?? {}) as Record<string, unknown>
    const shown = { userId: there.user.id, binding: there.session.jti, systemId: null, fields }
    const proof = await checkProof(parts, request, shown)
    if ('screen' in proof) {
      if (proof.screen.retryAfter !== undefined) reply.header('retry-after', String(proof.screen.retryAfter))
      return sendFactor(parts, reply.code(proof.screen.status ?? 401), there, next, said(proof.screen, there.locale))
    }
    await keepProof(parts, request, reply, there, proof)
    return reply.redirect(next, 303)
  })
}

/** Adds what was proven to the browser session, under another id. */
async function keepProof(
  parts: OwnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, user, actor }: Standing,
  { method, use }: Proof,
): Promise<void> {
  await inOneUnit(parts.db, async (tx) => {
    const person = await lockUser(tx, {}, user.id) // first, as everybody who changes one does
    if (person.disabled || !(await use(tx))) throw usedMeanwhile()
    const amr = [...new Set([...(session.amr ?? []), ...AMR[method]])]
    const proven = { accountId: user.id, amr, loginTs: session.loginTs }
    if (!(await signInBrowser(parts, request, reply, session, proven))) throw meanwhile()
    const changes = { method: [null, method] as [unknown, unknown] }
    await record(tx, actor, { action: 'user.second_factor', target: { type: 'user', id: user.id }, changes })
    if (method !== 'recoveryCode') return
    await sendMail(tx, parts.seal, recoveryCodeUsed(person, undefined, await countRecoveryCodes(tx, user.id)))
  })
}

async function sendFactor(
  parts: OwnParts,
  reply: FastifyReply,
  { session, user, csrf, locale }: Standing,
  next: string,
  errors: Faults,
): Promise<FastifyReply> {
  const { db, config } = parts
  const totp = (await findTotp(db, user.id)) !== undefined
  const keys = await listPasskeys(db, user.id)
  const recoveryCodes = (await countRecoveryCodes(db, user.id)) > 0
  const passkey = hasPasskeys(config) && keys.length > 0 ? assertionOptions(parts, session.jti, keys) : undefined
  const page = ownFactorPage({ locale, csrf, next, totp, recoveryCodes, passkey, errors })
  return sendPage(reply, page, passkey !== undefined)
}

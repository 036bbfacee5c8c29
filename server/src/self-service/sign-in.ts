/**
 * The pages' own sign-in, by the same steps, limits and second factors as a system's; what comes of it is the browser
 * session that every system's sign-in goes by. Who is signed in and comes here again proves everything anew. Who has no
 * password then has a code mailed, if there is no passkey at hand: the mailbox opens no more here than it does by a
 * forgotten password, and a second factor is asked for in both cases.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { judge, usedMeanwhile } from '../authentication/attempts.ts'
import { checkMailedCode, isCodeUnderWay, mailCode } from '../authentication/email-code.ts'
import { welcome } from '../authentication/new-device.ts'
import { assertionOptions, checkAssertion, hasPasskeys, keepUse } from '../authentication/passkey.ts'
import { attemptLogin, attemptPasskey } from '../authentication/password.ts'
import { isGiven } from '../authentication/second-factor.ts'
import { readCode } from '../authentication/totp.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { isOwnForm } from '../http/forms.ts'
import { touchEnabled, touchLogin } from '../interaction/queries.ts'
import type { Screen } from '../interaction/screens.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { findEnabledUser } from '../oidc/storage/queries.ts'
import { record } from '../resources/audit/record.ts'
import { consumeCode } from '../resources/credentials/codes.ts'
import { epochOf, listPasskeys } from '../resources/factors/queries.ts'
import { ownTexts, said } from '../ui/i18n/self-service/texts.ts'
import { type Locale, localeOf, textsOf } from '../ui/i18n/texts.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { signInPage, type Ways } from './sign-in-pages.ts'
import {
  fieldOf,
  meanwhile,
  nextOf,
  OPEN,
  type OwnParts,
  personOf,
  type Standing,
  sendPage,
  strangerOf,
} from './signed-in.ts'

/** Whose form it is, the words that go with it, and what a challenge for a passkey may be bound to, the newest first. */
type Form = { there: Standing | undefined; locale: Locale; csrf: string; next: string; bindings: string[] }

/** A stranger's cookie does not end, so that a challenge for them is bound to its time as well. */
async function formOf(parts: OwnParts, request: FastifyRequest, reply: FastifyReply): Promise<Form> {
  const there = await personOf(parts, request, reply)
  const given =
    request.method === 'POST' ? fieldOf(request, 'next') : (request.query as { next?: unknown }).next
  const next = nextOf(given)
  if (there) return { there, locale: there.locale, csrf: there.csrf, next, bindings: [there.session.jti] }
  const locale = localeOf(undefined, request.headers['accept-language'])
  const { binding, csrf } = strangerOf(parts, request, reply)
  const slot = Math.floor((await epochOf(parts.db)) / parts.config.TTL_INTERACTION)
  return { there, locale, csrf, next, bindings: [slot, slot - 1].map((each) => `account:${binding}:${each}`) }
}

/** The same for a form that was sent: refused when it is not our own. */
async function ownForm(parts: OwnParts, request: FastifyRequest, reply: FastifyReply): Promise<Form> {
  const form = await formOf(parts, request, reply)
  if (!isOwnForm(request, parts.config.BASE_URL, form.csrf)) throw new Failure('csrf_rejected')
  return form
}

export const signInRoutes: FastifyPluginAsyncTypebox<OwnParts> = async (app, parts) => {
  const { db, seal, config } = parts
  await app.register(secondFactorRoutes, parts)

  app.get('/account/login', OPEN, async (request, reply) => {
    const form = await formOf(parts, request, reply)
    const unproven = form.there?.user.registration ? ownTexts(form.locale).unproven : undefined
    return show(reply, form, '', { form: unproven })
  })

  app.post('/account/login', OPEN, async (request, reply) => {
    const form = await ownForm(parts, request, reply)
    const { there, locale } = form
    const email = (there?.user.email ?? fieldOf(request, 'email')).trim().slice(0, 254)
    const password = fieldOf(request, 'password')
    const refuse = (status: number, errors: Faults) => show(reply.code(status), form, email, errors)
    const words = textsOf(locale)
    if (!email.includes('@') || email.includes('\0')) return refuse(400, { email: words.emailInvalid })
    if (password === '') return refuse(400, { password: words.passwordMissing })
    if (password.length > 1_024) return refuse(401, { form: words.wrongCredentials })
    const attempt = await attemptLogin(parts, request, { email, password }, null)
    if (!attempt.user) return refused(reply, form, email, attempt.screen)
    const { user } = attempt
    if (user.unproven) return refuse(403, { form: ownTexts(locale).unproven })
    return keep(request, reply, form, {
      userId: user.id,
      method: 'password',
      use: (tx) => touchLogin(tx, user),
    })
  })

  app.post('/account/passkey', OPEN, async (request, reply) => {
    const form = await ownForm(parts, request, reply)
    const { there, bindings, locale } = form
    const given = fieldOf(request, 'passkey')
    const proven = await attemptPasskey(parts, request.ip, async () => {
      let checked: Awaited<ReturnType<typeof checkAssertion>>
      for (const binding of bindings) checked ??= await checkAssertion(parts, given, binding)
      const user = checked && (await findEnabledUser(db, checked.passkey.userId))
      return checked && user && !user.unproven && (!there || there.user.id === user.id)
        ? { checked, user }
        : undefined
    })
    if (!proven) {
      await record(db, request.actor, { action: 'user.login', outcome: 'failure' })
      return show(reply.code(401), form, '', { form: textsOf(locale).passkeyWrong })
    }
    const { checked, user } = proven
    const use = async (tx: Db) =>
      (await touchEnabled(tx, user.id)) && (await keepUse(tx, seal, checked, 2 * config.TTL_INTERACTION))
    return keep(request, reply, form, { userId: user.id, method: 'passkey', use })
  })

  /** Of who is signed in and has no password: mails a code, or checks the one that was mailed. */
  app.post('/account/code', OPEN, async (request, reply) => {
    const form = await ownForm(parts, request, reply)
    const { there, locale, next } = form
    const signIn = there && ofCode(there)
    if (!there || !signIn) return reply.redirect(`/account/login?next=${encodeURIComponent(next)}`, 303)
    const { user, actor } = there
    if (isGiven(fieldOf(request, 'resend'))) {
      const sending = { uid: signIn.uid, systemId: null, system: undefined }
      const wait = await inTransaction(db, (tx) => mailCode(tx, seal, actor, user, sending))
      if (wait > 0)
        return refused(reply, form, '', { status: 429, errors: { form: 'mailedCodeWait' }, retryAfter: wait })
      return reply.redirect(`/account/login?next=${encodeURIComponent(next)}`, 303)
    }
    const code = readCode(fieldOf(request, 'code'))
    if (!code) return show(reply.code(400), form, '', { code: textsOf(locale).codeMissing })
    let id = ''
    const failure = {
      action: 'user.mailed_code',
      target: { type: 'user', id: user.id },
      outcome: 'failure' as const,
    }
    const judged = await judge(
      parts,
      request,
      { kind: 'mailed-code', userId: user.id, failure },
      async () => {
        id = (await checkMailedCode(db, seal, signIn, code)) ?? ''
        return id !== ''
      },
    )
    if (typeof judged === 'object') return refused(reply, form, '', judged)
    if (!judged) return show(reply.code(401), form, '', { code: textsOf(locale).codeWrong })
    const use = async (tx: Db) => (await touchEnabled(tx, user.id)) && (await consumeCode(tx, id))
    return keep(request, reply, form, { userId: user.id, method: 'mailedCode', use })
  })

  type Proven = {
    userId: string
    method: 'password' | 'passkey' | 'mailedCode'
    use: (tx: Db) => Promise<boolean>
  }

  /** Signs the person in to this browser, by what they have just proven and nothing else. */
  async function keep(
    request: FastifyRequest,
    reply: FastifyReply,
    { there, next }: Form,
    { userId, method, use }: Proven,
  ) {
    const amr = AMR[method]
    await inTransaction(db, async (tx) => {
      await welcome(tx, parts, request, reply, { userId, systemId: null, amr })
      if (!(await use(tx))) throw usedMeanwhile()
      if (!(await signInBrowser(parts, request, reply, there?.session, { accountId: userId, amr })))
        throw meanwhile()
      const changes = { method: [null, method] as [unknown, unknown] }
      const actor = { ...request.actor, type: 'user' as const, id: userId }
      const entry = { action: 'user.login', target: { type: 'user', id: userId } }
      await record(tx, actor, method === 'password' ? entry : { ...entry, changes })
    })
    return reply.redirect(next, 303)
  }

  function refused(reply: FastifyReply, form: Form, email: string, screen: Screen): Promise<FastifyReply> {
    const { status = 401, retryAfter } = screen
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    return show(reply.code(status), form, email, said(screen, form.locale))
  }

  async function show(reply: FastifyReply, form: Form, email: string, errors: Faults): Promise<FastifyReply> {
    const { there, locale, csrf, next } = form
    return sendPage(
      reply,
      signInPage({ locale, csrf, next, known: there?.user.email, email, errors, ways: await waysOf(form) }),
    )
  }

  /** Any passkey of this service for a stranger; of who is signed in, what they have. */
  async function waysOf({ there, bindings }: Form): Promise<Ways> {
    const binding = bindings[0]!
    const able = hasPasskeys(config)
    if (!there) return { password: true, passkey: able ? assertionOptions(parts, binding) : undefined }
    const keys = able ? await listPasskeys(db, there.user.id) : []
    const passkey = keys.length > 0 ? assertionOptions(parts, binding, keys) : undefined
    const signIn = ofCode(there)
    const code = signIn && ((await isCodeUnderWay(db, seal, signIn)) ? 'underWay' : 'offered')
    return { password: signIn === undefined, passkey, code }
  }
}

/** Whose mailed code it is and what it is bound to; nobody's who has a password, or an address that is not theirs yet. */
const ofCode = ({ user, session }: Standing): { userId: string; uid: string } | undefined =>
  user.hasPassword || user.registration ? undefined : { userId: user.id, uid: `account:${session.jti}` }

/**
 * Second factors and passkeys of who is signed in: they come and go with a recent sign-in only, and with each change the
 * browser session gets another id, so that what was offered for the one before is worth nothing.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { spendChallenge } from '../authentication/challenges.ts'
import { checkAttestation, creationOptions, hasPasskeys } from '../authentication/passkey.ts'
import { NAME_MAX, readName, usualName } from '../authentication/passkey-names.ts'
import { written } from '../authentication/recovery-code.ts'
import { confirmedStep, keyUri, offeredSecret, readCode } from '../authentication/totp.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { addFactor, callPasskey, removeFactor, renewRecoveryCodes } from '../resources/factors/changes.ts'
import { countRecoveryCodes, findTotp, listPasskeys } from '../resources/factors/queries.ts'
import { lockUser, type User } from '../resources/users/queries.ts'
import { fillPlain } from '../ui/html.ts'
import { ownTexts } from '../ui/i18n/self-service/texts.ts'
import { textsOf } from '../ui/i18n/texts.ts'
import { recoveryCodesPage } from '../ui/pages/enrol.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { securityPage } from '../ui/pages/self-service/security.ts'
import { qrCode } from '../ui/qr.ts'
import { demandPerson, doneOf, meanwhile, OWN, type OwnParts, type Standing, sendPage } from './signed-in.ts'
import { nameOf, unlinkProvider } from './unlink.ts'

const RECENT = { recent: true } as const
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What a form of the page could not do. */
const REFUSED = ['onlyWayIn', 'linkTaken', 'linkedAlready', 'linkLost'] as const

type Fields = { code?: unknown; passkey?: unknown; name?: unknown; factor?: unknown; provider?: unknown }
const fieldsOf = ({ body }: FastifyRequest): Fields => (body ?? {}) as Fields

export const securityRoutes: FastifyPluginAsyncTypebox<OwnParts> = async (app, parts) => {
  const { db, seal, config } = parts

  app.get('/account/security', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    return there ? show(request, reply, there) : reply
  })

  app.post('/account/security/app', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const words = textsOf(there.locale)
    const code = readCode(fieldsOf(request).code)
    if (!code) return show(request, reply.code(400), there, { code: words.codeMissing })
    const secret = await offeredSecret(seal, there.user.id, there.session.jti)
    const step = await confirmedStep(db, secret, code)
    if (step === undefined) return show(request, reply.code(401), there, { code: words.codeWrong })
    return add(request, reply, there, 'totp', async () => ({ kind: 'totp', secret, step }))
  })

  app.post('/account/security/passkey', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const { passkey, name } = fieldsOf(request)
    const checked = await checkAttestation({ seal, config }, passkey, there.session.jti)
    if (!checked) return show(request, reply.code(400), there, { form: textsOf(there.locale).passkeyNotMade })
    return add(request, reply, there, 'passkey', async (tx) => {
      if (!(await spendChallenge(tx, seal, checked.challenge, config.TTL_INTERACTION))) throw usedMeanwhile()
      return {
        kind: 'passkey',
        passkey: { ...checked.made, name: readName(name) ?? usualName(request.actor.userAgent) },
      }
    })
  })

  app.post('/account/security/remove', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const { factor } = fieldsOf(request)
    const id = typeof factor === 'string' && UUID.test(factor) ? factor : undefined
    try {
      await change(request, reply, there, [], async (tx, before) => {
        if (factor === 'totp') await removeFactor(tx, seal, there.actor, before, { kind: 'totp' })
        else if (id !== undefined) await removeFactor(tx, seal, there.actor, before, { kind: 'passkey', id })
      })
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'only_way_in')) throw error
      return reply.redirect('/account/security?done=onlyWayIn', 303)
    }
    return reply.redirect('/account/security?done=removed', 303)
  })

  app.post('/account/security/rename', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const { passkey: id, name: given } = fieldsOf(request)
    if (typeof id !== 'string' || !UUID.test(id)) return reply.redirect('/account/security', 303)
    const name = readName(given)
    const words = ownTexts(there.locale)
    if (!name)
      return show(request, reply.code(400), there, {
        [`name-${id.toLowerCase()}`]: fillPlain(words.passkeyNameWrong, { max: String(NAME_MAX) }),
      })
    await inTransaction(db, (tx) => callPasskey(tx, there.actor, there.user.id, id, name))
    return reply.redirect('/account/security?done=saved', 303)
  })

  app.post('/account/security/unlink', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const { provider } = fieldsOf(request)
    if (typeof provider !== 'string' || provider.includes('\0'))
      return reply.redirect('/account/security', 303)
    const outcome = await unlinkProvider(db, seal, there, provider)
    return reply.redirect(`/account/security?done=${outcome}`, 303)
  })

  app.post('/account/security/codes', OWN, async (request, reply) => {
    const there = await demandPerson(parts, request, reply, RECENT)
    if (!there) return reply
    const codes = await change(request, reply, there, [], async (tx, before) =>
      before.mfaEnabled ? renewRecoveryCodes(tx, seal, there.actor, before) : [],
    )
    return sendCodes(reply, there, codes)
  })

  /** Adds a factor, which counts as proven in this browser; with the first one come recovery codes, shown once. */
  async function add(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    method: 'totp' | 'passkey',
    made: (tx: Db) => Promise<Parameters<typeof addFactor>[4]>,
  ): Promise<FastifyReply> {
    const codes = await change(request, reply, there, AMR[method], async (tx, before) =>
      addFactor(tx, seal, there.actor, before, await made(tx)),
    )
    return sendCodes(reply, there, codes)
  }

  function sendCodes(reply: FastifyReply, { locale }: Standing, codes: string[]): FastifyReply {
    if (codes.length === 0) return reply.redirect('/account/security?done=added', 303)
    return sendPage(
      reply,
      recoveryCodesPage({ locale, codes: codes.map(written), next: { href: '/account/security' } }),
    )
  }

  /** A change of the factors with the user held; this browser goes on under another id, with what it proved by it. */
  async function change<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, user }: Standing,
    proven: readonly string[],
    work: (tx: Db, before: User) => Promise<T>,
  ): Promise<T> {
    return inTransaction(db, async (tx) => {
      const before = await lockUser(tx, {}, user.id)
      if (before.disabled || before.mfaEnabled !== user.mfaEnabled) throw usedMeanwhile()
      const done = await work(tx, before)
      const amr = [...new Set([...(session.amr ?? []), ...proven])]
      const kept = { accountId: user.id, amr, loginTs: session.loginTs }
      if (!(await signInBrowser(parts, request, reply, session, kept))) throw meanwhile()
      return done
    })
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    there: Standing,
    errors: Faults = {},
  ): Promise<FastifyReply> {
    const { user, session, locale, csrf } = there
    const [totp, keys, left] = [
      await findTotp(db, user.id),
      await listPasskeys(db, user.id),
      await countRecoveryCodes(db, user.id),
    ]
    const able = hasPasskeys(config)
    const secret = totp ? undefined : await offeredSecret(seal, user.id, session.jti)
    const uri = secret && (await keyUri(secret, new URL(config.BASE_URL).hostname, user.email))
    const offer = secret && uri ? { secret, uri, qr: await qrCode(uri, textsOf(locale).enrolQr) } : undefined
    const passkey = able ? creationOptions(parts, session.jti, user, keys) : undefined
    const refused = REFUSED.find((each) => each === (request.query as { done?: unknown }).done)
    const faults = refused ? { form: ownTexts(locale)[refused] } : errors
    const notice = doneOf(request, there)
    const linked = user.identities.map(({ provider: id, email }) => ({ id, email, name: nameOf(config, id) }))
    const offered = config.social.filter(({ id }) => !linked.some((each) => each.id === id))
    const usual = usualName(request.actor.userAgent)
    const page = {
      locale,
      csrf,
      linked,
      offered,
      usual,
      totp: totp !== undefined,
      keys,
      left,
      offer,
      passkey,
      notice,
      errors: faults,
    }
    return sendPage(reply, securityPage(page))
  }
}

/**
 * Second factors and passkeys of the signed-in user. They require a recent sign-in, and each change gives the
 * browser session a new id, which invalidates the challenges and secrets that were offered before.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { usedMeanwhile } from '../authentication/attempts.ts'
import {
  checkApp,
  checkPasskey,
  enrol,
  offeredApp,
  offeredPasskey,
  provenBy,
  replaceCodes,
} from '../authentication/enrolment.ts'
import { rememberFactor } from '../authentication/known-devices.ts'
import { NAME_MAX, readPasskeyName } from '../authentication/passkey-names.ts'
import { addProof, type Proof } from '../authentication/proofs.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { EVERYTHING } from '../http/authority.ts'
import { keepOnce, takeOnce } from '../http/shown.ts'
import { isUuid } from '../http/uuid.ts'
import { proofOf } from '../oidc/policy/proofs.ts'
import { signInBrowser } from '../oidc/provider/browser-session.ts'
import { changePasskeyName, removeFactor } from '../resources/factors/changes.ts'
import { countRecoveryCodes, findTotp, listPasskeys } from '../resources/factors/queries.ts'
import { findSignedIn } from '../resources/sign-ins/queries.ts'
import { lockUser, type User } from '../resources/users/queries.ts'
import { textsOf } from '../texts/texts.ts'
import { fillPlain } from '../ui/html.ts'
import { codesPage } from '../ui/pages/self-service/codes.ts'
import type { Faults } from '../ui/pages/self-service/frame.ts'
import { securityPage } from '../ui/pages/self-service/security.ts'
import { qrCode } from '../ui/qr.ts'
import {
  changedMeanwhile,
  noticeOf,
  sendPage,
  showAt,
  type Visit,
  visitForm,
  visitPage,
} from './signed-in.ts'
import { offeredTo, providerNameOf, unlinkProvider } from './unlink.ts'

const PAGE = '/account/security'
/** The errors that a redirect to this page displays. */
const REFUSED = ['onlyWayIn', 'linkTaken', 'linkedAlready', 'linkLost'] as const

type Fields = {
  [Name in 'code' | 'passkey' | 'name' | 'factor' | 'provider' | 'added']?: unknown
}
const fieldsOf = ({ request: { body } }: { request: FastifyRequest }): Fields => (body ?? {}) as Fields

export const showSecurity = visitPage(PAGE, (visit) => show(visit), 'recent')

export const submitApp = visitForm(
  `${PAGE}/app`,
  async (visit) => {
    const { parts, user, session } = visit
    const at = { userId: user.id, binding: session.jti }
    return add(visit, await checkApp(parts, fieldsOf(visit).code, at))
  },
  'recent',
)

export const submitNewPasskey = visitForm(
  `${PAGE}/passkey`,
  async (visit) => {
    const { parts, session, request } = visit
    const { passkey, name } = fieldsOf(visit)
    const at = { binding: session.jti, userAgent: request.actor.userAgent }
    return add(visit, await checkPasskey(parts, { passkey, name }, at))
  },
  'recent',
)

export const submitRemoveFactor = visitForm(
  `${PAGE}/remove`,
  async (visit) => {
    const { parts, actor, reply } = visit
    const { seal } = parts
    const { factor } = fieldsOf(visit)
    const id = isUuid(factor) ? factor : undefined
    try {
      await change(visit, undefined, async (tx, before) => {
        if (factor === 'totp') await removeFactor(tx, seal, actor, before, { kind: 'totp' })
        else if (id !== undefined) await removeFactor(tx, seal, actor, before, { kind: 'passkey', id })
      })
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'only_way_in')) throw error
      return reply.redirect(`${PAGE}?done=onlyWayIn`, 303)
    }
    return reply.redirect(`${PAGE}?done=removed`, 303)
  },
  'recent',
)

export const submitRenamePasskey = visitForm(
  `${PAGE}/rename`,
  async (visit) => {
    const { parts, user, actor, locale, reply } = visit
    const { passkey: id, name: given, added } = fieldsOf(visit)
    if (!isUuid(id)) return reply.redirect(PAGE, 303)
    const name = readPasskeyName(given)
    if (!name) {
      const sentence = fillPlain(textsOf(locale, 'profile').passkeyNameWrong, { max: String(NAME_MAX) })
      return show(visit, 400, { [`name-${id.toLowerCase()}`]: sentence })
    }
    await inTransaction(parts.db, (tx) =>
      changePasskeyName(tx, actor, { userId: user.id, scope: null }, { id, name }),
    )
    return reply.redirect(`${PAGE}?done=${added === undefined ? 'saved' : 'added'}`, 303)
  },
  'recent',
)

export const submitUnlink = visitForm(
  `${PAGE}/unlink`,
  async (visit) => {
    const { parts, reply } = visit
    const { provider } = fieldsOf(visit)
    if (typeof provider !== 'string' || provider.includes('\0')) return reply.redirect(PAGE, 303)
    const outcome = await unlinkProvider(parts, visit, provider)
    return reply.redirect(`${PAGE}?done=${outcome}`, 303)
  },
  'recent',
)

export const submitRecoveryCodes = visitForm(
  `${PAGE}/codes`,
  async (visit) => {
    const { parts, actor } = visit
    const codes = await change(visit, undefined, async (tx, before) =>
      before.mfaEnabled ? replaceCodes(tx, parts.seal, actor, before) : [],
    )
    return sendCodes(visit, codes)
  },
  'recent',
)

/**
 * Adds a factor, which counts as verified in this browser. The first one comes with
 * recovery codes, shown only once.
 */
async function add(visit: Visit, checked: Awaited<ReturnType<typeof checkApp>>): Promise<FastifyReply> {
  const { parts, user, readAt, actor, locale } = visit
  if ('errors' in checked) {
    const texts = textsOf(locale)
    const { code, form } = checked.errors
    return show(visit, checked.status, { code: code && texts[code], form: form && texts[form] })
  }
  const verified = proofOf({ id: user.id, readAt }, provenBy(checked, null))
  const { codes, passkey } = await change(visit, verified, (tx, before) =>
    enrol(tx, parts.seal, actor, before, checked),
  )
  rememberFactor(parts, visit.request, visit.reply, await findSignedIn(parts.db, user.id, null), null)
  return sendCodes(visit, codes, passkey)
}

type Added = { codes: string[]; passkey: { id: string; name: string } | undefined }

const CODES = `${PAGE}/codes`
const codesAt = ({ session }: Visit) => ({ path: CODES, page: `${session.uid} ${CODES}` })

function sendCodes(visit: Visit, codes: string[], passkey?: Added['passkey']): FastifyReply {
  const { parts, reply } = visit
  if (codes.length === 0 && !passkey) return reply.redirect(`${PAGE}?done=added`, 303)
  const shown: Added = { codes, passkey }
  keepOnce(parts, reply, { ...codesAt(visit), shown })
  return reply.redirect(CODES, 303)
}

/** Shown once. */
export const showCodes = visitPage(
  CODES,
  (visit) => {
    const { parts, request, reply, reader, csrf } = visit
    const added = takeOnce<Added>(parts, request, reply, codesAt(visit))
    if (!added) return reply.redirect(PAGE, 303)
    return sendPage(visit, codesPage({ ...reader, csrf, ...added }))
  },
  'recent',
)

/**
 * Changes factors with the user locked, and gives the browser session a new id. `verified`: what the user has
 * verified by that.
 */
async function change<T>(
  { parts, request, reply, session, user }: Visit,
  verified: Proof | undefined,
  work: (tx: Db, before: User) => Promise<T>,
): Promise<T> {
  return inTransaction(parts.db, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, user.id)
    if (before.disabled || before.mfaEnabled !== user.mfaEnabled) throw usedMeanwhile()
    const done = await work(tx, before)
    const proofs = session.proofs ?? []
    const kept = { userId: user.id, proofs: verified ? addProof(proofs, verified) : proofs }
    if (!(await signInBrowser(parts, request, reply, session, kept))) throw changedMeanwhile()
    return done
  })
}

const show = (visit: Visit, status = 200, errors: Faults = {}) =>
  showAt(visit, PAGE, { status, errors }, (state) => draw(visit, state))

async function draw(
  visit: Visit,
  { status, errors }: { status: number; errors: Faults },
): Promise<FastifyReply> {
  const { parts, request, user, session, locale, csrf, reader } = visit
  const { db, config } = parts
  const [totp, keys, left] = await Promise.all([
    findTotp(db, user.id, null),
    listPasskeys(db, user.id, null),
    countRecoveryCodes(db, user.id, null),
  ])
  const issuer = new URL(config.BASE_URL).hostname
  const app = totp ? undefined : await offeredApp(parts, user, { binding: session.jti, issuer })
  const refused = REFUSED.find((each) => each === (request.query as { done?: unknown }).done)
  const linked = user.identities.map((each) => ({
    id: each.provider,
    email: each.email,
    name: providerNameOf(config, each),
  }))
  const html = securityPage({
    ...reader,
    csrf,
    hasPassword: user.hasPassword,
    linked,
    offered: offeredTo(config, user),
    totp: totp !== undefined,
    keys,
    left,
    offer: app && { ...app, qr: await qrCode(app.uri, textsOf(locale).enrolQr) },
    passkey: await offeredPasskey(
      parts,
      user,
      { binding: session.jti, scope: null, systemName: issuer },
      keys,
    ),
    notice: noticeOf(visit),
    errors: refused ? { form: textsOf(locale, 'profile')[refused] } : errors,
  })
  return sendPage(visit, html, status)
}

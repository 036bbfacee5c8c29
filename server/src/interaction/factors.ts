/** The steps of an emailed code and of a second factor, which a user who has none enrolls. */

import type { FastifyReply } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import { AMR } from '../authentication/assurance.ts'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { checkEmailCode, sendEmailCode } from '../authentication/email-code.ts'
import {
  checkFactor,
  checkPasskey,
  type Enrolled,
  type Enrollment,
  enrol,
  provenBy,
} from '../authentication/enrolment.ts'
import { knownForFactor, noteDevice, rememberFactor } from '../authentication/known-devices.ts'
import { readPasskeyName } from '../authentication/passkey-names.ts'
import { checkSecondFactor, isGiven, readFactor, takeFactor } from '../authentication/second-factor.ts'
import { readCode } from '../authentication/totp.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { type Actor, EVERYTHING, type Scope } from '../http/authority.ts'
import { csrfToken, wantsJson } from '../http/forms-and-cookies.ts'
import { languageOf } from '../http/language.ts'
import { keepOnce, takeOnce } from '../http/shown.ts'
import { record } from '../journal/audit/record.ts'
import {
  completeStep,
  placeOf,
  redirectToStep,
  type SignInStep,
  signedInUser,
  submitResult,
  systemOf,
} from '../oidc/interaction.ts'
import type { CodeDetails, FactorDetails } from '../oidc/policy/factor-details.ts'
import type { OfferDetails } from '../oidc/policy/passkey-offer.ts'
import { type ProofResults, proofOf } from '../oidc/policy/proofs.ts'
import { consumeCode } from '../resources/credentials/codes.ts'
import { changePasskeyName } from '../resources/factors/changes.ts'
import { findFactors } from '../resources/factors/queries.ts'
import { declinePasskey } from '../resources/sign-ins/passkey-offer.ts'
import { type EnabledUser, findSignedIn } from '../resources/sign-ins/queries.ts'
import { clientOf } from '../resources/systems/queries.ts'
import { lockUser } from '../resources/users/queries.ts'
import { rejectedState } from '../ui/forms.ts'
import { pagePolicy } from '../ui/layout.ts'
import { lookOf } from '../ui/look.ts'
import { factorAddedPage } from '../ui/pages/enrol.ts'
import { FACTOR_MISSING, FACTOR_WRONG } from '../ui/pages/second-factor.ts'
import { anyForm, sendStep, stepForm, stepPage } from './step.ts'

type Verified = { result: InteractionResults; work?: (tx: Db) => Promise<void> }

/** Verifies a code that was emailed to the signed-in user. `then`: what it completes. */
export async function submitCode(
  step: SignInStep,
  then: (user: EnabledUser, actor: Actor & { id: string }) => Verified,
): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const fields = (request.body ?? {}) as { code?: unknown; resend?: unknown }
  if (isGiven(fields.resend)) return resend(step)
  const { user, actor } = await signedInUser(step)
  const code = readCode(fields.code)
  if (!code) return sendStep(step, { status: 400, errors: { code: 'codeMissing' } })
  const systemId = (await systemOf(step))?.id ?? null
  const { countedFor } = interaction.prompt.details as CodeDetails
  const signIn = { userId: user.id, uid: interaction.uid, systemId, countedFor }
  const checked = await checkEmailCode(parts, request, signIn, code)
  if ('rejected' in checked) return sendStep(step, rejectedState(request, checked, { code: 'codeWrong' }))
  const { result, work } = then(user, { ...actor, id: user.id })
  return completeStep(step, result, async (tx) => {
    await work?.(tx) // first: it locks the user, as every change of one does
    if (!(await consumeCode(tx, checked.verified))) throw usedMeanwhile()
    await record(tx, actor, { action: 'user.mailed_code', target: { type: 'user', id: user.id }, systemId })
  })
}

export const submitEmailCode = stepForm('/email-otp', 'email_otp', (step) =>
  submitCode(step, (user) => {
    const proof = proofOf(user, { method: 'mailedCode', credential: null, scope: null })
    return { result: { email_otp: { proof } } satisfies ProofResults }
  }),
)

async function resend(step: SignInStep): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const { user, actor } = await signedInUser(step)
  const system = await systemOf(step)
  const { countedFor } = interaction.prompt.details as CodeDetails
  const counted = countedFor === undefined ? {} : { countedFor }
  const sending = { uid: interaction.uid, systemId: system?.id ?? null, system, ...counted }
  const wait = await inTransaction(parts.db, (tx) => sendEmailCode(tx, parts.seal, actor, user, sending))
  if (wait === 0) return sendStep(step, { notice: 'mailedCodeSent' })
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter: wait })
  return sendStep(step, { status: 429, errors: { form: 'mailedCodeWait' }, retryAfter: wait })
}

export const submitSecondFactor = stepForm('/second-factor', 'second_factor', async (step) => {
  const { parts, request, reply, interaction } = step
  const { user, actor } = await signedInUser(step)
  if (!user.hasFactor) return redirectToStep(step)
  const factor = readFactor((request.body ?? {}) as Record<string, unknown>)
  if ('malformed' in factor) {
    const { malformed } = factor
    return sendStep(step, { status: 400, errors: { [malformed]: FACTOR_MISSING[malformed] } })
  }
  const system = await systemOf(step)
  const place = placeOf(system)
  const signedIn = await findSignedIn(parts.db, user.id, place.scope)
  const { isOwnLogin, countedFor } = interaction.prompt.details as FactorDetails
  const known = countedFor === undefined ? knownForFactor(parts, request, signedIn) : undefined
  const { id: userId, hasOwnFactor } = user
  const attempt = { ...place, userId, hasOwnFactor, known, countedFor, binding: interaction.uid, factor }
  const checked = await checkSecondFactor(parts, request, attempt)
  if ('rejected' in checked)
    return sendStep(step, rejectedState(request, checked, FACTOR_WRONG[factor.method]))
  const { method, proof: verified } = checked.verified
  const proof = proofOf(user, { method, ...verified })
  const result = { second_factor: { proof } } satisfies ProofResults
  return completeStep(step, result, async (tx) => {
    const locked = await lockUser(tx, EVERYTHING, user.id) // first, as in every change of a user: no deadlock
    const isTaken =
      !locked.disabled &&
      (await takeFactor(tx, parts.seal, actor, locked, { ...place, system }, checked.verified))
    if (!isTaken) throw usedMeanwhile()
    const login = { scope: isOwnLogin ? null : place.scope }
    const signIn = { system, login, amr: AMR[method], factor: verified }
    // A login by a connection makes no browser known, and none is announced.
    if (countedFor === undefined)
      await (signedIn && noteDevice(parts, request, reply, signedIn, signIn))?.(tx)
  })
})

const verifiedEntry = (id: string, systemId: string | null, method: string) => ({
  action: 'user.second_factor',
  target: { type: 'user', id },
  systemId,
  changes: { method: [null, method] as [unknown, unknown] },
})

/** Enrolls the first factor of a user; the answer contains its recovery codes, which are shown only once. */
export const submitEnrollment = stepForm('/enrol', 'second_factor', async (step) => {
  const { user, actor } = await signedInUser(step)
  const { enrolls } = step.interaction.prompt.details as FactorDetails
  if (user.hasFactor || !enrolls) return redirectToStep(step)
  const checked = await checkFactor(step.parts, sentIn(step), placeIn(step, user))
  if ('errors' in checked) return sendStep(step, checked)
  return addFactorIn(step, { user, actor, hadFactor: false }, checked, enrolls.scope)
})

const sentIn = ({ request }: SignInStep) => (request.body ?? {}) as Record<string, unknown>

const placeIn = ({ request, interaction }: SignInStep, { id: userId }: EnabledUser) => ({
  userId,
  binding: interaction.uid,
  userAgent: request.actor.userAgent,
})

/** Answers the offer of a passkey at the end of a sign-in: the user creates one, or is not asked for long. */
export const submitPasskeyOffer = stepForm('/passkey-offer', 'passkey_offer', async (step) => {
  const { user, actor } = await signedInUser(step)
  const { passkey, name, decision } = sentIn(step)
  if (decision === 'later')
    return completeStep(step, { passkey_offer: {} } satisfies ProofResults, async (tx) => {
      await declinePasskey(tx, user.id)
    })
  const checked = await checkPasskey(step.parts, { passkey, name }, placeIn(step, user))
  if ('errors' in checked) return sendStep(step, { status: checked.status, errors: { form: 'offerFault' } })
  const { hasFactor: hadFactor } = step.interaction.prompt.details as OfferDetails
  return addFactorIn(step, { user, actor, hadFactor }, checked, null)
})

type Enrolling = { user: EnabledUser; actor: Actor; hadFactor: boolean }

/**
 * Adds a factor, which counts as verified in this sign-in. `hadFactor`: the user has another one, which they
 * have verified before. A first factor that was added meanwhile elsewhere has not been.
 */
async function addFactorIn(
  step: SignInStep,
  { user, actor, hadFactor }: Enrolling,
  checked: Enrollment,
  scope: Scope,
): Promise<FastifyReply> {
  const { parts } = step
  const system = await systemOf(step)
  const { systemId, scope: validHere } = placeOf(system)
  let enrolled: Enrolled | undefined
  const proof = proofOf(user, provenBy(checked, scope))
  const result = { second_factor: { proof }, passkey_offer: {} } satisfies ProofResults
  const location = await submitResult(step, result, async (tx) => {
    const before = await lockUser(tx, EVERYTHING, user.id)
    const { valid } = await findFactors(tx, user.id, validHere, scope)
    if (before.disabled || (valid && !hadFactor)) throw usedMeanwhile()
    enrolled = await enrol(tx, parts.seal, actor, before, checked, { scope, systemId, system })
    await record(tx, actor, verifiedEntry(user.id, systemId, checked.method))
  })
  rememberFactor(parts, step.request, step.reply, await findSignedIn(parts.db, user.id, validHere), scope)
  return sendAdded(step, location, {
    recoveryCodes: enrolled?.codes ?? [],
    passkey: enrolled?.passkey?.name,
  })
}

type Added = { recoveryCodes: string[]; passkey: string | undefined }

const addedAt = ({ interaction: { uid } }: SignInStep) => ({
  path: `/interaction/${uid}/enrolled`,
  page: uid,
})

/**
 * The first factor is enrolled: its recovery codes, and where the sign-in continues. `passkey`: the default
 * name of a new passkey, which its user can change.
 */
function sendAdded(step: SignInStep, location: string, added: Added): FastifyReply {
  const { parts, request, reply } = step
  if (wantsJson(request)) return reply.send({ location, recoveryCodes: added.recoveryCodes })
  keepOnce(parts, reply, { ...addedAt(step), shown: added })
  return reply.redirect(addedAt(step).path, 303)
}

/** Shown once; a browser that comes back continues the sign-in. */
export const showAdded = stepPage('/enrolled', async (step) => {
  const { parts, request, reply, interaction } = step
  const { uid, params, returnTo, result } = interaction
  const added = takeOnce<Added>(parts, request, reply, addedAt(step))
  if (!added)
    return (result as ProofResults | undefined)?.second_factor
      ? reply.redirect(returnTo, 303)
      : redirectToStep(step)
  const locale = languageOf(request, params.ui_locales)
  const system = lookOf(parts.config, await clientOf(parts.db, params.client_id))
  const action = `/interaction/${uid}/passkey-name`
  const csrf = csrfToken(parts.seal, uid)
  const passkey = added.passkey === undefined ? undefined : { action, csrf, name: added.passkey }
  const codes = added.recoveryCodes
  const html = factorAddedPage({ locale, system, codes, next: { href: returnTo }, passkey })
  const csp = pagePolicy({ logoUrl: system.logoUrl, forms: 'away', page: html })
  return reply.header('content-security-policy', csp).type('text/html').send(html)
})

/** Names the passkey that this step has enrolled, and continues. An invalid name changes nothing. */
export const submitPasskeyName = anyForm('/passkey-name', async (step) => {
  const { parts, request, reply, interaction } = step
  const { proof } = (interaction.result as ProofResults | undefined)?.second_factor ?? {}
  if (proof?.method !== 'passkey' || proof.credential === null) return redirectToStep(step)
  const { credential: id, scope } = proof
  const name = readPasskeyName((request.body as { name?: unknown } | null)?.name)
  const { user, actor } = await signedInUser(step)
  if (name !== undefined)
    await inTransaction(parts.db, (tx) =>
      changePasskeyName(tx, actor, { userId: user.id, scope }, { id, name }),
    )
  const location = interaction.returnTo
  return wantsJson(request) ? reply.send({ location }) : reply.redirect(location, 303)
})

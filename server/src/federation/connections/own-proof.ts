/**
 * What the user shows in a sign-in by a connection, beside the answer of the provider: by an emailed code
 * that the stated address is theirs, and a second factor of their own. Attempts are counted for the
 * organization: its provider uses up none of the user elsewhere. Until all is shown, nothing is linked.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { usedMeanwhile } from '../../authentication/attempts.ts'
import { checkEmailCode, secondsToNextCode, sendEmailCode } from '../../authentication/email-code.ts'
import { withMailLimit } from '../../authentication/registration.ts'
import { checkSecondFactor, isGiven, readFactor } from '../../authentication/second-factor.ts'
import { readCode } from '../../authentication/totp.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure } from '../../errors.ts'
import { wantsJson } from '../../http/forms-and-cookies.ts'
import { reserveEmail } from '../../jobs/email/budget.ts'
import { placeOf, type SignInStep, submittedStep } from '../../oidc/interaction.ts'
import { proofOf } from '../../oidc/policy/proofs.ts'
import { consumeCode } from '../../resources/credentials/codes.ts'
import { type EnabledUser, findEnabledUser } from '../../resources/sign-ins/queries.ts'
import { lockUserOf, type Waits } from '../../resources/users/queries.ts'
import { type PageState, rejectedState } from '../../ui/forms.ts'
import { FACTOR_MISSING, FACTOR_WRONG } from '../../ui/pages/second-factor.ts'
import { meantBy, type Returned, returnedTo, type SignInParts, signIn } from './sign-in.ts'

type Shown = { step: SignInStep; returned: Returned; user: EnabledUser; isByCode: boolean }

/**
 * The submitted form, with the user whom the answer would sign in. Undefined if the reply redirects: the
 * browser has another user who has not been asked, or the form is of another step.
 */
async function submittedProof(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Shown | undefined> {
  const step = await submittedStep(parts, request, reply)
  if (!step) return undefined
  const returned = await returnedTo(step)
  const { meant, current } = returned ? await meantBy(step, returned) : {}
  const user = returned && meant && (await findEnabledUser(parts.db, meant.userId, returned.system.id))
  if (returned && meant && user && !current) return { step, returned, user, isByCode: meant.isByCode }
  const location = `/interaction/${step.interaction.uid}${returned ? '/connection' : ''}`
  void (wantsJson(request) ? reply.code(409).send({ location }) : reply.redirect(location, 303))
  return undefined
}

/** Verifies the code that was sent to the stated address, or sends one. */
export async function submitLinkCode(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const shown = await submittedProof(parts, request, reply)
  if (!shown) return reply
  const { step, returned, user, isByCode } = shown
  const { code: typed, resend } = (request.body ?? {}) as { code?: unknown; resend?: unknown }
  if (!isByCode) return signIn(step, returned)
  if (isGiven(resend)) return signIn(step, returned, { state: await sendCode(shown) })
  const code = readCode(typed)
  if (!code) return signIn(step, returned, { state: { status: 400, errors: { code: 'codeMissing' } } })
  const { systemId, accountId } = returned.connection
  const place = { uid: step.interaction.uid, systemId, address: user.email, countedFor: accountId }
  const checked = await checkEmailCode(parts, request, { userId: user.id, ...place }, code)
  if ('rejected' in checked)
    return signIn(step, returned, { state: rejectedState(request, checked, { code: 'codeWrong' }) })
  if (!(await consumeCode(parts.db, checked.verified))) throw usedMeanwhile()
  return signIn(step, { ...returned, arrived: { ...returned.arrived, mailbox: user.id } })
}

/** Sends a code to the address. Returns what the page says. */
async function sendCode({ step, returned, user }: Shown): Promise<PageState> {
  const { parts, request, interaction } = step
  const { system, connection } = returned
  const { systemId, accountId } = connection
  const cause = { systemId, countedFor: accountId }
  let wait = 0
  const send = async (tx: Db, waits: Waits) => {
    const locked = await lockUserOf(tx, user.email, waits)
    if (locked?.id !== user.id) return
    wait = await secondsToNextCode(tx, parts.seal, { userId: user.id, ...cause })
    if (wait === 0) wait = await reserveEmail(tx, parts.seal, user.email, { accountId })
    if (wait > 0) return
    wait = await sendEmailCode(tx, parts.seal, request.actor, user, {
      uid: interaction.uid,
      system,
      ...cause,
    })
  }
  try {
    await withMailLimit(parts, request, (waits) => inTransaction(parts.db, (tx) => send(tx, waits)))
  } catch (error) {
    const isLimit = error instanceof Failure && error.code === 'too_many_requests'
    if (!isLimit || wantsJson(request)) throw error
    return { status: 429, errors: { form: 'tooManyAttempts' }, retryAfter: error.retryAfter }
  }
  if (wait === 0) return { notice: 'mailedCodeSent' }
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter: wait })
  return { status: 429, errors: { form: 'mailedCodeWait' }, retryAfter: wait }
}

/** Verifies a second factor of the user. It is used when the sign-in is completed. */
export async function submitOwnFactor(
  parts: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const shown = await submittedProof(parts, request, reply)
  if (!shown) return reply
  const { step, returned, user } = shown
  if (!user.hasFactor) return signIn(step, returned)
  const factor = readFactor((request.body ?? {}) as Record<string, unknown>)
  if ('malformed' in factor) {
    const errors = { [factor.malformed]: FACTOR_MISSING[factor.malformed] }
    return signIn(step, returned, { state: { status: 400, errors } })
  }
  const { id: userId, hasOwnFactor } = user
  const countedFor = returned.connection.accountId
  const counted = { userId, hasOwnFactor, known: undefined, countedFor }
  const attempt = { ...placeOf(returned.system), ...counted, binding: step.interaction.uid, factor }
  const checked = await checkSecondFactor(parts, request, attempt)
  if ('rejected' in checked) {
    const state = rejectedState(request, checked, FACTOR_WRONG[factor.method])
    return signIn(step, returned, { state })
  }
  const { verified } = checked
  const proof = proofOf(user, { method: verified.method, ...verified.proof })
  return signIn(step, returned, { factor: { userId, verified, proof } })
}

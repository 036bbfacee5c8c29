/** The step of an emailed code. */
import type { FastifyReply } from 'fastify'
import { usedMeanwhile } from '../authentication/attempts.ts'
import { checkEmailCode, sendEmailCode } from '../authentication/email-code.ts'
import { isGiven } from '../authentication/second-factor.ts'
import { readCode } from '../authentication/totp.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms-and-cookies.ts'
import { completeStep, type Step, systemOf } from '../oidc/interaction.ts'
import type { FactorResults } from '../oidc/policy/prompts.ts'
import { record } from '../resources/audit/record.ts'
import { consumeCode } from '../resources/credentials/codes.ts'
import { rejectedState } from '../ui/rejected-credential.ts'
import { sendStep } from './send-step.ts'
import { signedInUser } from './signed-in-user.ts'
import { form } from './step-route.ts'

export const submitEmailCode = form('/email-otp', 'email_otp', async (step) => {
  const { parts, request, interaction } = step
  const fields = (request.body ?? {}) as { code?: unknown; resend?: unknown }
  if (isGiven(fields.resend)) return resend(step)
  const { user, actor } = await signedInUser(step)
  const code = readCode(fields.code)
  if (!code) return sendStep(step, { status: 400, errors: { code: 'codeMissing' } })
  const systemId = (await systemOf(step))?.id ?? null
  const signIn = { userId: user.id, uid: interaction.uid, systemId }
  const checked = await checkEmailCode(parts, request, signIn, code)
  if ('rejected' in checked) return sendStep(step, rejectedState(request, checked, { code: 'codeWrong' }))
  const ts = Math.floor(Date.now() / 1_000)
  const result = { email_otp: { accountId: user.id, ts } } satisfies FactorResults
  return completeStep(step, result, async (tx) => {
    if (!(await consumeCode(tx, checked.verified))) throw usedMeanwhile()
    await record(tx, actor, { action: 'user.mailed_code', target: { type: 'user', id: user.id }, systemId })
  })
})

async function resend(step: Step): Promise<FastifyReply> {
  const { parts, request, interaction } = step
  const { user, actor } = await signedInUser(step)
  const system = await systemOf(step)
  const sending = { uid: interaction.uid, systemId: system?.id ?? null, system }
  const wait = await inTransaction(parts.db, (tx) => sendEmailCode(tx, parts.seal, actor, user, sending))
  if (wait === 0) return sendStep(step, { notice: 'mailedCodeSent' })
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter: wait })
  return sendStep(step, { status: 429, errors: { form: 'mailedCodeWait' }, retryAfter: wait })
}

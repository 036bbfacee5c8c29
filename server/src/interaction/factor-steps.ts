/** The steps of codes and second factors: /interaction/:uid/passkey, /email-otp, /second-factor and /enrol. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AMR } from '../authentication/assurance.ts'
import { judge, usedMeanwhile } from '../authentication/attempts.ts'
import { spendChallenge } from '../authentication/challenges.ts'
import { checkMailedCode, mailCode } from '../authentication/email-code.ts'
import { welcome } from '../authentication/new-device.ts'
import { checkAssertion, checkAttestation, keepUse } from '../authentication/passkey.ts'
import { readName, usualName } from '../authentication/passkey-names.ts'
import { attemptPasskey } from '../authentication/password.ts'
import { written } from '../authentication/recovery-code.ts'
import { checkProof, isGiven } from '../authentication/second-factor.ts'
import { confirmedStep, offeredSecret, readCode } from '../authentication/totp.ts'
import type { Db } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { wantsJson } from '../http/forms.ts'
import { sendMail } from '../jobs/email/enqueue.ts'
import { recoveryCodeUsed } from '../jobs/email/messages.ts'
import type { FactorResults } from '../oidc/policy/factors.ts'
import { type EnabledUser, findEnabledUser } from '../oidc/storage/queries.ts'
import { record } from '../resources/audit/record.ts'
import { consumeCode } from '../resources/credentials/codes.ts'
import { addFactor } from '../resources/factors/changes.ts'
import { countRecoveryCodes, hasFactor } from '../resources/factors/queries.ts'
import { clientOf } from '../resources/systems/clients.ts'
import { lockUser } from '../resources/users/queries.ts'
import type { Brand } from '../ui/brand.ts'
import { touchEnabled } from './queries.ts'
import { type Details, type Screen, sendRecoveryCodes, sendScreen } from './screens.ts'
import { back, finish, type InteractionParts, ownedBy, STEP, settle, systemOf } from './steps.ts'

type Fields = { code?: unknown; resend?: unknown; recoveryCode?: unknown; passkey?: unknown; name?: unknown }
type Standing = {
  details: Details
  user: EnabledUser
  systemId: string | null
  system: Brand | undefined
  fields: Fields
}

const entry = (action: string, { user, systemId }: Standing) => ({
  action,
  target: { type: 'user', id: user.id },
  systemId,
})
const actorOf = (request: FastifyRequest, { id }: { id: string }) => ({
  ...request.actor,
  type: 'user' as const,
  id,
})

export const factorSteps: FastifyPluginAsyncTypebox<InteractionParts> = async (app, parts) => {
  /** The sign-in and its person, when it stands at this step. */
  async function standingAt(
    step: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Standing | Details> {
    const details = await ownedBy(parts, request, reply)
    if (details.prompt.name !== step) return details
    const user = await findEnabledUser(parts.db, details.session?.accountId ?? '')
    if (!user) throw new Failure('interaction_not_found')
    const system = await clientOf(parts.db, details.params.client_id)
    const fields = (request.body ?? {}) as Fields
    return { details, user, systemId: system?.id ?? null, system, fields }
  }

  app.post('/interaction/:uid/passkey', STEP, async (request, reply) => {
    const details = await ownedBy(parts, request, reply)
    if (details.prompt.name !== 'login') return back(request, reply, details)
    const systemId = await systemOf(parts, details)
    const proven = await attemptPasskey(parts, request.ip, async () => {
      const checked = await checkAssertion(parts, (request.body as Fields | undefined)?.passkey, details.uid)
      const user = checked && (await findEnabledUser(parts.db, checked.passkey.userId))
      return user && { checked, user }
    })
    if (!proven) {
      await record(parts.db, request.actor, { action: 'user.login', outcome: 'failure', systemId })
      return sendScreen(parts, request, reply, details, { status: 401, errors: { form: 'passkeyWrong' } })
    }
    const { checked, user } = proven
    const login = { accountId: user.id, amr: [...AMR.passkey], remember: true }
    return finish(parts, request, reply, { login }, async (tx) => {
      await welcome(tx, parts, request, reply, { userId: user.id, systemId, amr: AMR.passkey })
      if (
        !(await touchEnabled(tx, user.id)) ||
        !(await keepUse(tx, parts.seal, checked, parts.config.TTL_INTERACTION))
      )
        throw usedMeanwhile()
      const changes = { method: [null, 'passkey'] as [unknown, unknown] }
      await record(tx, actorOf(request, user), {
        action: 'user.login',
        target: { type: 'user', id: user.id },
        systemId,
        changes,
      })
    })
  })

  app.post('/interaction/:uid/email-otp', STEP, async (request, reply) => {
    const standing = await standingAt('email_otp', request, reply)
    if (!('user' in standing)) return back(request, reply, standing)
    const { details, user, fields } = standing
    if (isGiven(fields.resend))
      return sendScreen(parts, request, reply, details, await sendAnother(parts, request, standing))
    const typed = await checkTyped(parts, request, standing)
    if ('screen' in typed) return sendScreen(parts, request, reply, details, typed.screen)
    return finish(
      parts,
      request,
      reply,
      { email_otp: { accountId: user.id } } satisfies FactorResults,
      async (tx) => {
        if (!(await consumeCode(tx, typed.id))) throw usedMeanwhile()
        await record(tx, actorOf(request, user), entry('user.mailed_code', standing))
      },
    )
  })

  app.post('/interaction/:uid/second-factor', STEP, async (request, reply) => {
    const standing = await standingAt('second_factor', request, reply)
    if (!('user' in standing)) return back(request, reply, standing)
    const { details, user } = standing
    if (!user.hasFactor) return back(request, reply, details)
    const proof = await checkProof(parts, request, { ...standing, userId: user.id, binding: details.uid })
    if ('screen' in proof) return sendScreen(parts, request, reply, details, proof.screen)
    const { method, use } = proof
    return finish(
      parts,
      request,
      reply,
      { second_factor: { accountId: user.id, method } } satisfies FactorResults,
      async (tx) => {
        const person = await lockUser(tx, {}, user.id) // first, as everybody who changes one does
        if (person.disabled || !(await use(tx))) throw usedMeanwhile()
        await welcome(tx, parts, request, reply, {
          userId: user.id,
          systemId: standing.systemId,
          amr: AMR[method],
        })
        const changes = { method: [null, method] as [unknown, unknown] }
        await record(tx, actorOf(request, user), { ...entry('user.second_factor', standing), changes })
        if (method !== 'recoveryCode') return
        const left = await countRecoveryCodes(tx, user.id)
        await sendMail(tx, parts.seal, recoveryCodeUsed(person, standing.system, left))
      },
    )
  })

  app.post('/interaction/:uid/enrol', STEP, async (request, reply) => {
    const standing = await standingAt('second_factor', request, reply)
    if (!('user' in standing)) return back(request, reply, standing)
    const { details, user } = standing
    if (user.hasFactor) return back(request, reply, details)
    const made = await checkEnrolment(parts, request, standing)
    if ('screen' in made) return sendScreen(parts, request, reply, details, made.screen)
    const { method, add } = made
    let codes: string[] = []
    const result = { second_factor: { accountId: user.id, method } } satisfies FactorResults
    const location = await settle(parts, request, reply, result, async (tx) => {
      const before = await lockUser(tx, {}, user.id)
      if (before.disabled || (await hasFactor(tx, user.id))) throw usedMeanwhile()
      codes = await addFactor(tx, parts.seal, actorOf(request, user), before, await add(tx), standing)
      const changes = { method: [null, method] as [unknown, unknown] }
      await record(tx, actorOf(request, user), { ...entry('user.second_factor', standing), changes })
    })
    return sendRecoveryCodes(parts, request, reply, details, { location, recoveryCodes: codes.map(written) })
  })
}

/** Another code by mail, or when there may be one. */
async function sendAnother(
  { db, seal }: InteractionParts,
  request: FastifyRequest,
  standing: Standing,
): Promise<Screen> {
  const { details, user, systemId, system } = standing
  const sending = { uid: details.uid, systemId, system }
  const wait = await inTransaction(db, (tx) => mailCode(tx, seal, actorOf(request, user), user, sending))
  if (wait === 0) return { notice: 'mailedCodeSent' }
  if (wantsJson(request)) throw new Failure('too_many_requests', { retryAfter: wait })
  return { status: 429, errors: { form: 'mailedCodeWait' }, retryAfter: wait }
}

/** The id of the mailed code that was typed, or the screen that says what is wrong with it. */
async function checkTyped(
  { db, seal }: InteractionParts,
  request: FastifyRequest,
  standing: Standing,
): Promise<{ id: string } | { screen: Screen }> {
  const { details, user, fields } = standing
  const code = readCode(fields.code)
  if (!code) return { screen: { status: 400, errors: { code: 'codeMissing' } } }
  let id: string | undefined
  const failure = { ...entry('user.mailed_code', standing), outcome: 'failure' as const }
  const judged = await judge(
    { db, seal },
    request,
    { kind: 'mailed-code', userId: user.id, failure },
    async () => {
      id = await checkMailedCode(db, seal, { userId: user.id, uid: details.uid }, code)
      return id !== undefined
    },
  )
  if (typeof judged === 'object') return { screen: judged }
  return judged && id !== undefined ? { id } : { screen: { status: 401, errors: { code: 'codeWrong' } } }
}

type Made = { method: 'totp' | 'passkey'; add: (tx: Db) => Promise<Parameters<typeof addFactor>[4]> }

/** A first factor, and the work that goes before it is kept; or the screen that says what is wrong. */
async function checkEnrolment(
  { db, seal, config }: InteractionParts,
  { actor: { userAgent } }: FastifyRequest,
  standing: Standing,
): Promise<Made | { screen: Screen }> {
  const { details, user, fields } = standing
  if (isGiven(fields.passkey)) {
    const checked = await checkAttestation({ seal, config }, fields.passkey, details.uid)
    if (!checked) return { screen: { status: 400, errors: { form: 'passkeyNotMade' } } }
    const passkey = { ...checked.made, name: readName(fields.name) ?? usualName(userAgent) }
    const add = async (tx: Db) => {
      if (!(await spendChallenge(tx, seal, checked.challenge, config.TTL_INTERACTION))) throw usedMeanwhile()
      return { kind: 'passkey' as const, passkey }
    }
    return { method: 'passkey', add }
  }
  const code = readCode(fields.code)
  if (!code) return { screen: { status: 400, errors: { code: 'codeMissing' } } }
  const secret = await offeredSecret(seal, user.id, details.uid)
  const step = await confirmedStep(db, secret, code)
  if (step === undefined) return { screen: { status: 401, errors: { code: 'codeWrong' } } }
  return { method: 'totp', add: async () => ({ kind: 'totp', secret, step }) }
}

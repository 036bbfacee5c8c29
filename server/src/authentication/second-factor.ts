/** A second factor that somebody shows: how each kind is checked, and the work that uses it up. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Screen } from '../interaction/screens.ts'
import { hasRecoveryCode, useRecoveryCode, useStep } from '../resources/factors/queries.ts'
import type { FactorMethod } from './assurance.ts'
import { judge } from './attempts.ts'
import { type CheckedPasskey, checkAssertion, keepUse } from './passkey.ts'
import { readRecoveryCode, recoveryHash } from './recovery-code.ts'
import { checkTotp, readCode } from './totp.ts'

type Parts = { db: Db; seal: Seal; config: Config }
/** `binding`: what the challenge of a passkey was made for. */
type Shown = {
  userId: string
  binding: string
  systemId: string | null
  fields: { code?: unknown; recoveryCode?: unknown; passkey?: unknown }
}

export type Proof = { method: FactorMethod; use: (tx: Db) => Promise<boolean> }
/** What was sent: how it is checked, and the screen when it is wrong. */
type Attempt = {
  method: FactorMethod
  find: () => Promise<Proof['use'] | undefined>
  wrong: NonNullable<Screen['errors']>
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== ''

function attemptOf(
  { db, seal, config }: Parts,
  { userId, binding, fields }: Shown,
): Attempt | { screen: Screen } {
  if (isGiven(fields.passkey)) {
    const find = async () => {
      const checked = await checkAssertion({ db, seal, config }, fields.passkey, binding)
      return checked?.passkey.userId === userId
        ? (tx: Db) => keepUse(tx, seal, checked as CheckedPasskey, config.TTL_INTERACTION)
        : undefined
    }
    return { method: 'passkey', find, wrong: { form: 'passkeyWrong' } }
  }
  if (isGiven(fields.recoveryCode)) {
    const code = readRecoveryCode(fields.recoveryCode)
    if (!code) return { screen: { status: 400, errors: { recoveryCode: 'recoveryMissing' } } }
    const hash = recoveryHash(seal, userId, code)
    const find = async () =>
      (await hasRecoveryCode(db, userId, hash)) ? (tx: Db) => useRecoveryCode(tx, userId, hash) : undefined
    return { method: 'recoveryCode', find, wrong: { recoveryCode: 'recoveryWrong' } }
  }
  const code = readCode(fields.code)
  if (!code) return { screen: { status: 400, errors: { code: 'codeMissing' } } }
  const find = async () => {
    const totp = await checkTotp(db, seal, userId, code)
    return totp && ((tx: Db) => useStep(tx, totp.id, totp.step))
  }
  return { method: 'totp', find, wrong: { code: 'codeWrong' } }
}

/** The factor that was proven and the work that uses it up, or the screen that says what is wrong. */
export async function checkProof(
  parts: Parts,
  request: FastifyRequest,
  shown: Shown,
): Promise<Proof | { screen: Screen }> {
  const attempt = attemptOf(parts, shown)
  if ('screen' in attempt) return attempt
  const { method, find, wrong } = attempt
  const { userId, systemId } = shown
  const changes = { method: [null, method] as [unknown, unknown] }
  const target = { type: 'user', id: userId }
  const failure = { action: 'user.second_factor', target, systemId, outcome: 'failure' as const, changes }
  let use: Proof['use'] | undefined
  const judged = await judge(parts, request, { kind: 'second-factor', userId, failure }, async () => {
    use = await find()
    return use !== undefined
  })
  if (typeof judged === 'object') return { screen: judged }
  return judged && use ? { method, use } : { screen: { status: 401, errors: wrong } }
}

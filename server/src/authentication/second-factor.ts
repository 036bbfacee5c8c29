/** Verification of a second factor: a passkey, a TOTP code or a recovery code. */
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor, Scope } from '../http/authority.ts'
import { notify } from '../jobs/email/budget.ts'
import { type Reader, recoveryCodeUsed } from '../jobs/email/messages.ts'
import { recordWithArtifacts } from '../journal/audit/record.ts'
import {
  countRecoveryCodes,
  findRecoveryCode,
  findValidTotps,
  hasRecoveryCodes,
  listValidPasskeys,
  useRecoveryCode,
  useStep,
} from '../resources/factors/queries.ts'
import { readRecoveryCode, recoveryHash } from '../resources/factors/recovery-code.ts'
import type { BrandedSystem } from '../texts/brand.ts'
import type { FactorMethod } from './assurance.ts'
import { limitAttempts, type Rejection, type Sender } from './attempts.ts'
import { assertionOptions, checkAssertion, consumePasskey, hasPasskeys } from './passkey.ts'
import type { SignInPlace } from './password.ts'
import type { Proof } from './proofs.ts'
import { checkTotp, readCode } from './totp.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/** A factor as it was sent. `response`: of navigator.credentials.get, not validated yet. */
export type SentFactor =
  | { method: 'passkey'; response: unknown }
  | { method: 'recoveryCode'; code: string }
  | { method: 'totp'; code: string }

/** The factors that a user can verify. `passkey`: the options of navigator.credentials.get. */
export type OfferedFactors = { totp: boolean; recoveryCodes: boolean; passkey: object | undefined }

/** `binding`: of the challenge of a passkey. `scope`: of the system where the factors have to be valid. */
export async function offeredFactors(
  { db, seal, config }: Parts,
  { userId, scope, binding }: { userId: string; scope: Scope; binding: string },
): Promise<OfferedFactors> {
  const [totps, passkeys, codes] = await Promise.all([
    findValidTotps(db, userId, scope),
    listValidPasskeys(db, userId, scope),
    hasRecoveryCodes(db, userId, scope),
  ])
  const isOffered = hasPasskeys(config) && passkeys.length > 0
  return {
    totp: totps.length > 0,
    recoveryCodes: codes,
    passkey: isOffered ? assertionOptions({ seal, config }, binding, passkeys) : undefined,
  }
}

export const isGiven = (value: unknown): boolean => value !== undefined && value !== ''

/** The one factor of a form. `malformed`: the field that is empty or not of the shape of such a code. */
export function readFactor(fields: {
  code?: unknown
  recoveryCode?: unknown
  passkey?: unknown
}): SentFactor | { malformed: 'code' | 'recoveryCode' } {
  if (isGiven(fields.passkey)) return { method: 'passkey', response: fields.passkey }
  const isRecovery = isGiven(fields.recoveryCode)
  const code = isRecovery ? readRecoveryCode(fields.recoveryCode) : readCode(fields.code)
  if (code === undefined) return { malformed: isRecovery ? 'recoveryCode' : 'code' }
  return { method: isRecovery ? 'recoveryCode' : 'totp', code }
}

/** `use` consumes the factor in a transaction: false if a concurrent request has consumed it. */
export type VerifiedFactor = {
  method: FactorMethod
  proof: Pick<Proof, 'credential' | 'scope'>
  use: (tx: Db) => Promise<boolean>
}

/**
 * `binding`: of the passkey's challenge. `hasOwnFactor`: the user has one that is valid everywhere. `known`:
 * identifies the user in a browser where they have used it before.
 */
type Attempt = SignInPlace & {
  userId: string
  hasOwnFactor: boolean
  known: string | undefined
  /** An account whose connection has signed the user in. */
  countedFor?: string | undefined
  binding: string
  factor: SentFactor
}

/** Verifies a second factor of a user under the rate limits of `limitAttempts`. */
export async function checkSecondFactor(
  parts: Parts,
  sender: Sender,
  attempt: Attempt,
): Promise<{ verified: VerifiedFactor } | Rejection> {
  const { userId, systemId, scope, hasOwnFactor, known, factor, countedFor } = attempt
  const failure = {
    action: 'user.second_factor',
    target: { type: 'user', id: userId },
    systemId,
    outcome: 'failure' as const,
    changes: { method: [null, factor.method] as [unknown, unknown] },
  }
  // A factor of the system does not reset the count of those that are valid everywhere.
  const counted = {
    kind: 'second-factor' as const,
    userId,
    system: systemId ?? '',
    of: hasOwnFactor ? '' : (scope ?? ''),
    known,
    countedFor,
    isOther: ({ proof }: VerifiedFactor) => hasOwnFactor && proof.scope !== null,
    failure,
  }
  return limitAttempts(parts, sender, counted, async () => {
    const verified = await verify(parts, attempt)
    return verified && { method: factor.method, ...verified }
  })
}

async function verify(
  { db, seal, config }: Parts,
  { userId, binding, factor, scope: systemId }: Attempt,
): Promise<Omit<VerifiedFactor, 'method'> | undefined> {
  switch (factor.method) {
    case 'passkey': {
      const checked = await checkAssertion({ db, seal, config }, factor.response, { binding, systemId })
      if (checked?.passkey.userId !== userId) return undefined
      const { id: credential, systemId: scope } = checked.passkey
      return {
        proof: { credential, scope },
        use: (tx) => consumePasskey(tx, seal, checked, config.TTL_INTERACTION),
      }
    }
    case 'recoveryCode': {
      const hash = recoveryHash(seal, userId, factor.code)
      const found = await findRecoveryCode(db, userId, systemId, hash)
      return (
        found && {
          proof: { credential: null, scope: found.scope },
          use: (tx) => useRecoveryCode(tx, userId, hash),
        }
      )
    }
    case 'totp': {
      const totp = await checkTotp(db, seal, { userId, systemId }, factor.code)
      return (
        totp && {
          proof: { credential: totp.id, scope: totp.scope },
          use: (tx) => useStep(tx, totp.id, totp.step),
        }
      )
    }
  }
}

/** `system`: of the sign-in; undefined for /account. */
type Place = { systemId: string | null; system: BrandedSystem | undefined }

/**
 * Uses a verified factor of a row-locked user in a transaction, with its audit entry. Returns false if a
 * concurrent request has used it.
 */
export async function takeFactor(
  tx: Db,
  seal: Seal,
  actor: Actor,
  user: Reader,
  { systemId, system }: Place,
  { method, proof: { scope }, use }: VerifiedFactor,
): Promise<boolean> {
  if (!(await use(tx))) return false
  await recordWithArtifacts(tx, actor, {
    action: 'user.second_factor',
    target: { type: 'user', id: user.id },
    systemId,
    changes: { method: [null, method] },
  })
  if (method !== 'recoveryCode') return true
  const left = await countRecoveryCodes(tx, user.id, scope)
  await notify(tx, seal, recoveryCodeUsed(user, system, left), scope)
  return true
}

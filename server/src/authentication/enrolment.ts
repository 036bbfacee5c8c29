/**
 * The enrollment of a factor, in a sign-in that requires one and on the pages of the user: what a page
 * offers, what its form has sent, and what a transaction stores. `binding` is a random value of the sign-in
 * or of the browser session: a secret or a challenge that was offered for one is not valid in another.
 */
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Actor, Scope } from '../http/authority.ts'
import { addFactor, type NewFactor, renewRecoveryCodes } from '../resources/factors/changes.ts'
import { type ListedPasskey, listPasskeys } from '../resources/factors/queries.ts'
import { formatRecoveryCode } from '../resources/factors/recovery-code.ts'
import type { User } from '../resources/users/queries.ts'
import type { BrandedSystem } from '../texts/brand.ts'
import { usedMeanwhile } from './attempts.ts'
import { checkAttestation, consumeChallenge, creationOptions, hasPasskeys } from './passkey.ts'
import { defaultPasskeyName, readPasskeyName } from './passkey-names.ts'
import { isGiven } from './second-factor.ts'
import { confirmedStep, keyUri, offeredSecret, readCode } from './totp.ts'

type Parts = { db: Db; seal: Seal; config: Config }

/** The secret of an authenticator app that a page offers, and the content of its QR code. */
export async function offeredApp(
  { seal }: Pick<Parts, 'seal'>,
  { id, email }: { id: string; email: string },
  { binding, issuer }: { binding: string; issuer: string },
): Promise<{ secret: string; uri: string }> {
  const secret = await offeredSecret(seal, id, binding)
  return { secret, uri: await keyUri(secret, issuer, email) }
}

/**
 * The options of navigator.credentials.create; undefined where passkeys are not available. `known`: the
 * passkeys of the scope, if they were read before.
 */
export async function offeredPasskey(
  parts: Parts,
  { id, email }: { id: string; email: string },
  { binding, scope, systemName }: { binding: string; scope: Scope; systemName: string },
  known?: ListedPasskey[],
): Promise<object | undefined> {
  if (!hasPasskeys(parts.config)) return undefined
  const user = { id, email, scope, systemName: scope === null ? undefined : systemName }
  return creationOptions(parts, binding, user, known ?? (await listPasskeys(parts.db, id, scope)))
}

/** A factor that was sent and checked. `prepare` consumes the passkey's challenge. */
export type Enrollment = {
  /** The id of the credential. */
  id: string
  method: 'totp' | 'passkey'
  prepare: (tx: Db) => Promise<NewFactor>
}

/** A factor that is refused: the status of the answer, and the texts of its fields. */
type Refusal = {
  status: 400 | 401
  errors: { code?: 'codeMissing' | 'codeWrong'; form?: 'passkeyNotMade' }
}

/** Checks the first code of the app that was offered. */
export async function checkApp(
  { db, seal }: Parts,
  sent: unknown,
  { userId, binding }: { userId: string; binding: string },
): Promise<Enrollment | Refusal> {
  const code = readCode(sent)
  if (!code) return { status: 400, errors: { code: 'codeMissing' } }
  const secret = await offeredSecret(seal, userId, binding)
  const step = await confirmedStep(db, secret, code)
  if (step === undefined) return { status: 401, errors: { code: 'codeWrong' } }
  return { id: crypto.randomUUID(), method: 'totp', prepare: async () => ({ kind: 'totp', secret, step }) }
}

/** Checks a new passkey. Without a name it has one after the browser and its operating system. */
export async function checkPasskey(
  { seal, config }: Parts,
  sent: { passkey: unknown; name: unknown },
  { binding, userAgent }: { binding: string; userAgent: string | null },
): Promise<Enrollment | Refusal> {
  const checked = await checkAttestation({ seal, config }, sent.passkey, binding)
  if (!checked) return { status: 400, errors: { form: 'passkeyNotMade' } }
  const name = readPasskeyName(sent.name) ?? defaultPasskeyName(userAgent)
  const prepare = async (tx: Db): Promise<NewFactor> => {
    if (!(await consumeChallenge(tx, seal, checked.challenge, config.TTL_INTERACTION))) throw usedMeanwhile()
    return { kind: 'passkey', passkey: { ...checked.made, name } }
  }
  return { id: crypto.randomUUID(), method: 'passkey', prepare }
}

/** Checks the one factor of a form that accepts both. */
export const checkFactor = (
  parts: Parts,
  sent: { code?: unknown; passkey?: unknown; name?: unknown },
  at: { userId: string; binding: string; userAgent: string | null },
): Promise<Enrollment | Refusal> =>
  isGiven(sent.passkey)
    ? checkPasskey(parts, { passkey: sent.passkey, name: sent.name }, at)
    : checkApp(parts, sent.code, at)

/** The proof by a factor that was just enrolled. */
export const provenBy = ({ id, method }: Enrollment, scope: Scope) => ({ method, credential: id, scope })

/** `codes`: new recovery codes, if it is the first factor of its scope. `passkey`: the one with its name. */
export type Enrolled = { codes: string[]; passkey: { id: string; name: string } | undefined }

/**
 * Stores the factor of a row-locked user. `at`: where it is valid and the system of the sign-in, unless it is
 * valid everywhere.
 */
export async function enrol(
  tx: Db,
  seal: Seal,
  actor: Actor,
  before: User,
  { id, prepare }: Enrollment,
  at?: { scope: Scope; systemId: string | null; system: BrandedSystem | undefined },
): Promise<Enrolled> {
  const factor = { ...(await prepare(tx)), id }
  const codes = await addFactor(tx, seal, actor, before, factor, at)
  const passkey = factor.kind === 'passkey' ? { id, name: factor.passkey.name } : undefined
  return { codes: codes.map(formatRecoveryCode), passkey }
}

/** Replaces the recovery codes of a row-locked user that are valid everywhere. */
export async function replaceCodes(tx: Db, seal: Seal, actor: Actor, user: User): Promise<string[]> {
  return (await renewRecoveryCodes(tx, seal, actor, user)).map(formatRecoveryCode)
}

/** The steps of codes and second factors, as pages and as JSON. What they show is read anew each time. */

import { isCodeUnderWay } from '../authentication/email-code.ts'
import { assertionOptions, creationOptions, hasPasskeys } from '../authentication/passkey.ts'
import { NAME_MAX, usualName } from '../authentication/passkey-names.ts'
import { keyUri, offeredSecret } from '../authentication/totp.ts'
import type { Config } from '../config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { EnabledUser } from '../oidc/storage/queries.ts'
import { countRecoveryCodes, findTotp, listPasskeys } from '../resources/factors/queries.ts'
import { type Locale, textsOf } from '../ui/i18n/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { enrolPage } from '../ui/pages/enrol.ts'
import { mailedCodePage } from '../ui/pages/mailed-code.ts'
import { secondFactorPage } from '../ui/pages/second-factor.ts'
import { qrCode } from '../ui/qr.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type Errors = { form?: string | undefined; code?: string | undefined; recoveryCode?: string | undefined }

export type FactorStep =
  | { kind: 'mailed'; email: string; underWay: boolean }
  | { kind: 'prove'; totp: boolean; recoveryCodes: boolean; passkey: object | undefined }
  | { kind: 'enrol'; secret: string; uri: string; passkey: object | undefined; usual: string }

/** How to sign in with a passkey in the place of the password. */
export const passkeyOf = (
  parts: Omit<Parts, 'db'>,
  uid: string,
): { action: string; options: object } | undefined =>
  hasPasskeys(parts.config)
    ? { action: `/interaction/${uid}/passkey`, options: assertionOptions(parts, uid) }
    : undefined

type Asked = { uid: string; step: string; user: EnabledUser; system: SystemLook; userAgent: string | null }

/** Undefined for a step of another kind. */
export async function readFactorStep(
  parts: Parts,
  { uid, step, user, system, userAgent }: Asked,
): Promise<FactorStep | undefined> {
  const { db, seal } = parts
  if (step === 'email_otp')
    return {
      kind: 'mailed',
      email: user.email,
      underWay: await isCodeUnderWay(db, seal, { userId: user.id, uid }),
    }
  if (step !== 'second_factor') return undefined
  const able = hasPasskeys(parts.config)
  if (!user.hasFactor) {
    const secret = await offeredSecret(seal, user.id, uid)
    const uri = await keyUri(secret, system.name, user.email)
    return {
      kind: 'enrol',
      secret,
      uri,
      passkey: able ? creationOptions(parts, uid, user, []) : undefined,
      usual: usualName(userAgent),
    }
  }
  const [totp, passkeys, left] = [
    await findTotp(db, user.id),
    await listPasskeys(db, user.id),
    await countRecoveryCodes(db, user.id),
  ]
  return {
    kind: 'prove',
    totp: totp !== undefined,
    recoveryCodes: left > 0,
    passkey: able && passkeys.length > 0 ? assertionOptions(parts, uid, passkeys) : undefined,
  }
}

const PATHS = { mailed: 'email-otp', prove: 'second-factor', enrol: 'enrol' } as const

type Drawn = {
  uid: string
  locale: Locale
  system: SystemLook
  csrf: string
  notice: string | undefined
  errors: Errors
}

export async function factorPage(step: FactorStep, { uid, errors, ...drawn }: Drawn): Promise<string> {
  const page = {
    ...drawn,
    action: `/interaction/${uid}/${PATHS[step.kind]}`,
    abort: `/interaction/${uid}/abort`,
    errors,
  }
  if (step.kind === 'mailed') return mailedCodePage({ ...page, ...step })
  if (step.kind === 'prove') return secondFactorPage({ ...page, ...step })
  return enrolPage({ ...page, ...step, qr: await qrCode(step.uri, textsOf(page.locale).enrolQr) })
}

const CODE = { name: 'code', type: 'code', length: 6 }
const field = (name: string, type: string, more: object = {}) => ({ name, type, required: false, ...more })

/** One of the fields is sent; for a passkey what navigator.credentials made, in JSON. */
export function factorFields(step: FactorStep): { path: string; fields: object[]; more: object } {
  const path = PATHS[step.kind]
  if (step.kind === 'mailed') {
    const fields = [
      { ...CODE, required: step.underWay },
      field('resend', 'choice', { options: [{ id: 'yes' }] }),
    ]
    return { path, fields, more: { email: step.email } }
  }
  const passkey = step.passkey ? [field('passkey', 'passkey', { options: step.passkey })] : []
  if (step.kind === 'enrol') {
    const { secret, uri, usual: value } = step
    const name = step.passkey ? [field('name', 'text', { value, maxLength: NAME_MAX })] : []
    return {
      path,
      fields: [...passkey, { ...CODE, required: false, secret, uri }, ...name],
      more: { enrol: true },
    }
  }
  const code = step.totp ? [{ ...CODE, required: false }] : []
  const recovery = step.recoveryCodes ? [field('recoveryCode', 'text')] : []
  return { path, fields: [...passkey, ...code, ...recovery], more: { enrol: false } }
}

/** The steps of emailed codes and second factors, as HTML and as JSON. */
import { hasEmailCode, secondsToNextCode } from '../authentication/email-code.ts'
import { offeredApp, offeredPasskey } from '../authentication/enrolment.ts'
import { defaultPasskeyName, NAME_MAX } from '../authentication/passkey-names.ts'
import { type OfferedFactors, offeredFactors } from '../authentication/second-factor.ts'
import type { Config } from '../config/config.ts'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import type { Scope } from '../http/authority.ts'
import type { EnabledUser } from '../resources/sign-ins/queries.ts'
import { type Locale, textsOf } from '../texts/texts.ts'
import type { SystemLook } from '../ui/layout.ts'
import { enrolPage } from '../ui/pages/enrol.ts'
import { mailedCodeJson, mailedCodePage } from '../ui/pages/mailed-code.ts'
import { passkeyOfferPage } from '../ui/pages/passkey-offer.ts'
import { secondFactorFields, secondFactorPage } from '../ui/pages/second-factor.ts'
import { qrCode } from '../ui/qr.ts'

type Parts = { db: Db; seal: Seal; config: Config }
type Errors = { form?: string | undefined; code?: string | undefined; recoveryCode?: string | undefined }

export type FactorStep =
  | {
      kind: 'mailed'
      path: 'email-otp' | 'verify-email'
      email: string
      underWay: boolean
      /** Seconds until another code can be requested. */
      wait: number
      confirms: boolean
    }
  | ({ kind: 'verify' } & OfferedFactors)
  | { kind: 'offer'; passkey: object | undefined; usual: string }
  | {
      kind: 'enrol'
      account: string | undefined
      secret: string
      uri: string
      passkey: object | undefined
      usual: string
    }

type Required = {
  uid: string
  step: string
  user: EnabledUser
  system: SystemLook
  /** The system of the sign-in; null: /account. */
  systemId: string | null
  userAgent: string | null
  /** The system whose credentials are valid. */
  scope: Scope
  /** Where a new factor is valid. */
  enrollment: Scope
  /** An emailed code confirms a credential of the sign-in. */
  confirms: boolean
  /** The organization that requires the factor, if the system does not. */
  account: string | undefined
  countedFor: string | undefined
}

/** The data of the step; undefined for a step of another kind. */
export async function readFactorStep(
  parts: Parts,
  {
    uid,
    step,
    user,
    system,
    systemId,
    userAgent,
    scope,
    enrollment,
    confirms,
    account,
    countedFor,
  }: Required,
): Promise<FactorStep | undefined> {
  const { db, seal } = parts
  if (step === 'email_otp' || step === 'verify_email')
    return {
      kind: 'mailed',
      path: step === 'email_otp' ? 'email-otp' : 'verify-email',
      email: user.email,
      underWay: await hasEmailCode(db, seal, { userId: user.id, uid }),
      wait: await secondsToNextCode(db, seal, {
        ...{ userId: user.id, systemId },
        ...(countedFor !== undefined && { countedFor }),
      }),
      confirms,
    }
  const place = { binding: uid, scope: enrollment, systemName: system.name }
  const passkey = () => offeredPasskey(parts, user, place)
  const usual = defaultPasskeyName(userAgent)
  if (step === 'passkey_offer') return { kind: 'offer', passkey: await passkey(), usual }
  if (step !== 'second_factor') return undefined
  if (!user.hasFactor)
    return {
      kind: 'enrol',
      account,
      ...(await offeredApp(parts, user, { binding: uid, issuer: system.name })),
      passkey: await passkey(),
      usual,
    }
  return { kind: 'verify', ...(await offeredFactors(parts, { userId: user.id, scope, binding: uid })) }
}

const PATHS = { verify: 'second-factor', enrol: 'enrol', offer: 'passkey-offer' } as const
const pathOf = (step: FactorStep) => (step.kind === 'mailed' ? step.path : PATHS[step.kind])

type Page = {
  uid: string
  locale: Locale
  system: SystemLook
  csrf: string
  notice: string | undefined
  errors: Errors
}

export async function factorPage(step: FactorStep, { uid, errors, ...rest }: Page): Promise<string> {
  const page = {
    ...rest,
    action: `/interaction/${uid}/${pathOf(step)}`,
    abort: `/interaction/${uid}/abort`,
    errors,
  }
  if (step.kind === 'mailed') return mailedCodePage({ ...page, ...step })
  if (step.kind === 'offer') return passkeyOfferPage({ ...page, passkey: step.passkey })
  if (step.kind === 'verify') return secondFactorPage({ ...page, ...step })
  const { secret, uri, passkey, account } = step
  return enrolPage({
    ...page,
    account,
    passkey,
    app: { secret, uri, qr: await qrCode(uri, textsOf(page.locale).enrolQr) },
  })
}

const CODE = { name: 'code', type: 'code', length: 6 }
const field = (name: string, type: string, more: object = {}) => ({ name, type, required: false, ...more })

/** The JSON fields. One of them is sent; `passkey` is the JSON of the credential of navigator.credentials. */
export function factorFields(step: FactorStep): { path: string; fields: object[]; more: object } {
  const path = pathOf(step)
  if (step.kind === 'mailed') {
    const { fields, ...more } = mailedCodeJson(step)
    return { path, fields, more }
  }
  if (step.kind === 'verify') return { path, fields: secondFactorFields(step), more: { enrol: false } }
  const passkey = step.passkey ? [field('passkey', 'passkey', { options: step.passkey })] : []
  const named = (value: string) =>
    step.passkey ? [field('name', 'text', { value, maxLength: NAME_MAX })] : []
  if (step.kind === 'offer') {
    const decision = field('decision', 'choice', { options: [{ id: 'later' }] })
    return { path, fields: [...passkey, ...named(step.usual), decision], more: {} }
  }
  const { secret, uri } = step
  return {
    path,
    fields: [...passkey, { ...CODE, required: false, secret, uri }, ...named(step.usual)],
    more: { enrol: true },
  }
}

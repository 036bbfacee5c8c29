/** A new password that the user chooses on a page or sends as JSON. */
import type { Config } from '../config/config.ts'
import { PASSWORD_MAX_LENGTH } from '../crypto/password-hash.ts'
import { chosenFault } from '../resources/credentials/password-policy.ts'
import type { KeyOf } from '../texts/message.ts'
import { type Locale, type Texts, textsOf } from '../texts/texts.ts'

type Field = 'password' | 'passwordAgain'
export type NewPasswordFaults = { [Name in Field]?: KeyOf<Texts> }

const FAULTS = {
  short: 'passwordShort',
  long: 'passwordLong',
  common: 'passwordCommon',
} as const satisfies Record<string, KeyOf<Texts>>

export type PasswordLengths = { min: number; max: number }
export const passwordLengths = (config: Config): PasswordLengths => ({
  min: config.PASSWORD_MIN_LENGTH,
  max: PASSWORD_MAX_LENGTH,
})

/** The field in the JSON of a step. */
export const newPasswordField = ({ min, max }: PasswordLengths): object => ({
  name: 'password',
  type: 'password',
  required: true,
  minLength: min,
  maxLength: max,
})

/** `passwordAgain` guards against typing errors and is optional for JSON clients. */
export function readNewPassword(
  body: unknown,
  minLength: number,
): { password: string } | { errors: NewPasswordFaults } {
  const { password, passwordAgain } = (body ?? {}) as { [Name in Field]?: unknown }
  if (typeof password !== 'string' || password === '') return { errors: { password: 'newPasswordMissing' } }
  const fault = chosenFault(password, minLength)
  if (fault) return { errors: { password: FAULTS[fault] } }
  const repeated = passwordAgain === undefined || passwordAgain === '' || passwordAgain === password
  return repeated ? { password } : { errors: { passwordAgain: 'passwordsDiffer' } }
}

/** The faults as sentences. */
export function faultSentences(
  faults: NewPasswordFaults,
  locale: Locale,
): { [Name in Field]?: string | undefined } {
  const say = (key: KeyOf<Texts> | undefined) => key && textsOf(locale)[key]
  return { password: say(faults.password), passwordAgain: say(faults.passwordAgain) }
}

/** The steps of registration, joining and a forgotten password, as HTML and as JSON. */
import { newPasswordField, type PasswordLengths } from '../authentication/new-password.ts'
import type { Locale } from '../texts/texts.ts'
import type { ProviderButton } from '../ui/forms.ts'
import type { SystemLook } from '../ui/layout.ts'
import { checkMailPage } from '../ui/pages/check-mail.ts'
import type { OfferedConnection } from '../ui/pages/connection-sign-in.ts'
import { forgotPasswordPage, resetSentPage } from '../ui/pages/forgot-password.ts'
import { joinPage } from '../ui/pages/join.ts'
import { registerPage } from '../ui/pages/register.ts'

/** The paths of the forms, by step. */
export const REGISTRATION_PATHS = {
  register: 'register',
  verify_email: 'verify-email',
  join: 'join',
  forgot_password: 'forgot-password',
  password_reset_sent: 'forgot-password',
} as const

export type RegistrationStep = keyof typeof REGISTRATION_PATHS

export type RegistrationView = {
  step: RegistrationStep
  uid: string
  multiAccount: boolean
  lengths: PasswordLengths
  /** The address of the user or of the registration. */
  email: string
  values: { name?: string | undefined; accountName?: string | undefined }
  /** The address that leads to the login of another user. */
  another: string | undefined
  providers: readonly ProviderButton[]
  connections: readonly OfferedConnection[]
  /** The id of a stored registration. */
  registration: string | undefined
}

type Errors = { [Name in 'form' | 'email' | 'password' | 'name' | 'accountName' | 'code']?: string }
type Page = { locale: Locale; system: SystemLook; csrf: string; notice: string | undefined; errors: Errors }

export function registrationPage(view: RegistrationView, { notice, ...rest }: Page): string {
  const { step, uid, values, ...given } = view
  const signIn = `/interaction/${uid}`
  const page = { ...rest, ...given, action: `${signIn}/${REGISTRATION_PATHS[step]}`, signIn }
  switch (step) {
    case 'register':
      return registerPage({ ...page, values: { ...values, email: given.email } })
    case 'verify_email':
      return checkMailPage({
        ...page,
        notice,
        registration: view.registration ?? '',
        register: `${signIn}/register`,
      })
    case 'join':
      return joinPage({ ...page, accountName: values.accountName })
    case 'forgot_password':
      return forgotPasswordPage(page)
    case 'password_reset_sent':
      return resetSentPage(page)
  }
}

const text = (name: string, required: boolean, value = '') => ({
  name,
  type: 'text',
  required,
  maxLength: 100,
  value,
})
const choice = (name: string, id: string) => ({ name, type: 'choice', required: false, options: [{ id }] })

/** The JSON fields of the step and the path they are sent to. */
export function registrationFields({
  step,
  multiAccount,
  lengths,
  email,
  values,
  registration,
}: RegistrationView) {
  const address = { name: 'email', type: 'email', required: true, value: email }
  const account = multiAccount ? [text('accountName', true, values.accountName)] : []
  const hidden =
    registration === undefined
      ? []
      : [{ name: 'registration', type: 'hidden', required: true, value: registration }]
  const fields: Record<RegistrationStep, object[]> = {
    register: [address, newPasswordField(lengths), text('name', false, values.name), ...account],
    verify_email: [
      ...hidden,
      { name: 'code', type: 'code', length: 6, required: true },
      choice('resend', 'yes'),
    ],
    join: [...account, choice('decision', 'deny')],
    forgot_password: [address],
    password_reset_sent: [address],
  }
  return { path: REGISTRATION_PATHS[step], fields: fields[step], more: { email } }
}

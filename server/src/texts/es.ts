/** The Spanish texts. They address the user as "tú". */
import type { Catalog } from './en.ts'
import { account } from './es/account.ts'
import { activity } from './es/activity.ts'
import { email } from './es/email.ts'
import { errors } from './es/errors.ts'
import { organization } from './es/organization.ts'
import { serviceAccounts } from './es/service-accounts.ts'
import { signIn } from './es/sign-in.ts'
import { testSignIn } from './es/test-sign-in.ts'

export const es: Catalog = {
  signIn,
  errors,
  account,
  email,
  organization,
  activity,
  serviceAccounts,
  testSignIn,
}

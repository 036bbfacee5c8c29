/** The Portuguese texts, as written in Brazil. */
import type { Catalog } from './en.ts'
import { account } from './pt/account.ts'
import { activity } from './pt/activity.ts'
import { email } from './pt/email.ts'
import { errors } from './pt/errors.ts'
import { organization } from './pt/organization.ts'
import { serviceAccounts } from './pt/service-accounts.ts'
import { signIn } from './pt/sign-in.ts'
import { testSignIn } from './pt/test-sign-in.ts'

export const pt: Catalog = {
  signIn,
  errors,
  account,
  email,
  organization,
  activity,
  serviceAccounts,
  testSignIn,
}

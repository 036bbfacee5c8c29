/** The German texts. They address the user as "Sie". */

import { account } from './de/account.ts'
import { activity } from './de/activity.ts'
import { email } from './de/email.ts'
import { errors } from './de/errors.ts'
import { organization } from './de/organization.ts'
import { serviceAccounts } from './de/service-accounts.ts'
import { signIn } from './de/sign-in.ts'
import { testSignIn } from './de/test-sign-in.ts'
import type { Catalog } from './en.ts'

export const de: Catalog = {
  signIn,
  errors,
  account,
  email,
  organization,
  activity,
  serviceAccounts,
  testSignIn,
}

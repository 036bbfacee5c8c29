/** The French texts. They address the user as "vous"; a no-break space precedes two-part punctuation. */
import type { Catalog } from './en.ts'
import { account } from './fr/account.ts'
import { activity } from './fr/activity.ts'
import { email } from './fr/email.ts'
import { errors } from './fr/errors.ts'
import { organization } from './fr/organization.ts'
import { serviceAccounts } from './fr/service-accounts.ts'
import { signIn } from './fr/sign-in.ts'
import { testSignIn } from './fr/test-sign-in.ts'

export const fr: Catalog = {
  signIn,
  errors,
  account,
  email,
  organization,
  activity,
  serviceAccounts,
  testSignIn,
}

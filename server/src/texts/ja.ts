/** The Japanese texts, in the polite style (です, ます). */
import type { Catalog } from './en.ts'
import { account } from './ja/account.ts'
import { activity } from './ja/activity.ts'
import { email } from './ja/email.ts'
import { errors } from './ja/errors.ts'
import { organization } from './ja/organization.ts'
import { serviceAccounts } from './ja/service-accounts.ts'
import { signIn } from './ja/sign-in.ts'
import { testSignIn } from './ja/test-sign-in.ts'

export const ja: Catalog = {
  signIn,
  errors,
  account,
  email,
  organization,
  activity,
  serviceAccounts,
  testSignIn,
}

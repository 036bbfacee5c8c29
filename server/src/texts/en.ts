/** The English texts. The other languages have the same sections, keys and placeholders (texts.test.ts). */
import { account } from './en/account.ts'
import { activity } from './en/activity.ts'
import { email } from './en/email.ts'
import { errors } from './en/errors.ts'
import { organization } from './en/organization.ts'
import { serviceAccounts } from './en/service-accounts.ts'
import { signIn } from './en/sign-in.ts'
import { testSignIn } from './en/test-sign-in.ts'

export const en = { signIn, errors, account, email, organization, activity, serviceAccounts, testSignIn }

type Same<Texts> = { readonly [Key in keyof Texts]: string }
export type Catalog = { readonly [Section in keyof typeof en]: Same<(typeof en)[Section]> }

/** Sample pages of the sign-in, the registration and the password reset. */
import { textsOf } from '../../src/texts/texts.ts'
import { fillPlain } from '../../src/ui/html.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { checkMailPage } from '../../src/ui/pages/check-mail.ts'
import { forgotPasswordPage, resetSentPage } from '../../src/ui/pages/forgot-password.ts'
import { joinPage } from '../../src/ui/pages/join.ts'
import { loginPage } from '../../src/ui/pages/login.ts'
import { noPasswordPage } from '../../src/ui/pages/no-password.ts'
import { registerPage } from '../../src/ui/pages/register.ts'
import { passkeyOptions } from './sample-factor-pages.ts'
import { HOSTILE } from './sample-names.ts'
import {
  acme,
  email,
  form,
  hostile,
  lengths,
  long,
  longEmail,
  night,
  northsea,
  plain,
  red,
  sunny,
} from './sample-systems.ts'

const texts = textsOf('en')
export const links = {
  register: '/interaction/sample/register',
  forgotPassword: '/interaction/sample/forgot-password',
}
export const providers = ['Google', 'Microsoft', 'Apple', 'GitHub', 'Acme staff'].map((name) => ({
  id: name.toLowerCase(),
  name,
  url: `/social/login?provider=${name.toLowerCase()}`,
}))
const mailing = { ...form, register: '/interaction/sample/register', abort: '/interaction/sample/abort' }
export const registering = { ...form, lengths, multiAccount: false, signIn: '/interaction/sample' }
const setting = { ...form, action: links.forgotPassword, another: '/interaction/sample?another=yes' }
const another = '/interaction/sample/another'
export const passkey = { action: '/interaction/sample/passkey', options: passkeyOptions }
const first = { asks: 'address', address: '/interaction/sample/address' } as const
const second = { asks: 'password', change: '/interaction/sample?shown=sample' } as const

export const signInPages: Record<string, { html: string; system?: SystemLook }> = {
  login: { system: acme, html: loginPage({ locale: 'en', system: acme, ...form, passkey }) },
  'login-plain': { system: plain, html: loginPage({ locale: 'en', system: plain, ...form }) },
  'login-logo': {
    system: northsea,
    html: loginPage({ locale: 'de', system: northsea, ...form, values: { email } }),
  },
  'login-refused': {
    system: acme,
    html: loginPage({
      locale: 'en',
      system: acme,
      ...form,
      values: { email },
      errors: { form: texts.wrongCredentials },
    }),
  },
  'login-faulty': {
    system: sunny,
    html: loginPage({
      locale: 'en',
      system: sunny,
      ...form,
      values: { email: 'alice@' },
      errors: { email: texts.emailInvalid, password: texts.passwordMissing },
    }),
  },
  'login-red': {
    system: red,
    html: loginPage({ locale: 'en', system: red, ...form, providers: providers.slice(0, 1), links }),
  },
  'login-red-faulty': {
    system: red,
    html: loginPage({
      locale: 'en',
      system: red,
      ...form,
      values: { email: 'alice@' },
      errors: { form: texts.wrongCredentials, email: texts.emailInvalid },
    }),
  },
  'login-long': {
    system: long,
    html: loginPage({ locale: 'de', system: long, ...form, values: { email: longEmail } }),
  },
  'login-hostile': {
    system: hostile,
    html: loginPage({
      locale: 'en',
      system: hostile,
      ...form,
      values: { email: HOSTILE },
      errors: { form: HOSTILE, email: HOSTILE },
    }),
  },
  'login-providers': {
    system: northsea,
    html: loginPage({ locale: 'en', system: northsea, ...form, passkey, providers, links }),
  },
  'login-open': { system: acme, html: loginPage({ locale: 'en', system: acme, ...form, links }) },
  'login-closed': {
    system: plain,
    html: loginPage({
      locale: 'es',
      system: plain,
      ...form,
      links: { forgotPassword: links.forgotPassword },
    }),
  },
  'login-open-long': { system: long, html: loginPage({ locale: 'pt', system: long, ...form, links }) },
  'address-first': {
    system: acme,
    html: loginPage({ ...{ locale: 'en', system: acme, ...form, passkey }, ...first }),
  },
  'address-first-providers': {
    system: northsea,
    html: loginPage({ ...{ locale: 'de', system: northsea, ...form, passkey, providers, links }, ...first }),
  },
  'address-first-faulty': {
    system: sunny,
    html: loginPage({
      ...{ locale: 'fr', system: sunny, ...form, ...first, links, values: { email: 'alice@' } },
      errors: { email: textsOf('fr').emailInvalid },
    }),
  },
  'address-first-password': {
    system: acme,
    html: loginPage({
      ...{ locale: 'en', system: acme, ...form, passkey, links },
      ...second,
      values: { email },
    }),
  },
  'address-first-password-refused': {
    system: northsea,
    html: loginPage({
      ...{ locale: 'pt', system: northsea, ...form, links, ...second, values: { email } },
      errors: { form: textsOf('pt').wrongCredentials },
    }),
  },
  'address-first-password-long': {
    system: long,
    html: loginPage({
      ...{ locale: 'es', system: long, ...form, passkey, links, ...second, values: { email: longEmail } },
      errors: { password: textsOf('es').passwordMissing },
    }),
  },
  'no-password': {
    system: plain,
    html: noPasswordPage({ locale: 'en', system: plain, ...setting, email, providers: [] }),
  },
  'no-password-providers': {
    system: plain,
    html: noPasswordPage({ locale: 'fr', system: plain, ...setting, email, providers }),
  },
  'no-password-hostile': {
    system: hostile,
    html: noPasswordPage({ locale: 'es', system: hostile, ...setting, email: HOSTILE, providers }),
  },
  register: { system: acme, html: registerPage({ locale: 'en', system: acme, ...registering }) },
  'register-organization': {
    system: northsea,
    html: registerPage({
      locale: 'de',
      system: northsea,
      ...registering,
      multiAccount: true,
      values: { email },
    }),
  },
  'register-faulty': {
    system: sunny,
    html: registerPage({
      locale: 'fr',
      system: sunny,
      ...registering,
      multiAccount: true,
      values: { email: 'alice@', name: 'Alice Martin' },
      errors: {
        email: textsOf('fr').emailInvalid,
        password: textsOf('fr').passwordShort,
        accountName: textsOf('fr').organizationNameMissing,
      },
    }),
  },
  'register-slow': {
    system: night,
    html: registerPage({
      locale: 'en',
      system: night,
      ...registering,
      values: { email },
      errors: { form: fillPlain(texts.tooManyAttempts, { wait: '15 minutes' }) },
    }),
  },
  'register-hostile': {
    system: hostile,
    html: registerPage({
      locale: 'en',
      system: hostile,
      ...registering,
      multiAccount: true,
      values: { email: HOSTILE, name: HOSTILE, accountName: HOSTILE },
      errors: { form: HOSTILE, email: HOSTILE, password: HOSTILE, name: HOSTILE, accountName: HOSTILE },
    }),
  },
  'check-mail': {
    system: acme,
    html: checkMailPage({ locale: 'en', system: acme, ...mailing, email, registration: 'an-id' }),
  },
  'check-mail-early': {
    system: sunny,
    html: checkMailPage({
      locale: 'es',
      system: sunny,
      ...mailing,
      email,
      registration: 'an-id',
      errors: { code: textsOf('es').codeWrong },
    }),
  },
  'check-mail-sent': {
    system: night,
    html: checkMailPage({
      locale: 'fr',
      system: night,
      ...mailing,
      email: longEmail,
      registration: HOSTILE,
      notice: textsOf('fr').mailSentAgain,
    }),
  },
  'forgot-password': {
    system: acme,
    html: forgotPasswordPage({ locale: 'en', system: acme, ...form, signIn: '/interaction/sample', email }),
  },
  'forgot-password-faulty': {
    system: sunny,
    html: forgotPasswordPage({
      locale: 'pt',
      system: sunny,
      ...form,
      signIn: '/interaction/sample',
      email: HOSTILE,
      errors: { email: textsOf('pt').emailInvalid },
    }),
  },
  'reset-sent': {
    system: acme,
    html: resetSentPage({ locale: 'en', system: acme, email, signIn: '/interaction/sample' }),
  },
  'reset-sent-long': {
    system: long,
    html: resetSentPage({ locale: 'de', system: long, email: longEmail, signIn: '/interaction/sample' }),
  },
  join: {
    system: acme,
    html: joinPage({ locale: 'en', system: acme, ...form, another, email, multiAccount: false }),
  },
  'join-organization': {
    system: northsea,
    html: joinPage({
      locale: 'pt',
      system: northsea,
      ...form,
      email: longEmail,
      multiAccount: true,
      errors: { accountName: textsOf('pt').organizationNameMissing },
    }),
  },
  'join-hostile': {
    system: hostile,
    html: joinPage({
      locale: 'es',
      system: hostile,
      ...form,
      email: HOSTILE,
      multiAccount: true,
      accountName: HOSTILE,
    }),
  },
}

/** Every page of the sign-in with data that strains it, and a server that shows them as ours does: same policy, same files. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pagePolicy, scripts, stylesheet } from '../../src/ui/assets.ts'
import { brandCss } from '../../src/ui/brand.ts'
import { bdi, fill } from '../../src/ui/html.ts'
import { type Locale, textsOf } from '../../src/ui/i18n/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { accountPage } from '../../src/ui/pages/account.ts'
import { checkMailPage } from '../../src/ui/pages/check-mail.ts'
import { consentPage } from '../../src/ui/pages/consent.ts'
import { deviceCodePage, deviceConfirmPage } from '../../src/ui/pages/device.ts'
import { errorPage } from '../../src/ui/pages/error.ts'
import { forgotPasswordPage, resetSentPage } from '../../src/ui/pages/forgot-password.ts'
import { joinPage } from '../../src/ui/pages/join.ts'
import { loginPage } from '../../src/ui/pages/login.ts'
import { logoutPage } from '../../src/ui/pages/logout.ts'
import { messagePage } from '../../src/ui/pages/message.ts'
import { type NewPasswordErrors, newPasswordPage } from '../../src/ui/pages/new-password.ts'
import { registerPage } from '../../src/ui/pages/register.ts'
import { changePage, verifyPage } from '../../src/ui/pages/verify-email.ts'
import { factorPages, passkeyOptions } from './sample-factor-pages.ts'
import { HOSTILE, LOGO_URL } from './sample-names.ts'
import { ownPages } from './sample-own-pages.ts'

const acme: SystemLook = { name: 'Acme Cloud', color: '#4f46e5' }
const plain: SystemLook = { name: 'Ledger' }
const northsea: SystemLook = { name: 'Northsea', logoUrl: LOGO_URL, color: '#0f766e' }
const sunny: SystemLook = { name: 'Sunny', color: '#ffd60a' }
const night: SystemLook = { name: 'Midnight', color: '#0b1f4d' }
const hostile: SystemLook = { name: HOSTILE, color: 'red;}*{display:none}', logoUrl: 'javascript:alert(1)' }
const long: SystemLook = {
  name: 'Associação Intermunicipal de Transportes e Telecomunicações do Grande Vale do Rio Paranapanema S.A.',
  color: '#be123c',
}

const form = { action: '/interaction/sample', csrf: 'c5rf"token' }
const deviceForm = { action: '/device', xsrf: 'x5rf' }
const email = 'alice@northsea.example'
const longEmail = `${'maximiliane.von-und-zu-hohenlohe.'.repeat(2)}x@${'department-of-international-affairs.'.repeat(2)}example`
const texts = textsOf('en')
const requestId = '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10'

const accounts = [
  { id: 'a1', name: 'Alice Martin', kind: 'personal' },
  { id: 'a2', name: 'Northsea Shipping', kind: 'organization' },
  { id: 'a3', name: 'شركة البحر الشمالي', kind: 'organization' },
] as const
const manyAccounts = Array.from({ length: 24 }, (_, index) => ({
  id: `m${index}`,
  name: [long.name, HOSTILE, '🦊 Fox & Söhne', 'חברת הים', 'Ø', 'Harbour'][index % 6]!,
  kind: 'organization' as const,
}))
const allScopes = ['openid', 'email', 'profile', 'offline_access']

const lengths = { min: 8, max: 128 }
const links = {
  register: '/interaction/sample/register',
  forgotPassword: '/interaction/sample/forgot-password',
}
const providers = ['Google', 'GitHub'].map((name) => ({
  name,
  url: `/social/login?provider=${name.toLowerCase()}`,
}))
const mailing = { ...form, register: '/interaction/sample/register', abort: '/interaction/sample/abort' }
const registering = { ...form, lengths, multiAccount: false, signIn: '/interaction/sample' }
const changePassword = (system: SystemLook, locale: Locale, errors?: NewPasswordErrors) =>
  newPasswordPage({
    locale,
    system,
    lead: fill(textsOf(locale).changePasswordLead, { system: bdi(system.name) }),
    action: form.action,
    hidden: { csrf: form.csrf },
    email,
    lengths,
    errors,
  })
const resetPassword = (locale: Locale, email: string, errors?: NewPasswordErrors) =>
  newPasswordPage({
    locale,
    lead: fill(textsOf(locale).resetPasswordLead, { email: bdi(email) }),
    action: '/reset-password',
    hidden: { token: 'a-token' },
    email,
    lengths,
    errors,
  })

const passkey = { action: '/interaction/sample/passkey', options: passkeyOptions }
const looks = { acme, plain, northsea, sunny, night, hostile, long }

export const samplePages: Record<string, { html: string; system?: SystemLook }> = {
  login: { system: acme, html: loginPage({ locale: 'en', system: acme, ...form, passkey }) },
  'login-plain': { system: plain, html: loginPage({ locale: 'en', system: plain, ...form }) },
  'login-logo': {
    system: northsea,
    html: loginPage({ locale: 'pt', system: northsea, ...form, values: { email } }),
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
  'login-long': {
    system: long,
    html: loginPage({ locale: 'pt', system: long, ...form, values: { email: longEmail } }),
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
  register: { system: acme, html: registerPage({ locale: 'en', system: acme, ...registering }) },
  'register-organization': {
    system: northsea,
    html: registerPage({
      locale: 'es',
      system: northsea,
      ...registering,
      multiAccount: true,
      values: { email },
    }),
  },
  'register-faulty': {
    system: sunny,
    html: registerPage({
      locale: 'pt',
      system: sunny,
      ...registering,
      multiAccount: true,
      values: { email: 'alice@', name: 'Alice Martin' },
      errors: {
        email: textsOf('pt').emailInvalid,
        password: textsOf('pt').passwordShort,
        accountName: textsOf('pt').accountNameMissing,
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
      errors: { form: texts.tooManyAttempts.replace('{wait}', '15 minutes') },
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
    html: checkMailPage({ locale: 'en', system: acme, ...mailing, email, registration: 'sealed' }),
  },
  'check-mail-early': {
    system: sunny,
    html: checkMailPage({
      locale: 'es',
      system: sunny,
      ...mailing,
      email,
      error: textsOf('es').notConfirmedYet,
    }),
  },
  'check-mail-sent': {
    system: night,
    html: checkMailPage({
      locale: 'pt',
      system: night,
      ...mailing,
      email: longEmail,
      notice: textsOf('pt').mailSentAgain,
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
    html: resetSentPage({ locale: 'es', system: long, email: longEmail, signIn: '/interaction/sample' }),
  },
  join: { system: acme, html: joinPage({ locale: 'en', system: acme, ...form, email, multiAccount: false }) },
  'join-organization': {
    system: northsea,
    html: joinPage({
      locale: 'pt',
      system: northsea,
      ...form,
      email: longEmail,
      multiAccount: true,
      errors: { accountName: textsOf('pt').accountNameMissing },
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
  ...(await factorPages({ ...looks, email, longEmail, HOSTILE })),
  ...(await ownPages({ ...looks, email, longEmail, HOSTILE })),
  'change-password': { system: acme, html: changePassword(acme, 'en') },
  'change-password-faulty': {
    system: sunny,
    html: changePassword(sunny, 'es', {
      password: textsOf('es').passwordCommon,
      passwordAgain: textsOf('es').passwordsDiffer,
    }),
  },
  'change-password-hostile': { system: hostile, html: changePassword(hostile, 'pt', { password: HOSTILE }) },
  'reset-password': { html: resetPassword('en', email) },
  'reset-password-differs': { html: resetPassword('en', email, { passwordAgain: texts.passwordsDiffer }) },
  'reset-password-long': { html: resetPassword('pt', longEmail, { password: textsOf('pt').passwordShort }) },
  'password-changed': { html: messagePage({ locale: 'en', kind: 'passwordChanged' }) },
  'verify-email': { html: verifyPage({ locale: 'en', action: '/verify-email', token: 'a-token', email }) },
  'verify-email-long': {
    html: verifyPage({ locale: 'es', action: '/verify-email', token: HOSTILE, email: longEmail }),
  },
  'verify-account': {
    html: verifyPage({
      locale: 'en',
      action: '/verify-email',
      token: 'a-token',
      email,
      registeredAt: 'Acme Cloud',
    }),
  },
  'verify-account-hostile': {
    html: verifyPage({
      locale: 'pt',
      action: '/verify-email',
      token: 'a-token',
      email: longEmail,
      registeredAt: HOSTILE,
    }),
  },
  'account-confirmed': { html: messagePage({ locale: 'es', kind: 'accountConfirmed' }) },
  verified: { html: messagePage({ locale: 'pt', kind: 'verified' }) },
  'change-email': { html: changePage({ locale: 'en', action: '/change-email', token: 'a-token', email }) },
  'change-email-long': {
    html: changePage({ locale: 'es', action: '/change-email', token: 'a-token', email: longEmail }),
  },
  'email-changed': { html: messagePage({ locale: 'en', kind: 'emailChanged' }) },
  'email-waiting': { html: messagePage({ locale: 'es', kind: 'emailWaiting' }) },
  'link-expired': { html: errorPage({ locale: 'en', code: 'link_expired', requestId }) },
  account: {
    system: northsea,
    html: accountPage({ locale: 'en', system: northsea, ...form, accounts, email, accountId: 'a2' }),
  },
  'account-many': {
    system: night,
    html: accountPage({ locale: 'es', system: night, ...form, accounts: manyAccounts, email: longEmail }),
  },
  'account-refused': {
    system: sunny,
    html: accountPage({ locale: 'en', system: sunny, ...form, accounts, email, error: texts.accountMissing }),
  },
  consent: {
    system: acme,
    html: consentPage({
      locale: 'en',
      system: acme,
      ...form,
      scopes: allScopes,
      email,
      account: { name: 'Northsea Shipping' },
      returnsTo: 'app.acme.example',
    }),
  },
  'consent-hostile': {
    system: hostile,
    html: consentPage({
      locale: 'es',
      system: hostile,
      ...form,
      scopes: ['openid', HOSTILE],
      email: longEmail,
      account: { name: HOSTILE },
      returnsTo: HOSTILE,
    }),
  },
  logout: {
    system: sunny,
    html: logoutPage({ locale: 'en', system: sunny, action: '/session/end/confirm', xsrf: 'x5rf' }),
  },
  'logout-alone': { html: logoutPage({ locale: 'es', action: '/session/end/confirm', xsrf: 'x5rf' }) },
  device: { html: deviceCodePage({ locale: 'en', ...deviceForm }) },
  'device-wrong': {
    html: deviceCodePage({
      locale: 'pt',
      ...deviceForm,
      values: { code: 'wdjb-mjhx' },
      errors: { code: textsOf('pt').deviceCodeWrong },
    }),
  },
  'device-hostile': {
    html: deviceCodePage({
      locale: 'en',
      ...deviceForm,
      values: { code: HOSTILE },
      errors: { form: HOSTILE, code: HOSTILE },
    }),
  },
  'device-confirm': {
    system: acme,
    html: deviceConfirmPage({ locale: 'en', system: acme, ...deviceForm, code: 'WDJB-MJHT' }),
  },
  'device-confirm-hostile': {
    system: hostile,
    html: deviceConfirmPage({ locale: 'es', system: hostile, ...deviceForm, code: 'WDJB-MJHT' }),
  },
  'device-done': { system: acme, html: messagePage({ locale: 'en', kind: 'deviceDone', system: acme }) },
  'device-stopped': { html: messagePage({ locale: 'es', kind: 'deviceStopped' }) },
  error: {
    html: errorPage({
      locale: 'en',
      code: 'invalid_redirect_uri',
      parameter: 'redirect_uri',
      description: "redirect_uri did not match any of the client's registered redirect_uris",
      requestId,
    }),
  },
  'error-busy': { html: errorPage({ locale: 'en', code: 'too_many_requests', requestId }) },
  'error-form': { html: errorPage({ locale: 'pt', code: 'csrf_rejected', requestId }) },
  'error-not-found': { html: errorPage({ locale: 'es', code: 'not_found', requestId }) },
  'error-trouble': { html: errorPage({ locale: 'en', code: 'unavailable', requestId }) },
  'error-denied': {
    system: acme,
    html: errorPage({
      locale: 'en',
      code: 'access_denied',
      requestId,
      system: acme,
      next: { href: 'https://app.acme.example/' },
    }),
  },
  'error-provider': {
    html: errorPage({
      locale: 'en',
      code: 'provider_refused',
      requestId,
      description: 'access_denied: The user has cancelled.',
      next: { href: '/interaction/sample' },
    }),
  },
  'error-expired': {
    system: acme,
    html: errorPage({
      locale: 'en',
      code: 'interaction_not_found',
      requestId,
      system: acme,
      next: { href: 'https://app.acme.example/' },
    }),
  },
  'error-hostile': {
    system: hostile,
    html: errorPage({
      locale: 'pt',
      code: HOSTILE,
      parameter: HOSTILE,
      description: HOSTILE,
      requestId,
      system: hostile,
      next: { href: `/${HOSTILE}` },
    }),
  },
  'signed-out': { html: messagePage({ locale: 'en', kind: 'signedOut' }) },
  stayed: { system: plain, html: messagePage({ locale: 'pt', kind: 'stayed', system: plain }) },
  pending: {
    system: night,
    html: messagePage({ locale: 'en', kind: 'pending', system: night, email, next: form }),
  },
  blocked: {
    system: northsea,
    html: messagePage({ locale: 'es', kind: 'blocked', system: northsea, email, next: form }),
  },
  'no-access': {
    system: long,
    html: messagePage({
      locale: 'en',
      kind: 'noAccess',
      system: long,
      email: longEmail,
      next: { href: 'https://long.example/' },
    }),
  },
}

/** Serves `/<sample>` and the assets on a free port of the loopback. */
export async function servePages(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname.slice(1)
    const sample = samplePages[path]
    const brand = /^assets\/brand-([0-9a-f]{6})\.css$/.exec(path)?.[1]
    const css = `/${path}` === stylesheet.url ? stylesheet.content : brand && brandCss(brand)
    if (css) return response.setHeader('content-type', 'text/css; charset=utf-8').end(css)
    const script = scripts.find(({ url }) => url === `/${path}`)
    if (script)
      return response.setHeader('content-type', 'text/javascript; charset=utf-8').end(script.content)
    if (!sample) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader(
      'content-security-policy',
      pagePolicy({ logoUrl: sample.system?.logoUrl, page: sample.html }),
    )
    return response.end(sample.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

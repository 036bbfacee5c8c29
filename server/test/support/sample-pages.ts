/** All sample pages, and a server that serves them with the policy and the files of the real one. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brandCss } from '../../src/texts/brand.ts'
import { type Locale, textsOf } from '../../src/texts/texts.ts'
import { bdi, fill } from '../../src/ui/html.ts'
import { pagePolicy, type SystemLook, scripts, stylesheets } from '../../src/ui/layout.ts'
import { accountPage } from '../../src/ui/pages/account.ts'
import { consentPage } from '../../src/ui/pages/consent.ts'
import { deviceCodePage, deviceConfirmPage } from '../../src/ui/pages/device.ts'
import { errorPage } from '../../src/ui/pages/error.ts'
import { homePage } from '../../src/ui/pages/home.ts'
import { logoutPage } from '../../src/ui/pages/logout.ts'
import { type NewPasswordErrors, newPasswordPage } from '../../src/ui/pages/new-password.ts'
import { changePage, verifyPage } from '../../src/ui/pages/verify-email.ts'
import { connectionPages } from './sample-connection-pages.ts'
import { factorPages } from './sample-factor-pages.ts'
import { invitationPages } from './sample-invitation-pages.ts'
import { HOSTILE } from './sample-names.ts'
import { outcomePages, testSignInPages } from './sample-outcome-pages.ts'
import { selfServicePages } from './sample-self-service-pages.ts'
import { signInPages } from './sample-sign-in-pages.ts'
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
const deviceOrigin = { ip: '203.0.113.7', userAgent: 'AcmeTV/4.2 (Linux)', requestedAt: 1_767_225_600 }
const hostileOrigin = { ip: '203.0.113.7', userAgent: `${hostile.name}${'W'.repeat(120)}`.slice(0, 200) }
const deviceForm = { action: '/device', xsrf: 'x5rf' }
const requestId = '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10'

const accounts = [
  { id: 'a1', name: 'Alice Martin', kind: 'personal' },
  { id: 'a2', name: 'Northsea Shipping', kind: 'organization', lastUsed: true },
  { id: 'a3', name: 'شركة البحر الشمالي', kind: 'organization' },
] as const
const manyAccounts = Array.from({ length: 24 }, (_, index) => ({
  id: `m${index}`,
  name: [long.name, HOSTILE, '🦊 Fox & Söhne', 'חברת הים', 'Ø', 'Harbour'][index % 6]!,
  kind: 'organization' as const,
}))
const another = '/interaction/sample/another'
const notFound = { action: '/interaction/sample', text: 'Harbor', hasMore: false }
const selecting = { ...form, email, abort: '/interaction/sample/abort', another }
const allScopes = ['openid', 'email', 'profile', 'offline_access']

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

const register = (locale: Locale, email: string, system: string) =>
  newPasswordPage({
    locale,
    lead: fill(textsOf(locale).registerLead, { email: bdi(email), system: bdi(system) }),
    action: '/confirm-registration',
    hidden: { token: 'a-token' },
    email,
    lengths,
  })

const looks = { acme, plain, northsea, sunny, night, hostile, long }

export const samplePages: Record<string, { html: string; system?: SystemLook }> = {
  ...signInPages,
  ...(await factorPages({ ...looks, email, longEmail, HOSTILE })),
  ...(await selfServicePages({ ...looks, email, longEmail, HOSTILE })),
  ...outcomePages,
  ...testSignInPages,
  ...connectionPages,
  ...invitationPages({ email, longEmail, HOSTILE, systems: { northsea, hostile, plain } }),
  'change-password': { system: acme, html: changePassword(acme, 'en') },
  'change-password-faulty': {
    system: sunny,
    html: changePassword(sunny, 'es', {
      password: textsOf('es').passwordCommon,
      passwordAgain: textsOf('es').passwordsDiffer,
    }),
  },
  'change-password-hostile': { system: hostile, html: changePassword(hostile, 'ja', { password: HOSTILE }) },
  'reset-password': { html: resetPassword('en', email) },
  'reset-password-differs': { html: resetPassword('en', email, { passwordAgain: texts.passwordsDiffer }) },
  'reset-password-long': { html: resetPassword('fr', longEmail, { password: textsOf('fr').passwordShort }) },
  'verify-email': { html: verifyPage({ locale: 'en', action: '/verify-email', token: 'a-token', email }) },
  'verify-email-long': {
    html: verifyPage({ locale: 'de', action: '/verify-email', token: HOSTILE, email: longEmail }),
  },
  'create-account': { html: register('en', email, 'Acme Cloud') },
  'create-account-hostile': { html: register('pt', longEmail, HOSTILE) },
  'change-email': { html: changePage({ locale: 'en', action: '/change-email', token: 'a-token', email }) },
  'change-email-long': {
    html: changePage({ locale: 'es', action: '/change-email', token: 'a-token', email: longEmail }),
  },
  account: {
    system: northsea,
    html: accountPage({ locale: 'en', system: northsea, ...selecting, accounts }),
  },
  'account-blocked': {
    system: northsea,
    html: accountPage({
      locale: 'en',
      system: northsea,
      ...selecting,
      accounts: accounts.slice(1, 2),
      lost: { name: 'Harbour Logistics', status: 'blocked' },
    }),
  },
  'account-suspended': {
    system: northsea,
    html: accountPage({
      locale: 'fr',
      system: northsea,
      ...selecting,
      accounts: accounts.slice(1, 2),
      lost: { name: 'Harbour Logistics', status: 'suspended' },
    }),
  },
  'account-invited': {
    system: northsea,
    html: accountPage({
      locale: 'en',
      system: northsea,
      ...selecting,
      accounts: [
        { id: 'invitation:1', name: 'Harbour Logistics', kind: 'invitation' },
        { id: 'new', name: texts.organizationNew, kind: 'new' },
      ],
    }),
  },
  'account-red': { system: red, html: accountPage({ locale: 'en', system: red, ...selecting, accounts }) },
  'account-many': {
    system: night,
    html: accountPage({
      locale: 'es',
      system: night,
      ...selecting,
      accounts: manyAccounts,
      email: longEmail,
    }),
  },
  'account-search-long': {
    system: northsea,
    html: accountPage({
      locale: 'de',
      system: northsea,
      ...selecting,
      accounts: manyAccounts.slice(0, 12),
      search: { action: '/interaction/sample', text: '', hasMore: true },
    }),
  },
  'account-search-none': {
    system: northsea,
    html: accountPage({ locale: 'en', system: northsea, ...selecting, accounts: [], search: notFound }),
  },
  'account-refused': {
    system: sunny,
    html: accountPage({
      locale: 'en',
      system: sunny,
      ...selecting,
      accounts,
      error: texts.organizationMissing,
    }),
  },
  consent: {
    system: acme,
    html: consentPage({
      locale: 'en',
      system: acme,
      ...form,
      another,
      scopes: allScopes,
      email,
      account: { name: 'Northsea Shipping' },
      returnsTo: 'app.acme.example',
    }),
  },
  'first-entry': {
    system: acme,
    html: consentPage({
      locale: 'en',
      system: acme,
      ...form,
      another,
      scopes: ['openid', 'email'],
      email,
      account: { name: 'Northsea Shipping' },
      entry: true,
      returnsTo: 'app.acme.example',
    }),
  },
  'consent-hostile': {
    system: hostile,
    html: consentPage({
      locale: 'de',
      system: hostile,
      ...form,
      scopes: ['openid', HOSTILE],
      claims: ['email', 'picture', 'birthdate', 'phone_number', 'address'],
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
    html: deviceConfirmPage({
      locale: 'en',
      system: acme,
      ...deviceForm,
      code: 'WDJB-MJHT',
      device: deviceOrigin,
    }),
  },
  'device-confirm-hostile': {
    system: hostile,
    html: deviceConfirmPage({
      locale: 'ja',
      system: hostile,
      ...deviceForm,
      code: 'WDJB-MJHT',
      device: hostileOrigin,
    }),
  },
  home: { html: homePage({ locale: 'en', hasConsole: true, name: 'id.acme.example' }) },
  'error-busy-wait': {
    html: errorPage({ locale: 'fr', code: 'too_many_requests', requestId, retryAfter: 38 }),
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
}

/** Serves `/<sample>` and the assets on a free port of the loopback. */
export async function servePages(
  samples: Record<string, { html: string; system?: SystemLook }> = samplePages,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname.slice(1)
    const sample = samples[path]
    const brand = /^assets\/brand-([0-9a-f]{6})\.css$/.exec(path)?.[1]
    const sheet = Object.values(stylesheets).find(({ url }) => url === `/${path}`)
    const css = sheet?.content ?? (brand && brandCss(brand))
    if (css) return response.setHeader('content-type', 'text/css; charset=utf-8').end(css)
    const script = scripts.find(({ url }) => url === `/${path}`)
    if (script)
      return response.setHeader('content-type', 'text/javascript; charset=utf-8').end(script.content)
    if (!sample) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader(
      'content-security-policy',
      pagePolicy({ logoUrl: sample.system?.logoUrl, page: sample.html, forms: 'own' }),
    )
    return response.end(sample.html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

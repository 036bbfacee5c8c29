/**
 * Sample pages of every kind of an error, a message and an answered invitation: a kind without a sample does
 * not compile.
 */
import type { Locale } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { type ErrorKind, type ErrorPage, errorPage } from '../../src/ui/pages/error.ts'
import { type AnsweredKind, answeredPage } from '../../src/ui/pages/invitation.ts'
import { type MessageKind, type MessagePage, messagePage } from '../../src/ui/pages/message.ts'
import { testSignInPage } from '../../src/ui/pages/test-sign-in.ts'
import {
  acme,
  email,
  form,
  hostile,
  long,
  longEmail,
  night,
  northsea,
  plain,
  sunny,
} from './sample-systems.ts'

const requestId = '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10'
const another = { ...form, another: '/interaction/sample/another' }

/** A code of each kind, and what its page has besides. */
const ERRORS: Record<ErrorKind, Pick<ErrorPage, 'code'> & Partial<ErrorPage>> = {
  request: {
    code: 'invalid_redirect_uri',
    parameter: 'redirect_uri',
    description: "redirect_uri did not match any of the client's registered redirect_uris",
  },
  logout: {
    code: 'invalid_request',
    purpose: 'logout',
    parameter: 'post_logout_redirect_uri',
    description: 'post_logout_redirect_uri not registered',
  },
  test: {
    code: 'invalid_scope',
    purpose: 'test',
    system: acme,
    description: 'requested scope is not allowed',
  },
  expired: { code: 'interaction_not_found', system: acme },
  finished: { code: 'interaction_finished', system: northsea },
  cookies: { code: 'cookies_required', locale: 'de' },
  denied: { code: 'access_denied', system: acme },
  form: { code: 'csrf_rejected', locale: 'de' },
  notFound: { code: 'not_found', locale: 'fr' },
  right: { code: 'insufficient_authority', locale: 'es' },
  busy: { code: 'too_many_requests' },
  link: { code: 'link_expired', system: acme, again: { action: '/reset-password/again', token: 'a-token' } },
  linkUser: { code: 'link_requires_sign_in', locale: 'pt' },
  provider: {
    code: 'provider_refused',
    description: 'access_denied: The user has cancelled.',
    next: { href: '/interaction/sample' },
  },
  conflict: { code: 'identity_conflict', locale: 'ja' },
  trouble: { code: 'unavailable' },
}

const MESSAGES: Record<MessageKind, { locale?: Locale } & Partial<MessagePage>> = {
  signedOut: {},
  stayed: { locale: 'pt', system: plain },
  passwordChanged: { system: acme },
  verified: { locale: 'pt' },
  registered: { locale: 'es', system: acme },
  userKnown: { locale: 'pt' },
  emailChanged: {},
  emailWaiting: { locale: 'es' },
  deviceDone: { system: acme },
  deviceStopped: { locale: 'es' },
  pending: { system: night, email, next: form, another },
  blocked: { locale: 'es', system: northsea, email, next: form, another },
  suspended: { locale: 'de', system: acme, email, next: form, another, account: 'Nordsee Logistik' },
  noAccess: { system: long, email: longEmail, next: form },
  declined: { system: acme },
  resetAgain: { system: acme },
  profileDeleted: { system: acme },
}

const ANSWERED: Record<AnsweredKind, { locale: Locale; system: SystemLook }> = {
  Joined: { locale: 'en', system: northsea },
  Pending: { locale: 'en', system: acme },
  Member: { locale: 'fr', system: night },
  Blocked: { locale: 'en', system: northsea },
  Suspended: { locale: 'fr', system: northsea },
  Declined: { locale: 'de', system: sunny },
  Mailed: { locale: 'es', system: plain },
}

const dashed = (kind: string) =>
  kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^-/, '')
const locale = 'en'

export const outcomePages: Record<string, { html: string; system?: SystemLook }> = Object.fromEntries([
  [
    'error-link-registration',
    { html: errorPage({ locale: 'fr', requestId, code: 'link_expired', system: long, registers: true }) },
  ],
  ...Object.entries(ERRORS).map(([kind, page]) => [
    `error-${dashed(kind)}`,
    { html: errorPage({ locale, requestId, ...page }), system: page.system },
  ]),
  ...Object.entries(MESSAGES).map(([kind, page]) => [
    `message-${dashed(kind)}`,
    { html: messagePage({ locale, kind: kind as MessageKind, ...page }), system: page.system },
  ]),
  ...Object.entries(ANSWERED).map(([kind, page]) => [
    `invitation-answered-${dashed(kind)}`,
    {
      html: answeredPage({ kind: kind as AnsweredKind, account: 'Northsea Shipping', email, ...page }),
      system: page.system,
    },
  ]),
])

const steps = [
  { step: 'credential', verdict: 'passed', code: 'password' },
  { step: 'factor', verdict: 'skipped', code: 'enrol' },
  { step: 'membership', verdict: 'passed', code: 'active' },
  { step: 'consent', verdict: 'asked', code: 'scopes' },
] as const
const claims = {
  sub: '7d5a3c52-8d0e-4d53-9b53-0a2a3d1c8c11',
  account_id: '0d4c6f0e-6a2b-4d58-8f7c-4d4f0d7d9b01',
  roles: ['editor', 'billing'],
  email,
}
const test = { locale, csrf: form.csrf, action: '/interaction/sample/share', email, isShared: false } as const

export const testSignInPages: Record<string, { html: string; system?: SystemLook }> = {
  'test-sign-in': {
    system: acme,
    html: testSignInPage({
      ...test,
      system: acme,
      result: { steps: [...steps], claims },
      accountName: 'Northsea Shipping',
      creator: 'ana@acme.example',
      another: another.another,
    }),
  },
  'test-sign-in-shared': {
    system: northsea,
    html: testSignInPage({
      ...test,
      locale: 'de',
      system: northsea,
      isShared: true,
      result: { steps: [{ step: 'membership', verdict: 'refused', code: 'blocked' }], claims: null },
      creator: null,
    }),
  },
  'test-sign-in-other': {
    system: night,
    html: testSignInPage({
      ...test,
      system: night,
      result: { steps: [{ step: 'user', verdict: 'refused', code: 'another' }], claims: null },
      creator: 'ana@acme.example',
    }),
  },
  'test-sign-in-hostile': {
    system: hostile,
    html: testSignInPage({
      ...test,
      locale: 'fr',
      system: hostile,
      result: {
        steps: [...steps],
        claims: { ...claims, name: hostile.name, picture: `https://x.example/${'x'.repeat(200)}` },
      },
      accountName: hostile.name,
      creator: longEmail,
    }),
  },
}

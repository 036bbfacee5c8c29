/** Sample pages of self-service, and the page that links a provider during a sign-in. */

import { sendIdentityLinkPage } from '../../src/federation/link-page.ts'
import { emailPage } from '../../src/self-service/email.ts'
import { textsOf } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import { codesPage } from '../../src/ui/pages/self-service/codes.ts'
import { deletePage } from '../../src/ui/pages/self-service/delete.ts'
import { applicationsPage, membershipsPage } from '../../src/ui/pages/self-service/memberships.ts'
import { passwordPage } from '../../src/ui/pages/self-service/password.ts'
import { profilePage } from '../../src/ui/pages/self-service/profile.ts'
import { type SecurityPage, securityPage } from '../../src/ui/pages/self-service/security.ts'
import { sessionsPage } from '../../src/ui/pages/self-service/sessions.ts'
import { qrCode } from '../../src/ui/qr.ts'
import { passkeyOptions } from './sample-factor-pages.ts'
import { linkPages } from './sample-link-pages.ts'
import { readerOf } from './sample-names.ts'
import { organizationPages } from './sample-organization-pages.ts'

type Given = { acme: SystemLook; long: SystemLook; email: string; longEmail: string; HOSTILE: string }
type Samples = Record<string, { html: string; system?: SystemLook }>

const csrf = 'c5rf"token'
const lengths = { min: 8, max: 128 }
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0'
const links = { signIn: '/interaction/sample', register: '/interaction/sample/register' }

export async function selfServicePages(given: Given): Promise<Samples> {
  const framed: Samples = {
    ...profilePages(given),
    ...deletePages(given),
    ...ownCredentialPages(given),
    ...(await securityPages(given)),
    ...linkPages(given),
    ...accessPages(given),
    ...organizationPages(given),
  }
  const ofAcme = Object.entries(framed).map(([name, { html }]) => [name, { html, system: given.acme }])
  return { ...signInPages(given), ...Object.fromEntries(ofAcme) }
}

type Names = Pick<Given, 'acme' | 'long' | 'HOSTILE'>

function sampleDevices({ acme, long, HOSTILE }: Names) {
  const device = {
    sid: 's1',
    isBrowser: true,
    isHere: true,
    ip: '203.0.113.9',
    userAgent: firefox as string | null,
    createdAt: new Date('2026-03-04T09:12:00Z'),
    places: [
      { system: acme.name, account: 'Northsea Shipping' },
      { system: 'Ledger', account: null },
    ] as { system: string; account: string | null }[],
  }
  const elsewhere = {
    ...device,
    sid: 's3',
    isHere: false,
    ip: '198.51.100.77',
    places: [{ system: 'Ledger', account: null }],
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
  }
  const supported = {
    ...elsewhere,
    sid: 's4',
    isBrowser: false,
    ip: null,
    userAgent: null,
    actor: 'Bea Sousa',
    reason: 'Ticket 4711: the invoice is empty',
  }
  const strange = {
    ...device,
    sid: 's2',
    isHere: false,
    ip: null,
    userAgent: null,
    places: [{ system: long.name, account: HOSTILE }],
  }
  return { device, elsewhere, supported, strange }
}

function sampleMemberships({ acme, long }: Names) {
  const membership = {
    accountId: 'a1',
    account: 'Northsea Shipping',
    kind: 'organization' as const,
    system: acme.name,
    status: 'active' as const,
    hasPage: true,
    requireMfa: true,
    isManaged: true,
    roles: ['Editor', 'Reader'],
    allowed: ['openid', 'email'] as string[] | null,
  }
  const personal = {
    ...membership,
    accountId: 'a3',
    account: 'Alice Martin',
    kind: 'personal' as const,
    system: 'Ledger',
    status: 'pending' as const,
    hasPage: false,
    requireMfa: false,
    isManaged: false,
    roles: [],
    allowed: null,
  }
  const blocked = {
    ...membership,
    accountId: 'a2',
    account: long.name,
    status: 'blocked' as const,
    hasPage: false,
    requireMfa: false,
    roles: [],
    allowed: null,
  }
  return { membership, personal, blocked }
}

function accessPages(given: Given): Samples {
  const { acme, long, email, longEmail, HOSTILE } = given
  const { device, elsewhere, supported, strange } = sampleDevices(given)
  const { membership, personal, blocked } = sampleMemberships(given)
  const page = { ...readerOf(acme, email), csrf }
  const longPage = { ...page, ...readerOf(long, longEmail, HOSTILE) }
  return {
    'settings-sessions': { html: sessionsPage({ ...page, devices: [device, elsewhere, supported] }) },
    'settings-sessions-none': {
      html: sessionsPage({ ...page, devices: [], notice: textsOf('en', 'profile').ended }),
    },
    'settings-sessions-long': {
      html: sessionsPage({ ...longPage, locale: 'ja', devices: [device, strange] }),
    },
    'settings-memberships': { html: membershipsPage({ ...page, memberships: [membership, personal] }) },
    'settings-memberships-none': { html: membershipsPage({ ...page, memberships: [] }) },
    'settings-memberships-long': {
      html: membershipsPage({ ...longPage, locale: 'fr', memberships: [membership, blocked] }),
    },
    'settings-applications': { html: applicationsPage({ ...page, memberships: [membership, personal] }) },
    'settings-applications-none': { html: applicationsPage({ ...page, memberships: [] }) },
    'settings-applications-long': {
      html: applicationsPage({
        ...longPage,
        locale: 'de',
        memberships: [{ ...blocked, allowed: [HOSTILE] }],
      }),
    },
  }
}

function profilePages({ acme, long, email, longEmail, HOSTILE }: Given): Samples {
  const reader = { ...readerOf(acme, email, 'Alice Martin'), csrf }
  const longReader = { ...readerOf(long, longEmail, HOSTILE), csrf }
  const details = {
    nickname: null,
    picture: 'https://northsea.example/people/alice.jpg',
    website: null,
    birthdate: '0000-05-17',
    zoneinfo: 'Europe/Lisbon',
    phoneNumber: '+351210000000',
  }
  const alice = { ...details, name: 'Alice Martin', givenName: 'Alice', familyName: 'Martin', locale: 'en' }
  const strange = {
    ...details,
    name: HOSTILE,
    givenName: HOSTILE,
    familyName: null,
    nickname: HOSTILE,
    website: HOSTILE,
    locale: 'gsw-CH',
  }
  return {
    'settings-profile': {
      html: profilePage({
        ...reader,
        profile: alice,
        notice: textsOf('en', 'profile').saved,
      }),
    },
    'settings-profile-long': {
      html: profilePage({
        ...longReader,
        locale: 'de',
        profile: strange,
        errors: { name: textsOf('de', 'profile').tooLong, website: textsOf('de', 'profile').wrongUrl },
      }),
    },
  }
}

function deletePages({ acme, long, email, longEmail, HOSTILE }: Given): Samples {
  const reader = { ...readerOf(acme, email, 'Alice Martin'), csrf }
  const longReader = { ...readerOf(long, longEmail, HOSTILE), csrf }
  const own = { name: 'Northsea Shipping', system: acme.name, hasPage: true }
  return {
    'settings-delete': {
      html: deletePage({
        ...reader,
        organizations: [
          { ...own, id: 'o1', fate: 'left' },
          { ...own, id: 'o2', name: 'Alice Consulting', fate: 'deleted' },
        ],
        applications: [acme.name, 'Ledger'],
        isLastOfPlatform: false,
      }),
    },
    'settings-delete-prevented-long': {
      html: deletePage({
        ...longReader,
        locale: 'de',
        organizations: [
          { ...own, id: 'o1', name: HOSTILE, fate: 'lastAdmin' },
          { ...own, id: 'o2', fate: 'kept' },
        ],
        applications: [HOSTILE],
        isLastOfPlatform: true,
        errors: { form: textsOf('de', 'profile').deleteRefused },
      }),
    },
  }
}

function ownCredentialPages({ acme, long, email, longEmail, HOSTILE }: Given): Samples {
  const reader = { ...readerOf(acme, email, 'Alice Martin'), csrf }
  const longReader = { ...readerOf(long, longEmail, HOSTILE), csrf }
  const user = { email, hasPassword: true, emailVerified: true }
  return {
    'settings-email': {
      html: emailPage({ ...reader, user, value: '', errors: {}, notice: undefined }),
    },
    'settings-email-wrong': {
      html: emailPage({
        ...reader,
        locale: 'es',
        user: { ...user, emailVerified: false },
        value: 'alice@',
        errors: { email: textsOf('es', 'profile').emailWrong },
        notice: undefined,
      }),
    },
    'settings-email-long': {
      html: emailPage({
        ...longReader,
        locale: 'fr',
        user: { ...user, email: longEmail },
        value: HOSTILE,
        errors: { email: textsOf('fr', 'profile').emailWrong },
        notice: textsOf('fr', 'profile').emailAsked,
      }),
    },
    'settings-password': { html: passwordPage({ ...reader, user, lengths }) },
    'settings-password-wrong': {
      html: passwordPage({
        ...reader,
        locale: 'pt',
        user,
        lengths,
        errors: { current: textsOf('pt', 'profile').currentWrong, password: textsOf('pt').passwordCommon },
      }),
    },
    'settings-password-first': {
      html: passwordPage({ ...reader, locale: 'es', user: { ...user, hasPassword: false }, lengths }),
    },
  }
}

async function securityPages({ acme, email, longEmail, HOSTILE }: Given): Promise<Samples> {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const uri = `otpauth://totp/id.example:alice?secret=${secret}`
  const offer = { secret, uri, qr: await qrCode(uri, textsOf('en').enrolQr) }
  const keys = [
    { id: 'k1', name: 'Phone of Alice', lastUsedAt: new Date('2026-03-05T10:00:00Z') },
    { id: 'k2', name: 'Key ring', lastUsedAt: null },
  ]
  const linked = [{ id: 'google', name: 'Google', email }]
  const offered = [
    { id: 'apple', name: 'Apple' },
    { id: 'github', name: 'GitHub' },
  ]
  const codes = Array.from({ length: 10 }, (_, at) => `ABCD${'EFGHIJKLMN'[at]}-OPQRS`)
  const none = {
    hasPassword: true,
    totp: false,
    offer,
    keys: [],
    linked: [],
    offered: [],
    left: 0,
    passkey: passkeyOptions,
  }
  const page = (more: Partial<SecurityPage>) => ({
    html: securityPage({ ...readerOf(acme, email), csrf, ...none, ...more }),
  })
  return {
    'settings-security': page({ totp: true, offer: undefined, keys, linked, offered, left: 9 }),
    'settings-codes': { html: codesPage({ ...readerOf(acme, email), csrf, codes }) },
    'settings-codes-passkey': {
      html: codesPage({
        ...readerOf(acme, email),
        locale: 'de',
        csrf,
        codes,
        passkey: { id: 'k1', name: HOSTILE },
      }),
    },
    'settings-security-first': page({}),
    'settings-security-wrong': page({ locale: 'pt', errors: { code: textsOf('pt').codeWrong } }),
    'settings-security-long': page({
      locale: 'fr',
      totp: true,
      offer: undefined,
      keys: [{ id: 'k1', name: HOSTILE, lastUsedAt: null }],
      linked: [{ id: 'other', name: HOSTILE, email: longEmail }],
      offered: [{ id: 'another', name: HOSTILE }],
      left: 1,
      notice: textsOf('fr', 'profile').removed,
      errors: { form: textsOf('fr', 'profile').onlyWayIn },
    }),
  }
}

function signInPages({ acme, long, email, longEmail, HOSTILE }: Given): Samples {
  const linking = { action: '/interaction/sample/social/link', csrf, links }
  return {
    'social-link': {
      system: acme,
      html: sendIdentityLinkPage({
        locale: 'en',
        system: acme,
        provider: 'Google',
        ...linking,
        values: { email },
      }),
    },
    'social-link-or-code': {
      system: acme,
      html: sendIdentityLinkPage({
        locale: 'es',
        system: acme,
        provider: 'Microsoft',
        ...linking,
        values: { email },
        code: 'offered',
      }),
    },
    'social-link-code': {
      system: acme,
      html: sendIdentityLinkPage({
        locale: 'en',
        system: acme,
        provider: 'Microsoft',
        ...linking,
        values: { email },
        code: 'sent',
      }),
    },
    'social-link-long': {
      system: long,
      html: sendIdentityLinkPage({
        locale: 'pt',
        system: long,
        provider: HOSTILE,
        ...linking,
        values: { email: longEmail },
        errors: { form: textsOf('pt').wrongCredentials },
      }),
    },
  }
}

/** The pages of the test of a connection, and of a sign-in by one. */
import { textsOf } from '../../src/texts/texts.ts'
import type { SystemLook } from '../../src/ui/layout.ts'
import {
  anotherUserPage,
  connectionRefusedPage,
  connectionStartPage,
  connectionsPage,
  linkByCodePage,
} from '../../src/ui/pages/connection-sign-in.ts'
import { connectionResultPage, connectionTestPage } from '../../src/ui/pages/connection-test.ts'
import { loginPage } from '../../src/ui/pages/login.ts'
import { registerPage } from '../../src/ui/pages/register.ts'
import { links, passkey, providers, registering } from './sample-sign-in-pages.ts'
import { acme, form, hostile, long, northsea } from './sample-systems.ts'

const of = {
  locale: 'en',
  name: 'Okta',
  organization: 'Northsea Shipping',
  issuer: 'https://northsea.okta.com',
  host: 'northsea.okta.com',
  kind: 'oidc',
} as const
const assertion = {
  subject: '00u1a2b3c4',
  missing: [],
  email: 'ana@northsea.example',
  address: 'verified' as const,
  name: 'Ana Lovelace',
  groups: ['Crew', 'Office'],
  mfa: true,
  authTime: 1_775_000_000,
}

const offered = (id: string, name: string, organization: string) => ({
  ...{ id, name, organization, host: 'northsea.okta.com', url: `/interaction/sample/connection/${id}` },
})
const linking = (email: string) => ({
  ...{ ...of, ...form, email, action: '/interaction/sample/connection/code' },
  other: '/interaction/sample?ways=other',
})
const asking = { address: '/interaction/sample/address' }
const refusal = {
  again: '/interaction/sample/connection/1',
  signIn: '/interaction/sample?ways=other',
  requestId: '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10',
}

export const connectionPages: Record<string, { html: string; system?: SystemLook }> = {
  connections: {
    system: acme,
    html: connectionsPage({
      ...{ locale: 'en', system: acme, other: '/interaction/sample?ways=other' },
      connections: [
        offered('1', 'Okta', 'Northsea Shipping'),
        offered('2', long.name, 'Northsea Shipping'),
        offered('3', hostile.name, 'Northsea Shipping'),
      ],
    }),
  },
  'connections-one': {
    system: northsea,
    html: connectionsPage({
      ...{ locale: 'de', system: northsea, other: '/interaction/sample?ways=other' },
      connections: [offered('1', 'Okta', 'Northsea Shipping')],
    }),
  },
  'connections-going-on': {
    system: acme,
    html: connectionsPage({
      ...{ locale: 'en', system: acme, other: '/interaction/sample?ways=other' },
      connections: [offered('1', 'Okta', 'Northsea Shipping')],
      goesOn: offered('1', 'Okta', 'Northsea Shipping'),
    }),
  },
  'connections-going-on-long': {
    system: northsea,
    html: connectionsPage({
      ...{ locale: 'de', system: northsea, other: '/interaction/sample?ways=other' },
      connections: [offered('1', long.name, long.name)],
      goesOn: { ...offered('1', long.name, long.name), host: `${'login.'.repeat(12)}northsea.example` },
    }),
  },
  'connection-required': {
    system: northsea,
    html: connectionsPage({
      ...{ locale: 'en', system: northsea, other: '' },
      connections: [offered('1', 'Okta', 'Northsea Shipping')],
      exits: { csrf: form.csrf, another: '/interaction/sample/another', abort: '/interaction/sample/abort' },
    }),
  },
  'connection-another-user-none': {
    system: acme,
    html: anotherUserPage({
      ...{ ...of, ...form, system: acme, stay: undefined, action: '/interaction/sample/connection' },
      current: { email: 'ana@northsea.example', name: 'Ana Lovelace' },
      next: { email: null, name: null },
    }),
  },
  'connections-of-two': {
    system: northsea,
    html: connectionsPage({
      ...{ locale: 'de', system: northsea, other: '/interaction/sample?ways=other' },
      connections: [offered('1', 'Okta', 'Northsea Shipping'), offered('2', 'Entra ID', long.name)],
    }),
  },
  'login-single-sign-on': {
    system: acme,
    html: loginPage({ locale: 'en', system: acme, ...form, ...asking, links }),
  },
  'login-single-sign-on-none': {
    system: northsea,
    html: loginPage({
      ...{ locale: 'de', system: northsea, ...form, ...asking, links, passkey },
      values: { email: 'ana@northsea.example' },
      notice: textsOf('de').connectionsNone,
    }),
  },
  'login-connections': {
    system: acme,
    html: loginPage({
      ...{ locale: 'en', system: acme, ...form, ...asking, links, passkey, providers },
      values: { email: 'ana@northsea.example' },
      errors: { form: textsOf('en').wrongCredentials },
      connections: [
        offered('1', 'Okta', 'Northsea Shipping'),
        offered('2', long.name, long.name),
        offered('3', hostile.name, hostile.name),
      ],
    }),
  },
  'register-connections': {
    system: northsea,
    html: registerPage({
      ...{ locale: 'ja', system: northsea, ...registering },
      values: { email: 'ana@northsea.example' },
      errors: { password: textsOf('ja').passwordShort },
      connections: [offered('1', 'Okta', 'Northsea Shipping')],
    }),
  },
  'connection-another-user': {
    system: northsea,
    html: anotherUserPage({
      ...{ ...of, ...form, locale: 'de', system: northsea, stay: '/interaction/sample' },
      action: '/interaction/sample/connection',
      current: { email: 'ana@northsea.example', name: 'Ana Lovelace' },
      next: { email: null, name: hostile.name },
    }),
  },
  'connection-link': {
    system: acme,
    html: linkByCodePage({ ...linking('ana@elsewhere.example'), system: acme, underWay: false }),
  },
  'connection-link-code': {
    system: northsea,
    html: linkByCodePage({
      ...{
        ...linking(long.name),
        locale: 'de',
        system: northsea,
        name: hostile.name,
        underWay: true,
        wait: 45,
      },
      errors: { code: 'Der Code ist falsch.' },
    }),
  },
  'connection-refused': {
    system: acme,
    html: connectionRefusedPage({ ...of, ...refusal, system: acme, isFailed: false }),
  },
  'connection-failed': {
    system: hostile,
    html: connectionRefusedPage({
      ...{ ...of, ...refusal, locale: 'ja', system: hostile, name: hostile.name, isFailed: true },
      organization: long.name,
    }),
  },
  'connection-start-closed': {
    system: acme,
    html: connectionStartPage({
      ...{ locale: 'en', organization: 'Northsea Shipping' },
      system: { ...acme, next: undefined },
    }),
  },
  'connection-start': {
    system: northsea,
    html: connectionStartPage({ locale: 'fr', system: northsea, organization: long.name }),
  },
  'connection-test': {
    system: acme,
    html: connectionTestPage({ ...of, ...form, system: acme, action: '/sso/sample/test' }),
  },
  'connection-test-passed': {
    system: acme,
    html: connectionResultPage({
      ...{ ...of, system: acme, assertion },
      standing: { isOwnDomain: true, isMember: true },
    }),
  },
  'connection-test-warnings': {
    system: northsea,
    html: connectionResultPage({
      ...{ ...of, locale: 'de', system: northsea, standing: { isOwnDomain: false, isMember: false } },
      assertion: {
        ...assertion,
        ...{ missing: ['hd', 'tid'], address: 'guest', groups: 'overage', mfa: false, authTime: null },
      },
    }),
  },
  'connection-test-failed': {
    system: hostile,
    html: connectionResultPage({
      ...{ ...of, locale: 'fr', system: hostile, name: hostile.name, organization: long.name },
      refused: {
        code: 'provider_refused',
        detail: `invalid_client: ${hostile.name}`,
        requestId: '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10',
        again: '/sso/sample/test',
      },
    }),
  },
}

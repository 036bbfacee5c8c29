/** The pages of the test of a connection. */
import type { SystemLook } from '../../src/ui/layout.ts'
import { connectionResultPage, connectionTestPage } from '../../src/ui/pages/connection-test.ts'
import { acme, form, hostile, long, northsea } from './sample-systems.ts'

const of = {
  locale: 'en',
  name: 'Okta',
  organization: 'Northsea Shipping',
  issuer: 'https://northsea.okta.com',
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

export const connectionPages: Record<string, { html: string; system?: SystemLook }> = {
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

/** Sample pages of the single sign-on of an organization. */
import { type Locale, textsOf } from '../../src/texts/texts.ts'
import { connectionPage } from '../../src/ui/pages/self-service/organizations/connection.ts'
import { linksPage } from '../../src/ui/pages/self-service/organizations/connection-links.ts'
import { logPage, newConnectionPage } from '../../src/ui/pages/self-service/organizations/connections.ts'
import { singleSignOnPage } from '../../src/ui/pages/self-service/organizations/single-sign-on.ts'
import { type Members, option } from './sample-member-pages.ts'
import { readerOf } from './sample-names.ts'

const csrf = 'c5rf"token'

const connection = {
  id: 'c1',
  name: 'Okta',
  kind: 'oidc' as const,
  enabled: false,
  issuer: 'https://northsea.okta.com',
  hasSecret: true,
  secretExpiresAt: new Date('2036-06-01T00:00:00Z'),
  certificates: [],
  missing: [] as string[],
  testedAt: new Date('2026-03-04T09:12:00Z'),
  isChanged: false,
  lastUsedAt: null as Date | null,
  lastError: null as string | null,
  isAbove: false,
}
const draft = {
  ...{ ...connection, name: 'Google', issuer: null, hasSecret: false, secretExpiresAt: null, testedAt: null },
  missing: ['issuer', 'clientId', 'clientSecret'],
}
/** With everything that can be wrong. */
const worn = {
  ...{ ...connection, enabled: true, secretExpiresAt: new Date('2026-02-01T00:00:00Z') },
  ...{ isChanged: true, lastError: 'provider_refused' },
}

export function singleSignOnSamples({ acme, organization, email, HOSTILE }: Members) {
  const domain = {
    id: 'd1',
    name: 'northsea.example',
    subdomains: false,
    status: 'verified' as const,
    outcome: 'verified' as const,
    found: null,
    checking: false,
    checkedAt: new Date('2026-03-04T09:12:00Z'),
    lapsesAt: null,
    record: {
      name: '_orders-challenge.northsea.example',
      type: 'TXT',
      value: 'orders-verification=8Hq2nVtY6pXc0LrWm4sKd9fBzJg1uTeAaR7iQ5oN3vE',
    },
    isAbove: false,
  }
  const fresh = {
    ...domain,
    id: 'd2',
    name: 'northsea-shipping.example',
    status: 'pending' as const,
    outcome: null,
    checkedAt: null,
    checking: true,
  }
  const missing = {
    ...domain,
    id: 'd3',
    name: 'xn--nrdsee-cua.example',
    subdomains: true,
    outcome: 'missing' as const,
    found: { values: ['orders-verification=old', HOSTILE], others: 2 },
    lapsesAt: new Date('2026-03-11T09:12:00Z'),
  }
  const lapsed = {
    ...domain,
    id: 'd4',
    name: 'ships.northsea.example',
    status: 'lapsed' as const,
    outcome: 'failing' as const,
    isAbove: true,
  }
  const typed = { name: '', subdomains: false }
  const page = { ...readerOf(acme, email), csrf, organization, typed }
  const texts = textsOf('de', 'singleSignOn')
  return {
    ...connectionSamples({ page, HOSTILE }),
    'organization-sso': {
      html: singleSignOnPage({
        ...page,
        connections: [
          { ...connection, enabled: true, lastUsedAt: new Date('2026-03-05T07:31:00Z') },
          { ...draft, id: 'c2', name: 'Entra ID' },
        ],
        domains: [domain, fresh],
      }),
    },
    'organization-sso-none': {
      html: singleSignOnPage({
        ...page,
        locale: 'ja',
        connections: [],
        domains: [],
        notice: textsOf('ja', 'singleSignOn').removedDone,
      }),
    },
    'organization-sso-long': {
      html: singleSignOnPage({
        ...page,
        locale: 'de',
        connections: [{ ...worn, name: HOSTILE }],
        domains: [missing, lapsed],
        typed: { name: HOSTILE, subdomains: true },
        errors: { name: texts.nameWrong },
      }),
    },
    'organization-sso-closed': {
      html: singleSignOnPage({
        ...page,
        locale: 'fr',
        organization: { ...organization, setsUpSso: false, system: HOSTILE },
        connections: [{ ...worn, isAbove: true }],
        domains: [
          { ...domain, isAbove: true },
          { ...missing, found: null },
        ],
      }),
    },
  }
}

type Page = Pick<
  Parameters<typeof connectionPage>[0],
  'locale' | 'look' | 'person' | 'zone' | 'csrf' | 'organization'
>

function connectionSamples({ page, HOSTILE }: { page: Page; HOSTILE: string }) {
  const stored = {
    name: connection.name,
    issuer: connection.issuer,
    clientId: '0oa1b2c3d4',
    clientSecret: '',
    secretExpiresAt: '2036-06-01',
    subjectAttribute: 'sub',
    requiredClaims: '',
    scopes: 'openid email profile',
    sessionHours: '24',
    jit: 'yes',
    closedIssuer: 'no',
    groupAttribute: '',
    mfaAcr: '',
    reauthentication: 'no',
    metadata: '',
    ssoUrl: '',
    certificates: '',
  }
  const at = 'https://id.example.com/sso/5f0c2c1e-6d0a-4d3c-9f43-0c2f8a1d7e55'
  const addresses = {
    redirectUri: `${at}/callback` as string | null,
    startUrl: `${at}/start`,
    acsUrl: null as string | null,
    entityId: null as string | null,
  }
  const fresh = { ...stored, name: draft.name, issuer: '', clientId: '', secretExpiresAt: '', jit: 'no' }
  const ofSaml = { ...fresh, subjectAttribute: '', ssoUrl: `https://idp.northsea.example/${HOSTILE}` }
  const samlAddresses = { ...addresses, redirectUri: null, acsUrl: `${at}/acs`, entityId: `${at}/metadata` }
  const certificates = [{ notAfter: '2025-03-04T09:12:00.000Z' }, { notAfter: '2036-03-04T09:12:00.000Z' }]
  const roles = [option('Editor', { isHeld: true }), option('Reader')]
  const one = {
    ...page,
    connection: { ...connection, ...addresses },
    service: 'okta' as const,
    domain: 'northsea.example',
    stored,
    typed: stored,
    roles,
  }
  const of = (locale: Locale) => textsOf(locale, 'connections')
  const attempt = {
    time: new Date('2026-03-04T09:12:00Z'),
    outcome: 'signed_in' as const,
    code: null,
    subject: '00u1a2b3c4',
    email: 'ana@northsea.example',
    requestId: '0b7a3f8e-54d1-4c1e-9c43-2f6f5f1f8a10',
  }
  const attempts = [
    attempt,
    { ...attempt, outcome: 'tested' as const },
    { ...attempt, outcome: 'refused' as const, code: 'not_member', email: 'new@northsea.example' },
    { ...attempt, outcome: 'refused' as const, code: 'provider_refused', email: null, subject: null },
  ]
  const log = { ...page, connection: { id: 'c1', name: connection.name } }
  const link = {
    ...{ membershipId: 'm1', email: 'ana@northsea.example', member: 'Ana Lovelace', subject: '00u1a2b3c4' },
    lastUsedAt: new Date('2026-03-04T09:12:00Z') as Date | null,
  }
  const known = { ...page, connection: { id: 'c1', name: connection.name, isAbove: false } }
  const unused = {
    ...link,
    membershipId: 'm2',
    email: 'ben@northsea.example',
    member: null,
    lastUsedAt: null,
  }
  return {
    'organization-connection-new': {
      html: newConnectionPage({ ...page, typed: '', service: undefined, kind: 'oidc', hasSaml: true }),
    },
    'organization-connection-new-long': {
      html: newConnectionPage({
        ...{ ...page, locale: 'ja', typed: HOSTILE, service: 'other', kind: 'saml', hasSaml: false },
        errors: { name: of('ja').nameTaken },
      }),
    },
    'organization-connection-draft': {
      html: connectionPage({
        ...{ ...one, service: 'google', stored: fresh, typed: fresh, notice: of('en').createdDone },
        connection: { ...draft, ...addresses },
      }),
    },
    'organization-connection': {
      html: connectionPage({ ...one, connection: { ...one.connection, enabled: true } }),
    },
    'organization-connection-tested': {
      html: connectionPage({ ...one, locale: 'de', service: 'entra' }),
    },
    'organization-connection-long': {
      html: connectionPage({
        ...{ ...one, locale: 'de', connection: { ...worn, ...addresses, name: HOSTILE }, service: 'entra' },
        typed: { ...stored, issuer: HOSTILE, requiredClaims: HOSTILE, sessionHours: '0', name: HOSTILE },
        roles: [option(HOSTILE)],
        errors: {
          issuer: of('de').issuerShared,
          requiredClaims: of('de').claimsWrong,
          sessionHours: of('de').hoursWrong,
        },
      }),
    },
    'organization-connection-saml': {
      html: connectionPage({
        ...{ ...one, locale: 'es', service: undefined, stored: ofSaml },
        typed: { ...ofSaml, metadata: HOSTILE, certificates: HOSTILE },
        connection: { ...draft, ...samlAddresses, kind: 'saml', certificates },
        errors: { metadata: of('es').metadataWrong, certificates: of('es').certificatesWrong },
      }),
    },
    'organization-connection-saml-closed': {
      html: connectionPage({
        ...{ ...one, service: undefined, stored: ofSaml },
        connection: {
          ...worn,
          ...samlAddresses,
          ...{ kind: 'saml', certificates },
          secretExpiresAt: null,
          isAbove: true,
        },
      }),
    },
    'organization-connection-closed': {
      html: connectionPage({
        ...{ ...one, locale: 'fr', connection: { ...worn, ...addresses, isAbove: true } },
        stored: { ...stored, requiredClaims: `hd=${HOSTILE}` },
      }),
    },
    'organization-connection-off-closed': {
      html: connectionPage({
        ...{ ...one, locale: 'pt', connection: { ...worn, ...addresses } },
        organization: { ...page.organization, setsUpSso: false, system: HOSTILE },
      }),
    },
    'organization-connection-links': {
      html: linksPage({
        ...{ ...known, links: [link, unused], filters: { page: 1 }, hasNext: true },
        notice: of('en').unlinkedDone,
      }),
    },
    'organization-connection-links-long': {
      html: linksPage({
        ...{ ...known, locale: 'de', filters: { page: 2 }, hasNext: false },
        links: [{ ...link, member: HOSTILE, subject: HOSTILE }],
        connection: { id: 'c1', name: HOSTILE, isAbove: true },
        errors: { form: textsOf('de', 'organization').refused },
      }),
    },
    'organization-connection-links-none': {
      html: linksPage({ ...known, locale: 'ja', links: [], filters: { page: 1 }, hasNext: false }),
    },
    'organization-connection-log': { html: logPage({ ...log, attempts }) },
    'organization-connection-log-long': {
      html: logPage({
        ...{ ...log, locale: 'de', connection: { id: 'c1', name: HOSTILE } },
        attempts: [{ ...attempt, outcome: 'refused', code: HOSTILE, subject: HOSTILE, email: HOSTILE }],
      }),
    },
    'organization-connection-log-none': { html: logPage({ ...log, locale: 'ja', attempts: [] }) },
  }
}

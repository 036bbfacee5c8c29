/** Responses in the forms of providers that customers have, made with a key of the test. */
import type { SamlKey } from './saml-keys.ts'
import { inDocument, type SamlShape, samlResponse, XS_NS, XSI_NS } from './saml-provider.ts'

const FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:'
const FORMAT_2 = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'
const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const MICROSOFT = 'http://schemas.microsoft.com/identity/claims'
const ENTITY = ` Format="${FORMAT_2}entity"`

export const SAML_NOW = new Date('2026-03-01T12:00:00.000Z')

const OURS = {
  entityId: 'https://id.example.com/sso/con_1/metadata',
  acsUrl: 'https://id.example.com/sso/con_1/acs',
  requestId: '_0123456789abcdef0123456789abcdef',
  now: SAML_NOW,
}

export type SamlSample = {
  shape: SamlShape
  document: string
  subject: string
  /** Line breaks in the base64. */
  isWrapped?: boolean
}

const email = (value: string) => ({ value, attributes: ` Format="${FORMAT}emailAddress"` })
const PLAIN = { protocol: 'samlp', assertion: 'saml', signature: 'ds' }
const SHIBBOLETH = { protocol: 'saml2p', assertion: 'saml2', signature: 'ds' }
const DEFAULT = { protocol: 'samlp', assertion: '', signature: '' }

type Kind = Partial<SamlShape> & Pick<SamlShape, 'prefixes' | 'signs' | 'issuer' | 'nameId'>
export const samlShape = (kind: Kind): SamlShape => ({ ...OURS, attributes: {}, ...kind })

/** Declares `xs` where the type of a value uses it, which the canonical form leaves out. */
const withSchema = (text: string) => text.replaceAll(`xmlns:xsi="${XSI_NS}"`, `xmlns:xs="${XS_NS}" $&`)
const withDeclaration = (text: string, more = '') => `<?xml version="1.0" encoding="UTF-8"${more}?>\n${text}`

const GENERIC = samlShape({
  ...{ prefixes: PLAIN, signs: 'assertion', issuer: 'https://idp.example.com/saml' },
  nameId: email('ada@example.com'),
  attributes: { email: ['ada@example.com'], groups: ['Staff', 'Admins'] },
})
export const GENERIC_SHAPE = GENERIC

const SHAPES: Record<string, { shape: SamlShape; subject: string; write?: (text: string) => string }> = {
  'Entra ID': {
    shape: samlShape({
      ...{ prefixes: DEFAULT, signs: 'assertion' },
      issuer: 'https://sts.windows.net/9c2f8f3a-4f0e-4d0a-9a64-0a35d6d1d0a1/',
      nameId: email('ada@contoso.example'),
      attributes: {
        [`${MICROSOFT}/tenantid`]: ['9c2f8f3a-4f0e-4d0a-9a64-0a35d6d1d0a1'],
        [`${MICROSOFT}/objectidentifier`]: ['3b1f7a62-98a7-4b6e-8f83-5dfd6b8f9d11'],
        [`${MICROSOFT}/displayname`]: ['Ada Löwe'],
        [`${CLAIMS}/emailaddress`]: ['ada@contoso.example'],
        'http://schemas.microsoft.com/claims/authnmethodsreferences': [
          'http://schemas.microsoft.com/ws/2008/06/identity/authenticationmethod/password',
          'http://schemas.microsoft.com/claims/multipleauthn',
        ],
      },
      authnContext: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
    }),
    subject: '["nameid","ada@contoso.example"]',
  },
  Okta: {
    shape: samlShape({
      ...{ prefixes: SHIBBOLETH, signs: 'both', issuer: 'http://www.okta.com/exk1a2b3c4d5e6f7g8h9' },
      ...{ issuerAttributes: ENTITY, prefixList: 'xs', type: 'xs:string' },
      nameId: { value: 'ada@example.com', attributes: ` Format="${FORMAT}unspecified"` },
      attributes: { firstName: ['Ada'], lastName: ['Löwe'], groups: ['Everyone', 'R&amp;D'] },
    }),
    subject: '["nameid","ada@example.com"]',
    write: withDeclaration,
  },
  'Google Workspace, response signed': {
    shape: samlShape({
      ...{ prefixes: SHIBBOLETH, signs: 'response', type: 'xs:anyType' },
      issuer: 'https://accounts.google.com/o/saml2?idpid=C01abcdef',
      nameId: email('ada@example.com'),
      attributes: { email: ['ada@example.com'] },
    }),
    subject: '["nameid","ada@example.com"]',
    write: (text) => withDeclaration(withSchema(text), ' standalone="no"'),
  },
  'Google Workspace, assertion signed': {
    shape: samlShape({
      ...{ prefixes: SHIBBOLETH, signs: 'assertion', type: 'xs:anyType' },
      issuer: 'https://accounts.google.com/o/saml2?idpid=C01abcdef',
      nameId: email('ada@example.com'),
      attributes: { email: ['ada@example.com'] },
    }),
    subject: '["nameid","ada@example.com"]',
    write: (text) => withDeclaration(withSchema(text), ' standalone="no"'),
  },
  Keycloak: {
    shape: samlShape({
      ...{ prefixes: { ...PLAIN, signature: 'dsig' }, signs: 'both', type: 'xs:string' },
      issuer: 'https://keycloak.example.com/realms/staff',
      nameId: {
        value: 'G-2e0f9d4c-5b8e-4d1b-9a53-5f3f5e3f8f61',
        attributes: ` Format="${FORMAT_2}persistent"`,
      },
      attributes: { Role: ['offline_access', 'uma_authorization'], email: ['ada@example.com'] },
      keyInfo: '<dsig:KeyName>kQ2f</dsig:KeyName>',
    }),
    subject: JSON.stringify([
      ...['nameid', `${FORMAT_2}persistent`, 'https://keycloak.example.com/realms/staff', OURS.entityId],
      'G-2e0f9d4c-5b8e-4d1b-9a53-5f3f5e3f8f61',
    ]),
    write: withSchema,
  },
  ADFS: {
    shape: samlShape({
      ...{ prefixes: { ...DEFAULT, signature: 'ds' }, signs: 'assertion' },
      issuer: 'http://adfs.example.com/adfs/services/trust',
      nameId: { value: 'EXAMPLE\\ada' },
      attributes: {
        [`${CLAIMS}/upn`]: ['ada@example.com'],
        'http://schemas.xmlsoap.org/claims/Group': ['Domain Users'],
      },
      algorithm: { signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' },
    }),
    subject: '["nameid","EXAMPLE\\\\ada"]',
    write: (text) =>
      text.replace(' ID="_response"', ' Consent="urn:oasis:names:tc:SAML:2.0:consent:unspecified"$&'),
  },
  OneLogin: {
    shape: samlShape({
      ...{ prefixes: PLAIN, signs: 'response', type: 'xs:string' },
      issuer: 'https://app.onelogin.com/saml/metadata/2f1f6c9e-0f62-4a4c-8a70-0d6a4c3b5a11',
      nameId: email('Ada@Example.com'),
      attributes: { 'User.email': ['ada@example.com'], 'User.FirstName': ['Ada'], memberOf: ['a;b'] },
    }),
    subject: '["nameid","ada@example.com"]',
    write: withSchema,
  },
  JumpCloud: {
    shape: samlShape({
      ...{ prefixes: SHIBBOLETH, signs: 'both', type: 'xs:string', issuer: 'JumpCloud' },
      nameId: email('ada@example.com'),
      attributes: { email: ['ada@example.com'], firstname: ['Ada'], memberOf: ['Engineering'] },
    }),
    subject: '["nameid","ada@example.com"]',
    write: (text) => withDeclaration(withSchema(text)),
  },
  'base64 in lines': { shape: GENERIC, subject: '["nameid","ada@example.com"]' },
  'PSS and SHA-512': {
    shape: {
      ...GENERIC,
      algorithm: {
        signature: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
        digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
      },
    },
    subject: '["nameid","ada@example.com"]',
  },
  'a carriage return and quotation marks in a value': {
    shape: { ...GENERIC, attributes: { note: ['a&#xD;b "c" \'d\' &gt; &lt;e&gt;'] } },
    subject: '["nameid","ada@example.com"]',
  },
  'written otherwise, assertion signed': {
    shape: GENERIC,
    subject: '["nameid","ada@example.com"]',
    write: inDocument,
  },
  'written otherwise, both signed': {
    shape: { ...GENERIC, signs: 'both', prefixes: DEFAULT },
    subject: '["nameid","ada@example.com"]',
    write: inDocument,
  },
}

export const samlSamples = (key: SamlKey): Record<string, SamlSample> =>
  Object.fromEntries(
    Object.entries(SHAPES).map(([name, { shape, subject, write = String }]) => [
      name,
      {
        ...{ shape, subject, document: write(samlResponse(shape, key)) },
        isWrapped: name === 'base64 in lines',
      },
    ]),
  )

/**
 * A SAML provider for tests. It writes the canonical form by hand and signs that text, so that no library
 * which the reader uses takes part; `inDocument` then writes the same differently, as providers do.
 */
import { constants, createHash, sign } from 'node:crypto'
import type { SamlKey } from './saml-keys.ts'

export const PROTOCOL_NS = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION_NS = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const DS_NS = 'http://www.w3.org/2000/09/xmldsig#'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const XS_NS = 'http://www.w3.org/2001/XMLSchema'
export const XSI_NS = 'http://www.w3.org/2001/XMLSchema-instance'

/** In a document and its canonical form: a prefix, or the default namespace. */
export type Prefixes = { protocol: string; assertion: string; signature: string }

export type SamlShape = {
  prefixes: Prefixes
  signs: 'assertion' | 'response' | 'both' | 'nothing'
  issuer: string
  entityId: string
  acsUrl: string
  requestId: string
  now: Date
  nameId: { value: string; attributes?: string } | undefined
  /** Values by name. */
  attributes: Record<string, string[]>
  /** The value of `xsi:type`, with the prefix `xs`. */
  type?: string
  algorithm?: { signature?: string; digest?: string }
  /** `PrefixList` of the signatures; `xs` is declared on the response then. */
  prefixList?: string
  authnContext?: string
  /** What stands in KeyInfo; by default the certificate. */
  keyInfo?: string
  issuerAttributes?: string
  /** Changes a part before it is signed. */
  edit?: { assertion?: (text: string) => string; response?: (text: string) => string }
  /** Changes the `SignedInfo` before it is signed. */
  editSignedInfo?: (text: string) => string
}

const HASHES: Record<string, string> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': 'sha256',
  'http://www.w3.org/2000/09/xmldsig#rsa-sha1': 'sha1',
  'http://www.w3.org/2001/04/xmlenc#sha256': 'sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512': 'sha512',
  'http://www.w3.org/2000/09/xmldsig#sha1': 'sha1',
}
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'

/** The name of an element, and the declaration of its namespace. */
const named = (prefix: string, name: string) => (prefix === '' ? name : `${prefix}:${name}`)
const declared = (prefix: string, namespace: string) =>
  prefix === '' ? `xmlns="${namespace}"` : `xmlns:${prefix}="${namespace}"`

/** Seconds after `now`, as the providers write times. */
export const samlTime = (now: Date, seconds: number): string =>
  new Date(now.getTime() + seconds * 1_000).toISOString()

/** The signature of a canonical text, to be inserted into it. */
export function signatureOf(shape: SamlShape, key: SamlKey, id: string, canonical: string): string {
  const { signature: method = RSA_SHA256, digest: digestMethod = SHA256 } = shape.algorithm ?? {}
  const ds = (name: string) => named(shape.prefixes.signature, name)
  const digest = createHash(HASHES[digestMethod]!).update(canonical).digest('base64')
  const empty = (name: string, algorithm: string, content = '') =>
    `<${ds(name)} Algorithm="${algorithm}">${content}</${ds(name)}>`
  const list = shape.prefixList ?? ''
  const kept = 'ec:InclusiveNamespaces'
  const inclusive = `<${kept} xmlns:ec="${EXCLUSIVE}" PrefixList="${list}"></${kept}>`
  const edit = shape.editSignedInfo ?? ((text: string) => text)
  const content = edit(
    empty('CanonicalizationMethod', EXCLUSIVE) +
      empty('SignatureMethod', method) +
      `<${ds('Reference')} URI="#${id}"><${ds('Transforms')}>` +
      empty('Transform', `${DS_NS}enveloped-signature`) +
      empty('Transform', EXCLUSIVE, list && inclusive) +
      `</${ds('Transforms')}>${empty('DigestMethod', digestMethod)}` +
      `<${ds('DigestValue')}>${digest}</${ds('DigestValue')}></${ds('Reference')}>`,
  )
  const declaration = declared(shape.prefixes.signature, DS_NS)
  const info = `<${ds('SignedInfo')} ${declaration}>${content}</${ds('SignedInfo')}>`
  const isPss = method.endsWith('MGF1')
  const value = sign(HASHES[method] ?? 'sha256', Buffer.from(info), {
    key: key.privateKey,
    padding: isPss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING,
    ...(isPss && { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
  }).toString('base64')
  const inData = `<${ds('X509Certificate')}>${key.base64}</${ds('X509Certificate')}>`
  const certificate = `<${ds('X509Data')}>${inData}</${ds('X509Data')}>`
  return (
    `<${ds('Signature')} ${declaration}><${ds('SignedInfo')}>${content}</${ds('SignedInfo')}>` +
    `<${ds('SignatureValue')}>${value}</${ds('SignatureValue')}>` +
    `<${ds('KeyInfo')}>${shape.keyInfo ?? certificate}</${ds('KeyInfo')}></${ds('Signature')}>`
  )
}

/** After the first issuer, where the schema has the signature. */
export const withSignature = (text: string, signature: string): string =>
  text.replace(/<\/([\w]+:)?Issuer>/, (end) => end + signature)

export function assertionOfShape(shape: SamlShape, id: string): string {
  const { prefixes, now, nameId, attributes } = shape
  const a = (name: string) => named(prefixes.assertion, name)
  const type = shape.type ? ` xmlns:xsi="${XSI_NS}" xsi:type="${shape.type}"` : ''
  const values = Object.entries(attributes).map(
    ([name, each]) =>
      `<${a('Attribute')} Name="${name}">` +
      each.map((value) => `<${a('AttributeValue')}${type}>${value}</${a('AttributeValue')}>`).join('') +
      `</${a('Attribute')}>`,
  )
  const inclusive = shape.prefixList?.includes('xs') ? ` xmlns:xs="${XS_NS}"` : ''
  const head = `${declared(prefixes.assertion, ASSERTION_NS)}${inclusive}`
  const context = shape.authnContext ?? 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'
  return (
    `<${a('Assertion')} ${head} ID="${id}" IssueInstant="${samlTime(now, 0)}" Version="2.0">` +
    `<${a('Issuer')}${shape.issuerAttributes ?? ''}>${shape.issuer}</${a('Issuer')}><${a('Subject')}>` +
    (nameId ? `<${a('NameID')}${nameId.attributes ?? ''}>${nameId.value}</${a('NameID')}>` : '') +
    `<${a('SubjectConfirmation')} Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<${a('SubjectConfirmationData')} InResponseTo="${shape.requestId}"` +
    ` NotOnOrAfter="${samlTime(now, 300)}" Recipient="${shape.acsUrl}"></${a('SubjectConfirmationData')}>` +
    `</${a('SubjectConfirmation')}></${a('Subject')}>` +
    `<${a('Conditions')} NotBefore="${samlTime(now, -300)}" NotOnOrAfter="${samlTime(now, 300)}">` +
    `<${a('AudienceRestriction')}><${a('Audience')}>${shape.entityId}</${a('Audience')}>` +
    `</${a('AudienceRestriction')}></${a('Conditions')}>` +
    `<${a('AuthnStatement')} AuthnInstant="${samlTime(now, -10)}" SessionIndex="${id}">` +
    `<${a('AuthnContext')}>` +
    `<${a('AuthnContextClassRef')}>${context}</${a('AuthnContextClassRef')}></${a('AuthnContext')}>` +
    `</${a('AuthnStatement')}>` +
    (values.length > 0 ? `<${a('AttributeStatement')}>${values.join('')}</${a('AttributeStatement')}>` : '') +
    `</${a('Assertion')}>`
  )
}

/** The document, in its canonical form but for the declarations that this form leaves out. */
export function samlResponse(shape: SamlShape, key: SamlKey, ids = ['_response', '_assertion']): string {
  const { prefixes, signs, edit } = shape
  const [responseId = '', assertionId = ''] = ids
  const p = (name: string) => named(prefixes.protocol, name)
  const issuer = named(prefixes.assertion, 'Issuer')
  const canonical = (edit?.assertion ?? String)(assertionOfShape(shape, assertionId))
  const isSigned = signs === 'assertion' || signs === 'both'
  const assertion = isSigned
    ? withSignature(canonical, signatureOf(shape, key, assertionId, canonical))
    : canonical
  const inclusive = shape.prefixList?.includes('xs') ? ` xmlns:xs="${XS_NS}"` : ''
  const inResponse = inclusive ? assertion.replace(inclusive, '') : assertion
  const response = (edit?.response ?? String)(
    `<${p('Response')} ${declared(prefixes.protocol, PROTOCOL_NS)}${inclusive}` +
      ` Destination="${shape.acsUrl}" ID="${responseId}" InResponseTo="${shape.requestId}"` +
      ` IssueInstant="${samlTime(shape.now, 0)}" Version="2.0">` +
      `<${issuer} ${declared(prefixes.assertion, ASSERTION_NS)}${shape.issuerAttributes ?? ''}>` +
      `${shape.issuer}</${issuer}>` +
      `<${p('Status')}><${p('StatusCode')} Value="urn:oasis:names:tc:SAML:2.0:status:Success">` +
      `</${p('StatusCode')}></${p('Status')}>${inResponse}</${p('Response')}>`,
  )
  if (signs !== 'response' && signs !== 'both') return response
  return withSignature(response, signatureOf(shape, key, responseId, response))
}

/**
 * The same document written otherwise: attributes in the other order and in apostrophes, empty elements in
 * one tag, white space in tags.
 */
export const inDocument = (text: string): string =>
  text
    .replace(/<([\w:]+)((?: [\w:]+="[^"]*")+)>/g, (_, name: string, attributes: string) => {
      const each = attributes.match(/[\w:]+="[^"]*"/g)!.reverse()
      return `<${name}\n  ${each.map((one) => one.replace(/="([^"']*)"/, " = '$1'")).join('\t')} >`
    })
    .replace(/<([\w:]+)([^<>]*?) ?><\/\1>/g, '<$1$2/>')

export const samlField = (document: string): string => Buffer.from(document).toString('base64')

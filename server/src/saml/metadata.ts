/**
 * Reads the metadata of a provider, which an admin pastes or its address serves. It is not signed by anyone
 * whom we know: who may set the connection up, or TLS, vouches for it.
 */
import { readCertificate, type SamlCertificate } from './certificates.ts'
import { DS, METADATA, PROTOCOL, REDIRECT } from './names.ts'
import { refuse, SamlRefusal } from './refusal.ts'
import { type Limits, textOf } from './text.ts'
import { attributeOf, childrenOf, elementsOf, isNamed, rootOf, textIn, trimmed } from './tree.ts'

export type ProviderMetadata = {
  /** entityID. */
  issuer: string
  /** Where a browser brings requests, as it is written. The caller checks the address. */
  ssoUrl: string
  /** One to five. */
  certificates: SamlCertificate[]
}

/** 1 MB. */
export const METADATA_MAX = 1_000_000
/** The metadata of AD FS has roles of three protocols, with hundreds of claims. */
const LIMITS: Limits = {
  tags: 10_000,
  attributes: 10_000,
  attributesOfElement: 30,
  depth: 32,
  names: 200,
  prefixes: 40,
}
const ISSUER_MAX = 1_024
const CERTIFICATES_MAX = 5
/** Before any is decoded: each costs a part of a millisecond, and 1 MB has room for thousands. */
const STATED_MAX = 50

/** Never throws a refusal. `message` is for the log, and has no text of the document. */
export function readMetadata(document: Buffer): ProviderMetadata | { message: string } {
  try {
    return read(document)
  } catch (error) {
    if (error instanceof SamlRefusal) return { message: error.message }
    throw error
  }
}

function read(document: Buffer): ProviderMetadata {
  if (document.length > METADATA_MAX) refuse('saml_invalid', 'it is too long')
  const root = rootOf(withoutComments(textOf(withoutMark(document))), LIMITS)
  const [entity, ...others] = [...elementsOf(root)].filter((each) =>
    isNamed(each, METADATA, 'EntityDescriptor'),
  )
  if (!entity || others.length > 0) refuse('saml_invalid', 'not one EntityDescriptor')
  const issuer = attributeOf(entity, 'entityID') ?? ''
  if (issuer.trim() === '' || issuer.length > ISSUER_MAX) refuse('saml_invalid', 'no entityID')
  const [role, ...more] = childrenOf(entity).filter(isProvider)
  if (!role || more.length > 0) refuse('saml_invalid', 'not one IDPSSODescriptor of SAML 2.0')
  return { issuer, ssoUrl: ssoUrlIn(role), certificates: certificatesIn(role) }
}

/** Documents of Entra ID begin with a byte order mark. */
const withoutMark = (document: Buffer): Buffer =>
  document.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? document.subarray(3) : document

/**
 * Comments and processing instructions are left out, in one pass over the text: one that has no end is
 * refused, so that no search begins twice. What they hid is checked like the rest.
 */
function withoutComments(text: string): string {
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at)) {
    const end = ['!--', '?'].find((mark) => text.startsWith(mark, at + 1))
    if (end === undefined) {
      at += 1
      continue
    }
    const [close, length] = end === '?' ? ['?>', 2] : ['-->', 4]
    const until = text.indexOf(close, at + length)
    if (until < 0) refuse('saml_invalid', 'a comment or an instruction without an end')
    parts.push(text.slice(from, at))
    from = until + close.length
    at = from
  }
  return parts.join('') + text.slice(from)
}

const isProvider = (element: Element): boolean =>
  isNamed(element, METADATA, 'IDPSSODescriptor') &&
  (attributeOf(element, 'protocolSupportEnumeration') ?? '').split(/[ \t\n]+/).includes(PROTOCOL)

function ssoUrlIn(role: Element): string {
  const service = childrenOf(role).find(
    (each) => isNamed(each, METADATA, 'SingleSignOnService') && attributeOf(each, 'Binding') === REDIRECT,
  )
  return (service && attributeOf(service, 'Location')) || refuse('saml_invalid', 'no address for a redirect')
}

/**
 * Of the keys that sign. A key that we do not read, as one of an elliptic curve, is left out; of more than
 * five the newest are kept, to which a provider is changing.
 */
function certificatesIn(role: Element): SamlCertificate[] {
  const texts = childrenOf(role)
    .filter((each) => isNamed(each, METADATA, 'KeyDescriptor') && isForSigning(each))
    .flatMap((each) => [...elementsOf(each)])
    .filter((each) => isNamed(each, DS, 'X509Certificate'))
    .map((each) => textIn(each) ?? '')
  const stated = new Set(texts.map(trimmed))
  if (stated.size > STATED_MAX) refuse('saml_invalid', `more than ${STATED_MAX} certificates`)
  const read = new Map<string, SamlCertificate>()
  for (const text of stated) {
    const certificate = readCertificate(text)
    if (typeof certificate === 'object') read.set(certificate.pem, certificate)
  }
  if (read.size === 0) refuse('saml_invalid', 'no certificate of an RSA key that signs')
  return [...read.values()]
    .sort((one, other) => other.notBefore.getTime() - one.notBefore.getTime())
    .slice(0, CERTIFICATES_MAX)
}

/** Without `use` a key is for signing and encryption (SAML metadata, section 2.4.1.1). */
const isForSigning = (key: Element): boolean => [undefined, 'signing'].includes(attributeOf(key, 'use'))

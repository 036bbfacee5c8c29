/**
 * The signature of a response or an assertion: one form of it, verified with the keys of the connection,
 * never with one that the document names. The digest is computed after the key fits, so that documents which
 * no key has signed cost no canonical form but that of the small `SignedInfo`.
 */
import { constants, createHash, type KeyObject, verify } from 'node:crypto'
import { ExclusiveCanonicalization, SignedXml } from 'xml-crypto'
import { DS } from './names.ts'
import { refuse } from './refusal.ts'
import { attributeOf, childrenOf, isNamed, parsed, textIn } from './tree.ts'

export type VerifyingKey = { pem: string; key: KeyObject }
/** The canonical text that is signed, and the key that fits. */
export type Signed = { text: string; by: VerifyingKey }

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const PREFIXES_MAX = 200

/** By the URI of the algorithm. */
const SIGNATURES = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', { hash: 'sha256', isPss: false }],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', { hash: 'sha512', isPss: false }],
  ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', { hash: 'sha256', isPss: true }],
])
const DIGESTS = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
])

type Form = {
  signedInfo: Element
  value: Buffer
  algorithm: { hash: string; isPss: boolean }
  digest: { hash: string; value: Buffer }
  prefixes: string[]
}

/** Throws a refusal unless `signature`, a child of `signed`, signs it. Takes it out of the tree. */
export function signedText(signature: Element, signed: Element, keys: readonly VerifyingKey[]): Signed {
  const form = formOf(signature, signed)
  const info = Buffer.from(canonical(form.signedInfo, []))
  const by = keys.find(({ key }) => fits(form, info, key))
  if (!by) refuse('saml_signature', 'no certificate of the connection fits the signature')
  signed.removeChild(signature)
  const text = canonical(signed, form.prefixes)
  const digest = createHash(form.digest.hash).update(text).digest()
  if (!digest.equals(form.digest.value)) refuse('saml_signature', 'the digest differs')
  return { text, by }
}

function fits({ algorithm, value }: Form, info: Buffer, key: KeyObject): boolean {
  const { RSA_PKCS1_PSS_PADDING, RSA_PKCS1_PADDING, RSA_PSS_SALTLEN_DIGEST } = constants
  const padding = algorithm.isPss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
  return verify(algorithm.hash, info, { key, padding, saltLength: RSA_PSS_SALTLEN_DIGEST }, value)
}

/** The parts of the one form that is accepted. `KeyInfo` is removed. */
function formOf(signature: Element, signed: Element): Form {
  const [signedInfo, value, keyInfo, ...more] = childrenOf(signature)
  if (!signedInfo || !isNamed(signedInfo, DS, 'SignedInfo')) return wrongForm()
  if (!value || !isNamed(value, DS, 'SignatureValue') || more.length > 0) return wrongForm()
  if (keyInfo && !isNamed(keyInfo, DS, 'KeyInfo')) return wrongForm()
  if (keyInfo) signature.removeChild(keyInfo)
  const [method, signing, reference] = named(signedInfo, [
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
  ])
  if (algorithmOf(method!) !== EXCLUSIVE) refuse('saml_algorithm', 'another canonical form')
  const algorithm = SIGNATURES.get(algorithmOf(signing!)) ?? refuse('saml_algorithm', 'another signature')
  if (attributeOf(reference!, 'URI') !== `#${attributeOf(signed, 'ID')}`)
    refuse('saml_signature', 'the reference is to another element')
  const [transforms, digestMethod, digestValue] = named(reference!, [
    'Transforms',
    'DigestMethod',
    'DigestValue',
  ])
  const hash = DIGESTS.get(algorithmOf(digestMethod!)) ?? refuse('saml_algorithm', 'another digest')
  return {
    ...{ signedInfo, algorithm, value: bytesIn(value) },
    digest: { hash, value: bytesIn(digestValue!) },
    prefixes: prefixesOf(transforms!),
  }
}

const wrongForm = (): never => refuse('saml_signature', 'the signature has another form')

/** The children of an element of the signature, which are exactly these. */
function named(element: Element, names: string[]): Element[] {
  const children = childrenOf(element)
  const isSame =
    children.length === names.length && children.every((child, at) => isNamed(child, DS, names[at]!))
  return isSame ? children : wrongForm()
}

/** Of an element with nothing else. */
function algorithmOf(element: Element): string {
  const attributes = Array.from(element.attributes).filter(({ name }) => !/^xmlns(:|$)/.test(name))
  if (childrenOf(element).length > 0 || attributes.length !== 1) return wrongForm()
  return attributeOf(element, 'Algorithm') ?? wrongForm()
}

/** The prefixes that the canonical form keeps. */
function prefixesOf(transforms: Element): string[] {
  const [enveloped, exclusive] = named(transforms, ['Transform', 'Transform'])
  if (algorithmOf(enveloped!) !== ENVELOPED) refuse('saml_algorithm', 'other transforms')
  if (attributeOf(exclusive!, 'Algorithm') !== EXCLUSIVE) refuse('saml_algorithm', 'other transforms')
  const [inclusive, ...more] = childrenOf(exclusive!)
  if (!inclusive) return []
  if (!isNamed(inclusive, EXCLUSIVE, 'InclusiveNamespaces') || more.length > 0) return wrongForm()
  const list = attributeOf(inclusive, 'PrefixList') ?? ''
  if (childrenOf(inclusive).length > 0 || list.length > PREFIXES_MAX) return wrongForm()
  return list.split(/[ \t\n]+/).filter((prefix) => prefix !== '')
}

/** Base64, with line breaks and spaces. */
function bytesIn(element: Element): Buffer {
  const text = (textIn(element) ?? wrongForm()).replace(/[ \t\n\r]+/g, '')
  const bytes = Buffer.from(text, 'base64')
  return text !== '' && bytes.toString('base64') === text ? bytes : wrongForm()
}

function canonical(element: Element, prefixes: string[]): string {
  const ancestorNamespaces = prefixes.flatMap((prefix) => inherited(element, prefix))
  const options = { inclusiveNamespacesPrefixList: prefixes, ancestorNamespaces }
  return new ExclusiveCanonicalization().process(element, options)
}

/** The namespace of a prefix that is declared above the element, and not on it. */
function inherited(element: Element, prefix: string): { prefix: string; namespaceURI: string }[] {
  const name = `xmlns:${prefix}`
  let above: Element | null = element
  while (above && !above.hasAttribute?.(name)) above = above.parentNode as Element | null
  if (!above || above === element) return []
  return [{ prefix, namespaceURI: above.getAttribute(name) ?? '' }]
}

/**
 * Whether SignedXml of xml-crypto accepts the signature of the element with this identifier too, with the
 * same key, and takes the same text for signed.
 */
export function isAgreed(document: string, id: string, { text, by }: Signed): boolean {
  const signature = parsed(document).getElementsByTagNameNS(DS, 'Signature')
  const own = Array.from(signature).find((each) => attributeOf(each.parentNode as Element, 'ID') === id)
  if (!own) return false
  for (const keyInfo of Array.from(own.getElementsByTagNameNS(DS, 'KeyInfo'))) own.removeChild(keyInfo)
  const other = new SignedXml({ publicCert: by.pem })
  try {
    other.loadSignature(own)
    const references = other.checkSignature(document) ? other.getSignedReferences() : []
    return references.length === 1 && references[0] === text
  } catch {
    return false
  }
}

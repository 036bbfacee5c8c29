/**
 * Reads the response of a SAML provider. Whoever can post to us writes it, so only what a key of the
 * connection has signed is read: not the document, but the canonical text whose digest was compared, parsed
 * again.
 *
 * No other folder imports this file statically: it loads an XML parser.
 */
import { checkResponse, type Expected, type SamlStatement, statementOf } from './content.ts'
import { refuse, type SamlCode, SamlRefusal } from './refusal.ts'
import { isAgreed, type Signed, signedText, type VerifyingKey } from './signature.ts'
import { partsOf } from './structure.ts'
import { type Limits, textOf, withoutOtherLineEnds } from './text.ts'
import { attributeOf, rootOf } from './tree.ts'

export type SamlReading =
  /** `signed`: the canonical texts whose signatures were verified. */
  | { statement: SamlStatement; signed: string[] }
  /** `message` is for the log. */
  | { code: SamlCode; message: string }

/** 192 KiB. */
const BYTES_MAX = 196_608
/** Of the form field, with the line breaks that some providers insert. */
const FIELD_MAX = 300_000

export const LIMITS: Limits = {
  tags: 4_000,
  attributes: 4_000,
  attributesOfElement: 30,
  depth: 32,
  names: 100,
  prefixes: 40,
}
/** The canonical form repeats namespaces, and has an end tag for each element. */
const CANONICAL: Limits = { ...LIMITS, tags: 8_000, attributes: 12_000, attributesOfElement: 80 }

/** `field`: the parameter `SAMLResponse`. `keys`: of the connection, at most 5. Never throws a refusal. */
export function readResponse(field: string, keys: readonly VerifyingKey[], expected: Expected): SamlReading {
  try {
    return read(field, keys, expected)
  } catch (error) {
    if (error instanceof SamlRefusal) return { code: error.code, message: error.message }
    throw error
  }
}

function read(field: string, keys: readonly VerifyingKey[], expected: Expected) {
  const document = withoutOtherLineEnds(textOf(bytesOf(field)))
  const { response, issuer, signature, assertion, assertionSignature } = partsOf(rootOf(document, LIMITS))
  if (!signature && !assertionSignature) refuse('saml_signature', 'nothing is signed')

  // The response first: its digest covers what the signature of the assertion has.
  const signedResponse = signature && signedText(signature, response, keys)
  const signedAssertion = assertionSignature && signedText(assertionSignature, assertion, keys)
  agree(document, response, signedResponse)
  agree(document, assertion, signedAssertion)

  const readResponse = signedResponse && reread(signedResponse, response)
  const own = readResponse ? ownParts(readResponse) : { issuer, assertion: undefined }
  const readAssertion = signedAssertion ? reread(signedAssertion, assertion) : own.assertion
  checkResponse(readResponse ?? response, own.issuer, expected)
  const statement = statementOf(readAssertion ?? refuse('saml_signature', 'nothing is signed'), expected)
  return { statement, signed: [signedResponse, signedAssertion].flatMap((each) => each?.text ?? []) }
}

function bytesOf(field: string): Buffer {
  if (field.length > FIELD_MAX) refuse('saml_invalid', 'it is too long')
  const text = field.replace(/[ \t\r\n]+/g, '')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) refuse('saml_invalid', 'it is not base64')
  if (bytes.length > BYTES_MAX) refuse('saml_invalid', 'it is too long')
  return bytes
}

/** A second library has to take the same text for signed. Only what a key has signed gets here. */
function agree(document: string, element: Element, signed: Signed | undefined): void {
  if (signed && !isAgreed(document, attributeOf(element, 'ID') ?? '', signed))
    refuse('saml_signature', 'xml-crypto does not agree')
}

/** The tree of the signed text. */
function reread({ text }: Signed, element: Element): Element {
  const root = rootOf(text, CANONICAL)
  const isSame =
    root.namespaceURI === element.namespaceURI &&
    root.localName === element.localName &&
    attributeOf(root, 'ID') === attributeOf(element, 'ID')
  return isSame ? root : refuse('saml_signature', 'another element is signed')
}

/** Of the text of a signed response, which has no signature of its own. */
function ownParts(response: Element): { issuer: Element | undefined; assertion: Element | undefined } {
  const { issuer, signature, assertion } = partsOf(response)
  return signature ? refuse('saml_signature', 'a signature remains') : { issuer, assertion }
}

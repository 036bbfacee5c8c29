/** Which elements a response has: one assertion, and signatures in the two places that have one. */
import { ASSERTION, DS, PROTOCOL } from './names.ts'
import { refuse } from './refusal.ts'
import { attributeOf, childrenOf, elementsOf, isNamed } from './tree.ts'

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'

export type ResponseParts = {
  response: Element
  issuer: Element | undefined
  signature: Element | undefined
  assertion: Element
  assertionSignature: Element | undefined
}

const ENCRYPTED = ['EncryptedAssertion', 'EncryptedID', 'EncryptedAttribute']

export function partsOf(response: Element): ResponseParts {
  if (!isNamed(response, PROTOCOL, 'Response') || attributeOf(response, 'Version') !== '2.0')
    refuse('saml_invalid', 'no response of SAML 2.0')
  const all = [...elementsOf(response)]
  if (all.some(({ localName }) => ENCRYPTED.includes(localName)))
    refuse('saml_encrypted', 'a part of it is encrypted')
  const left = childrenOf(response)
  const take = (namespace: string, name: string) =>
    left[0] && isNamed(left[0], namespace, name) ? left.shift() : undefined
  const issuer = take(ASSERTION, 'Issuer')
  const signature = take(DS, 'Signature')
  const status = take(PROTOCOL, 'Status') ?? refuse('saml_invalid', 'no status')
  const assertion = take(ASSERTION, 'Assertion')
  if (left.length > 0) refuse('saml_invalid', 'an element that a response does not have')
  if (!isSuccess(status)) {
    if (assertion) refuse('saml_invalid', 'an assertion beside a failure')
    refuse('provider_refused', 'the status is not Success')
  }
  if (!assertion) refuse('saml_invalid', 'no assertion')
  // The schema has the signature after the issuer.
  const second = childrenOf(assertion)[1]
  const assertionSignature = second && isNamed(second, DS, 'Signature') ? second : undefined
  const places = [assertion, signature, assertionSignature]
  for (const element of all)
    if (['Assertion', 'Signature'].includes(element.localName) && !places.includes(element))
      refuse('saml_invalid', 'an assertion or a signature in another place')
  return { response, issuer, signature, assertion, assertionSignature }
}

function isSuccess(status: Element): boolean {
  const [code] = childrenOf(status)
  if (!code || !isNamed(code, PROTOCOL, 'StatusCode')) return refuse('saml_invalid', 'no status')
  return attributeOf(code, 'Value') === SUCCESS
}

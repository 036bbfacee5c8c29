/** What a verified response states, and whether it is for us, for this request, and of this time. */
import { ASSERTION } from './names.ts'
import { refuse } from './refusal.ts'
import { attributeOf, childrenOf, isNamed, textIn, trimmed } from './tree.ts'

/** What a response has to be for. */
export type Expected = {
  /** entityID of the provider. */
  issuer: string
  /** Our entityID, our address for responses, and the id of the request. */
  entityId: string
  acsUrl: string
  requestId: string
  /** The time of the database. */
  now: Date
}

export type NameId = {
  value: string
  format: string | undefined
  nameQualifier: string | undefined
  spNameQualifier: string | undefined
}

/** What the assertion states. Nothing of it is verified but that the provider has stated it. */
export type SamlStatement = {
  nameId: NameId | undefined
  /** Values by the exact name, without those that are not text or too long. */
  attributes: Map<string, string[]>
  authnInstant: Date
  sessionNotOnOrAfter: Date | undefined
  authnContext: string | undefined
}

/** 180 s, in ms, by which clocks may differ. */
const TOLERANCE = 180_000
const VALUE_MAX = 256
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** Of a response that is not signed, this is all that is read. */
export function checkResponse(response: Element, issuer: Element | undefined, expected: Expected): void {
  if (attributeOf(response, 'InResponseTo') !== expected.requestId)
    refuse('saml_wrong_request', 'the response is to another request')
  const destination = attributeOf(response, 'Destination')
  if (destination !== undefined && destination !== expected.acsUrl)
    refuse('saml_wrong_request', 'the response is for another address')
  if (issuer) checkIssuer(issuer, expected)
}

export function statementOf(assertion: Element, expected: Expected): SamlStatement {
  if (attributeOf(assertion, 'Version') !== '2.0') refuse('saml_invalid', 'no assertion of SAML 2.0')
  const children = childrenOf(assertion)
  const known = ['Issuer', 'Subject', 'Conditions', 'AuthnStatement', 'AttributeStatement']
  const byName = Map.groupBy(children, ({ namespaceURI, localName }) =>
    namespaceURI === ASSERTION && known.includes(localName) ? localName : '',
  )
  // What is read from a signed text has no signature of its own. Of the response's text, it may have one.
  const others = byName.get('')?.filter(({ localName }) => localName !== 'Signature') ?? []
  if (others.length > 0) refuse('saml_invalid', 'an element that an assertion does not have')
  const one = (name: string): Element => {
    const [first, ...more] = byName.get(name) ?? []
    return first && more.length === 0 ? first : refuse('saml_invalid', `not one ${name}`)
  }
  checkIssuer(one('Issuer'), expected)
  const nameId = subjectIn(one('Subject'), expected)
  checkConditions(one('Conditions'), expected)
  return {
    nameId,
    ...authenticationIn(one('AuthnStatement'), expected),
    attributes: attributesIn(byName.get('AttributeStatement') ?? []),
  }
}

function checkIssuer(element: Element, { issuer }: Expected): void {
  if (trimmed(textIn(element) ?? '') !== issuer) refuse('saml_wrong_audience', 'it is of another issuer')
}

function subjectIn(subject: Element, expected: Expected): NameId | undefined {
  const children = childrenOf(subject)
  const nameIds = children.filter((each) => isNamed(each, ASSERTION, 'NameID'))
  const confirmations = children.filter((each) => isNamed(each, ASSERTION, 'SubjectConfirmation'))
  const [confirmation, ...more] = confirmations
  if (nameIds.length > 1 || !confirmation || more.length > 0)
    refuse('saml_invalid', 'not one subject with one confirmation')
  if (children.length > nameIds.length + 1) refuse('saml_invalid', 'an element that a subject does not have')
  checkConfirmation(confirmation, expected)
  const [nameId] = nameIds
  if (!nameId) return undefined
  return {
    value: textIn(nameId) ?? refuse('saml_invalid', 'a NameID with elements'),
    format: attributeOf(nameId, 'Format'),
    nameQualifier: attributeOf(nameId, 'NameQualifier'),
    spNameQualifier: attributeOf(nameId, 'SPNameQualifier'),
  }
}

function checkConfirmation(confirmation: Element, expected: Expected): void {
  const [data, ...more] = childrenOf(confirmation)
  if (attributeOf(confirmation, 'Method') !== BEARER) refuse('saml_invalid', 'another kind of confirmation')
  if (!data || more.length > 0 || !isNamed(data, ASSERTION, 'SubjectConfirmationData'))
    refuse('saml_invalid', 'a confirmation without its data')
  if (attributeOf(data, 'InResponseTo') !== expected.requestId)
    refuse('saml_wrong_request', 'the assertion is for another request')
  if (attributeOf(data, 'Recipient') !== expected.acsUrl)
    refuse('saml_wrong_request', 'the assertion is for another address')
  if (data.hasAttribute('NotBefore') || !data.hasAttribute('NotOnOrAfter'))
    refuse('saml_invalid', 'the confirmation has no end, or a begin')
  checkTimes(data, expected)
}

function checkConditions(conditions: Element, expected: Expected): void {
  checkTimes(conditions, expected)
  const children = childrenOf(conditions)
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']
  if (children.some((each) => !known.some((name) => isNamed(each, ASSERTION, name))))
    refuse('saml_invalid', 'a condition that is not known')
  const restrictions = children.filter(({ localName }) => localName === 'AudienceRestriction')
  const isForUs = (restriction: Element) =>
    childrenOf(restriction).some(
      (each) => isNamed(each, ASSERTION, 'Audience') && trimmed(textIn(each) ?? '') === expected.entityId,
    )
  if (restrictions.length === 0 || !restrictions.every(isForUs))
    refuse('saml_wrong_audience', 'it is for another audience')
}

function authenticationIn(
  statement: Element,
  { now }: Expected,
): Pick<SamlStatement, 'authnInstant' | 'sessionNotOnOrAfter' | 'authnContext'> {
  const authnInstant = timeOf(statement, 'AuthnInstant') ?? refuse('saml_invalid', 'no time of the login')
  if (authnInstant.getTime() > now.getTime() + TOLERANCE) refuse('saml_expired', 'a login in the future')
  const sessionNotOnOrAfter = timeOf(statement, 'SessionNotOnOrAfter')
  if (sessionNotOnOrAfter && sessionNotOnOrAfter.getTime() <= now.getTime() - TOLERANCE)
    refuse('saml_expired', 'the session has ended')
  const contexts = childrenOf(statement)
    .filter((each) => isNamed(each, ASSERTION, 'AuthnContext'))
    .flatMap(childrenOf)
    .filter((each) => isNamed(each, ASSERTION, 'AuthnContextClassRef'))
  if (contexts.length > 1) refuse('saml_invalid', 'two classes of a login')
  const authnContext = contexts[0] && trimmed(textIn(contexts[0]) ?? '')
  return { authnInstant, sessionNotOnOrAfter, authnContext }
}

function attributesIn(statements: Element[]): Map<string, string[]> {
  const attributes = new Map<string, string[]>()
  for (const attribute of statements.flatMap(childrenOf)) {
    const name = attributeOf(attribute, 'Name')
    if (!isNamed(attribute, ASSERTION, 'Attribute') || name === undefined || name === '')
      refuse('saml_invalid', 'an attribute without a name')
    const values = attributes.get(name) ?? []
    attributes.set(name, values)
    for (const value of childrenOf(attribute)) {
      if (!isNamed(value, ASSERTION, 'AttributeValue'))
        refuse('saml_invalid', 'an element that an attribute does not have')
      const text = textIn(value)
      if (text !== undefined && text.length <= VALUE_MAX) values.push(text)
    }
  }
  return attributes
}

function checkTimes(element: Element, { now }: Expected): void {
  const from = timeOf(element, 'NotBefore')
  if (from && from.getTime() > now.getTime() + TOLERANCE) refuse('saml_expired', 'it is not valid yet')
  const until = timeOf(element, 'NotOnOrAfter')
  if (until && until.getTime() <= now.getTime() - TOLERANCE) refuse('saml_expired', 'it has expired')
}

/** A time of UTC. Undefined if the attribute is missing. */
function timeOf(element: Element, name: string): Date | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  const time = new Date(TIME.test(text) ? text.replace(/(\.\d{3})\d+/, '$1') : Number.NaN)
  // The 30th of February would be a day of March.
  const isDay = !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19)
  return isDay ? time : refuse('saml_invalid', 'a time that is none, or not in UTC')
}

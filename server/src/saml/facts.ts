/** What an assertion states about a person, in the form of what a provider of OpenID Connect states. */
import { storedAddress } from '../email-address.ts'
import { claimText, isText } from '../text.ts'
import type { Expected, SamlStatement } from './content.ts'
import { refuse } from './refusal.ts'
import { subjectOf } from './subject.ts'
import { trimmed } from './tree.ts'

/** Of the connection. */
type Rules = {
  subjectAttribute: string | null
  groupAttribute: string | null
  mfaAcr: string[]
  /** The people of the provider are those of the organization. */
  closedIssuer: boolean
}

export type SamlFacts = {
  subject: string
  email: string | null
  address: 'verified' | 'unverified'
  name: string | null
  givenName: string | null
  familyName: string | null
  /** `overage`: there are too many, and the assertion refers elsewhere. Null: the connection reads none. */
  groups: string[] | 'overage' | null
  /** A second factor was reported. */
  mfa: boolean
  /** When the provider has authenticated the person, in seconds since 1970. */
  authTime: number
  /** When the provider ends its session; null: not stated. */
  sessionEndsAt: Date | null
}

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const MICROSOFT = 'http://schemas.microsoft.com'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

/** The first attribute that is present decides. */
const SOURCES = {
  email: [`${CLAIMS}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3', 'email', 'mail', 'emailAddress'],
  givenName: [`${CLAIMS}/givenname`, 'urn:oid:2.5.4.42', 'givenName', 'firstName'],
  familyName: [`${CLAIMS}/surname`, 'urn:oid:2.5.4.4', 'sn', 'lastName'],
  name: [`${MICROSOFT}/identity/claims/displayname`, 'urn:oid:2.16.840.1.113730.3.1.241', 'displayName'],
}
/** Entra ID writes it in place of more groups than an assertion holds. */
const MORE_GROUPS = `${MICROSOFT}/claims/groups.link`
/** Entra ID: how the person has signed in, and the value for a second factor. */
const METHODS = `${MICROSOFT}/claims/authnmethodsreferences`
const SEVERAL = `${MICROSOFT}/claims/multipleauthn`
/** Classes of a login with a second factor, beside those that the connection names. */
const MFA_CLASSES = ['https://refeds.org/profile/mfa', SEVERAL]

/** Throws a refusal with `no_subject`, `subject_transient` or `address_ambiguous`. */
export function factsOf(
  statement: SamlStatement,
  rules: Rules,
  expected: Pick<Expected, 'issuer' | 'entityId'>,
): SamlFacts {
  const { attributes, authnInstant, sessionNotOnOrAfter } = statement
  const nameOf = (sources: string[]) => claimText(valuesOf(attributes, sources)[0])
  return {
    subject: subjectOf(statement, rules.subjectAttribute, expected),
    email: emailOf(statement),
    address: rules.closedIssuer ? 'verified' : 'unverified',
    name: nameOf(SOURCES.name),
    givenName: nameOf(SOURCES.givenName),
    familyName: nameOf(SOURCES.familyName),
    groups: groupsOf(attributes, rules.groupAttribute),
    mfa: hasSecondFactor(statement, rules.mfaAcr),
    authTime: Math.floor(authnInstant.getTime() / 1_000),
    sessionEndsAt: sessionNotOnOrAfter ?? null,
  }
}

type Attributes = SamlStatement['attributes']

/** The values that are text of the first source that has one. */
function valuesOf(attributes: Attributes, sources: string[]): string[] {
  for (const source of sources) {
    const values = (attributes.get(source) ?? []).map(trimmed).filter((each) => each !== '' && isText(each))
    if (values.length > 0) return values
  }
  return []
}

/** Attributes come before the NameID, which at Entra ID is a name for the login that receives no email. */
function emailOf({ attributes, nameId }: SamlStatement): string | null {
  const values = valuesOf(attributes, SOURCES.email)
  const addresses = new Set(values.map((each) => storedAddress(each) ?? null))
  if (addresses.size > 1) refuse('address_ambiguous', 'two addresses')
  const [address] = addresses
  if (address !== undefined) return address
  return nameId && nameId.format !== PERSISTENT ? (storedAddress(trimmed(nameId.value)) ?? null) : null
}

function groupsOf(attributes: Attributes, name: string | null): SamlFacts['groups'] {
  if (name === null) return null
  if (attributes.has(MORE_GROUPS)) return 'overage'
  return [...new Set(valuesOf(attributes, [name]))]
}

/** No other attribute counts: people edit some of theirs at the provider. */
const hasSecondFactor = ({ attributes, authnContext }: SamlStatement, mfaAcr: string[]): boolean =>
  (authnContext !== undefined && [...MFA_CLASSES, ...mfaAcr].includes(authnContext)) ||
  (attributes.get(METHODS) ?? []).map(trimmed).includes(SEVERAL)

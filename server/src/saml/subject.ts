/** Which person an assertion is about: the key under which a link to a user is stored. */
import { storedAddress } from '../email-address.ts'
import type { Expected, NameId, SamlStatement } from './content.ts'
import { refuse } from './refusal.ts'
import { trimmed } from './tree.ts'

const FORMATS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:'
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** Providers change these formats, and the qualifiers beside them, without changing the person. */
const LOOSE = [undefined, `${FORMATS}unspecified`, `${FORMATS}emailAddress`]
const SUBJECT_MAX = 256
/** In bytes, with the qualifiers, which have no limit of their own. It is in an index and a cookie. */
const KEY_MAX = 1_500

/** A JSON array. `attribute`: the name of the attribute that identifies a person; null: the NameID does. */
export function subjectOf(
  { nameId, attributes }: SamlStatement,
  attribute: string | null,
  expected: Pick<Expected, 'issuer' | 'entityId'>,
): string {
  if (attribute === null) return written(keyOf(nameId ?? refuse('no_subject', 'no NameID'), expected))
  const values = [...new Set(attributes.get(attribute))]
  if (values.length !== 1) refuse('no_subject', 'not one value of the attribute of the subject')
  return written(['attribute', attribute, storedValue(values[0]!)])
}

function written(key: string[]): string {
  const text = JSON.stringify(key)
  return Buffer.byteLength(text) <= KEY_MAX ? text : refuse('no_subject', 'the subject is too long')
}

function keyOf(nameId: NameId, { issuer, entityId }: Pick<Expected, 'issuer' | 'entityId'>): string[] {
  const { value, format, nameQualifier = issuer, spNameQualifier = entityId } = nameId
  if (format === TRANSIENT) refuse('subject_transient', 'the NameID is another one each time')
  if (LOOSE.includes(format)) return ['nameid', storedValue(value)]
  return ['nameid', format ?? '', nameQualifier, spNameQualifier, storedValue(value)]
}

/** The stored form of an address. What is none keeps its letter case, in which two people may differ. */
function storedValue(text: string): string {
  const value = trimmed(text)
  if (value === '' || value.length > SUBJECT_MAX) refuse('no_subject', 'the subject is empty or too long')
  return storedAddress(value) ?? value
}

/** Responses of providers that are accepted, and what is refused of a response that is signed. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { newSamlKey } from '../../test/support/saml-keys.ts'
import { type SamlShape, samlField, samlResponse, samlTime } from '../../test/support/saml-provider.ts'
import { GENERIC_SHAPE, SAML_NOW, samlSamples } from '../../test/support/saml-shapes.ts'
import { readCertificates } from './certificates.ts'
import type { Expected } from './content.ts'
import { readResponse } from './response.ts'
import { subjectOf } from './subject.ts'

const key = newSamlKey()
const [old, other] = [newSamlKey({ until: new Date('2021-01-01') }), newSamlKey()]
const keysOf = (...pems: string[]) => {
  const keys = readCertificates(pems)
  return Array.isArray(keys) ? keys : assert.fail(keys.fault)
}
const keys = keysOf(key.pem)
const expectedOf = ({ issuer, entityId, acsUrl, requestId, now }: SamlShape): Expected => {
  return { issuer, entityId, acsUrl, requestId, now }
}
const EXPECTED = expectedOf(GENERIC_SHAPE)

/** The code for a response that the key of the connection has signed. */
function codeOf(shape: Partial<SamlShape>, expected: Partial<Expected> = {}): string {
  const document = samlResponse({ ...GENERIC_SHAPE, ...shape }, key)
  const reading = readResponse(samlField(document), keys, { ...EXPECTED, ...expected })
  return 'code' in reading ? reading.code : 'accepted'
}
const edited = (from: string | RegExp, to: string): Partial<SamlShape> => ({
  edit: {
    assertion(text) {
      const changed = text.replace(from, to)
      assert.notEqual(changed, text)
      return changed
    },
  },
})

for (const [name, { shape, document, subject, isWrapped }] of Object.entries(samlSamples(key)))
  test(`a response as of ${name} is accepted, with its subject and attributes`, () => {
    const field = samlField(document)
    const wrapped = isWrapped ? field.replace(/.{76}/g, '$&\r\n') : field

    const reading = readResponse(wrapped, keysOf(other.pem, key.pem), expectedOf(shape))

    if ('code' in reading) assert.fail(`${reading.code}: ${reading.message}`)
    assert.equal(subjectOf(reading.statement, null, shape), subject)
    const plain = (value: string) =>
      value
        .replace(/&(?:#xD|lt|gt|amp);/g, (each) => {
          return { '&#xD;': '\r', '&lt;': '<', '&gt;': '>', '&amp;': '&' }[each] ?? each
        })
        .trim()
    const stated = Object.entries(shape.attributes).map(([attribute, all]) => [attribute, all.map(plain)])
    assert.deepEqual(Object.fromEntries(reading.statement.attributes), Object.fromEntries(stated))
    assert.equal(reading.statement.authnInstant.toISOString(), samlTime(SAML_NOW, -10))
    assert.equal(reading.signed.length, shape.signs === 'both' ? 2 : 1)
  })

test('a response is accepted with any certificate of the connection, also one that has expired', () => {
  const document = samlResponse(GENERIC_SHAPE, old)

  assert.ok('statement' in readResponse(samlField(document), keysOf(key.pem, old.pem), EXPECTED))
  const reading = readResponse(samlField(document), keys, EXPECTED)
  assert.equal('code' in reading && reading.code, 'saml_signature')
  const none = readResponse(samlField(document), [], EXPECTED)
  assert.equal('code' in none && none.code, 'saml_signature')
})

test('a response for another request, address, audience or issuer is refused with its own code', () => {
  assert.equal(codeOf({}), 'accepted')
  assert.equal(codeOf({}, { requestId: '_other' }), 'saml_wrong_request')
  assert.equal(codeOf({}, { acsUrl: 'https://id.example.com/sso/con_2/acs' }), 'saml_wrong_request')
  assert.equal(codeOf({}, { entityId: 'https://id.example.com/sso/con_2/metadata' }), 'saml_wrong_audience')
  assert.equal(codeOf({}, { issuer: 'https://idp.example.com/other' }), 'saml_wrong_audience')
  assert.equal(codeOf({}, { issuer: 'https://IDP.example.com/saml' }), 'saml_wrong_audience')
  const confirmation = /(SubjectConfirmationData) InResponseTo="[^"]*"/
  assert.equal(codeOf(edited(confirmation, '$1 InResponseTo="_other"')), 'saml_wrong_request')
  assert.equal(codeOf(edited(confirmation, '$1')), 'saml_wrong_request')
  assert.equal(codeOf(edited(/ Recipient="[^"]*"/, '')), 'saml_wrong_request')
  const restriction = /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/
  assert.equal(codeOf(edited(restriction, '')), 'saml_wrong_audience')
  const more = '$&<saml:AudienceRestriction><saml:Audience>x</saml:Audience></saml:AudienceRestriction>'
  assert.equal(codeOf(edited(restriction, more)), 'saml_wrong_audience')
  const two = '<saml:Audience>x</saml:Audience>$&'
  assert.equal(codeOf(edited(/<saml:Audience>/, two)), 'accepted')
})

test('an unsigned response around a signed assertion is for us, for the request and of the issuer', () => {
  const response = (from: RegExp, to: string) =>
    codeOf({ edit: { response: (text) => text.replace(from, to) } })

  assert.equal(response(/ InResponseTo="[^"]*"/, ' InResponseTo="_other"'), 'saml_wrong_request')
  assert.equal(response(/ InResponseTo="[^"]*"/, ''), 'saml_wrong_request')
  assert.equal(
    response(/ Destination="[^"]*"/, ' Destination="https://other.example.com/"'),
    'saml_wrong_request',
  )
  assert.equal(response(/ Destination="[^"]*"/, ''), 'accepted')
  assert.equal(response(/<saml:Issuer xmlns[^>]*>[^<]*<\/saml:Issuer>/, ''), 'accepted')
  assert.equal(
    response(/(<saml:Issuer xmlns[^>]*>)[^<]*/, '$1https://other.example.com'),
    'saml_wrong_audience',
  )
  const failed = response(/status:Success/, 'status:Responder')
  assert.equal(failed, 'saml_invalid')
  assert.equal(
    response(/(status:)Success(.*<\/samlp:Status>).*(<\/samlp:Response>)/, '$1Responder$2$3'),
    'provider_refused',
  )
})

test('times hold with a tolerance of 180 seconds, and only those of UTC are read', () => {
  const at = (seconds: number) => codeOf({}, { now: new Date(SAML_NOW.getTime() + seconds * 1_000) })
  const end = / NotOnOrAfter="[^"]*" Recipient/
  const ending = (text: string) => codeOf(edited(end, ` NotOnOrAfter="${text}" Recipient`))

  assert.deepEqual(
    [at(479), at(480), at(-480), at(-481)],
    ['accepted', 'saml_expired', 'saml_expired', 'saml_expired'],
  )
  assert.deepEqual([at(-190), at(-191)], ['accepted', 'saml_expired'])
  assert.equal(ending('2026-03-01T12:05:00.1234567Z'), 'accepted')
  assert.equal(ending('2026-03-01T12:05:00'), 'saml_invalid')
  assert.equal(ending('2026-03-01T13:05:00+01:00'), 'saml_invalid')
  assert.equal(ending('2026-02-30T12:05:00Z'), 'saml_invalid')
  assert.equal(ending('2026-03-01T12:05:00Z '), 'saml_invalid')
  assert.equal(ending('12026-03-01T12:05:00Z'), 'saml_invalid')
  assert.equal(ending(''), 'saml_invalid')
  assert.equal(codeOf(edited(end, ' Recipient')), 'saml_invalid')
  assert.equal(codeOf(edited(end, ` NotBefore="${samlTime(SAML_NOW, -9)}"$&`)), 'saml_invalid')
  const session = (seconds: number) =>
    codeOf(edited(/ SessionIndex="[^"]*"/, `$& SessionNotOnOrAfter="${samlTime(SAML_NOW, seconds)}"`))
  assert.deepEqual([session(1), session(-181)], ['accepted', 'saml_expired'])
})

test('an assertion has one subject, one bearer confirmation, one login and no unknown condition', () => {
  const cases: [string | RegExp, string][] = [
    [/<saml:Subject>.*<\/saml:Subject>/, '$&$&'],
    [/<saml:Subject>.*<\/saml:Subject>/, ''],
    [/<saml:NameID.*<\/saml:NameID>/, '$&$&'],
    [/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '$&$&'],
    [/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, ''],
    ['cm:bearer', 'cm:sender-vouches'],
    [/<saml:Conditions.*<\/saml:Conditions>/, '$&$&'],
    [/<saml:Conditions.*<\/saml:Conditions>/, ''],
    [/<saml:AudienceRestriction>/, '<saml:Condition></saml:Condition>$&'],
    [/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '$&$&'],
    [/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, ''],
    [/<saml:AuthnStatement/, '<saml:Advice></saml:Advice>$&'],
    ['Version="2.0"', 'Version="1.1"'],
    [/<saml:NameID/, '<saml:BaseID></saml:BaseID>$&'],
    [/<saml:Attribute Name="email">/, '<saml:Attribute>'],
  ]

  for (const [from, to] of cases) assert.equal(codeOf(edited(from, to)), 'saml_invalid', `${from} ${to}`)
  assert.equal(codeOf(edited(/<\/saml:Conditions>/, '<saml:OneTimeUse></saml:OneTimeUse>$&')), 'accepted')
})

test('P168: values that are long or have elements are left out, and attributes of one name are joined', () => {
  const value = (text: string) => `<saml:AttributeValue>${text}</saml:AttributeValue>`
  const attribute = (name: string, ...values: string[]) =>
    `<saml:Attribute Name="${name}">${values.map(value).join('')}</saml:Attribute>`
  const attributes = [
    attribute('__proto__', 'a'),
    attribute('groups', 'first', 'x'.repeat(257), 'y'.repeat(256), '<saml:b>c</saml:b>'),
    attribute('groups', 'last', ''),
    attribute('constructor'),
  ]
  const shape = { ...GENERIC_SHAPE, ...edited(/<saml:AttributeStatement>/, `$&${attributes.join('')}`) }

  const reading = readResponse(samlField(samlResponse(shape, key)), keys, EXPECTED)

  if ('code' in reading) assert.fail(reading.message)
  const { attributes: read } = reading.statement
  assert.deepEqual(read.get('__proto__'), ['a'])
  assert.deepEqual(read.get('groups'), ['first', 'y'.repeat(256), 'last', '', 'Staff', 'Admins'])
  assert.deepEqual(read.get('constructor'), [])
})

test('characters that a parser may take for line ends are read as they were signed', () => {
  const shape = { ...GENERIC_SHAPE, attributes: { note: ['a\u2028b\u0085c\u{1F600}'] } }

  const reading = readResponse(samlField(samlResponse(shape, key)), keys, EXPECTED)

  assert.deepEqual('statement' in reading && reading.statement.attributes.get('note'), [
    'a\u2028b\u0085c\u{1F600}',
  ])
})

test('the reader and xml-crypto use the same parser', () => {
  const { resolve } = createRequire(import.meta.url)
  const ofLibrary = createRequire(resolve('xml-crypto'))

  assert.equal(ofLibrary.resolve('@xmldom/xmldom'), resolve('@xmldom/xmldom'))
})

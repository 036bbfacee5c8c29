/** What is taken from an assertion about a person, and what is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NameId, SamlStatement } from './content.ts'
import { factsOf } from './facts.ts'
import { SamlRefusal } from './refusal.ts'

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences'
const SEVERAL = 'http://schemas.microsoft.com/claims/multipleauthn'
const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'
const EXPECTED = { issuer: 'https://idp.example.com', entityId: 'https://id.example.com/sso/con_1/metadata' }
const RULES = { subjectAttribute: null, groupAttribute: null, mfaAcr: [], closedIssuer: false }

const nameIdOf = (value: string, format?: string): NameId => ({
  ...{ value, format },
  ...{ nameQualifier: undefined, spNameQualifier: undefined },
})
type Given = { [name: string]: string[] }
const statementOf = (attributes: Given, more: Partial<SamlStatement> = {}): SamlStatement => ({
  nameId: nameIdOf('login-1'),
  attributes: new Map(Object.entries(attributes)),
  authnInstant: new Date('2026-03-01T11:59:50.500Z'),
  sessionNotOnOrAfter: undefined,
  authnContext: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
  ...more,
})
const factsIn = (attributes: Given, more?: Partial<SamlStatement>, rules: Partial<typeof RULES> = {}) =>
  factsOf(statementOf(attributes, more), { ...RULES, ...rules }, EXPECTED)

test('the attributes of Entra ID, Okta and LDAP give names and the address', () => {
  const expected = ['ada@example.com', 'Ada', 'Löwe', 'Ada Löwe']
  const given: Given[] = [
    {
      [`${CLAIMS}/emailaddress`]: ['Ada@Example.com'],
      [`${CLAIMS}/givenname`]: ['Ada'],
      [`${CLAIMS}/surname`]: ['Löwe'],
      'http://schemas.microsoft.com/identity/claims/displayname': ['Ada Löwe'],
    },
    { email: [' ada@example.com\n'], firstName: ['Ada'], lastName: ['Löwe'], displayName: ['Ada Löwe'] },
    {
      'urn:oid:0.9.2342.19200300.100.1.3': ['ada@example.com', 'ADA@example.com'],
      'urn:oid:2.5.4.42': ['Ada', 'Augusta'],
      'urn:oid:2.5.4.4': ['Löwe'],
      'urn:oid:2.16.840.1.113730.3.1.241': ['Ada\nLöwe'],
    },
  ]

  for (const attributes of given) {
    const { email, givenName, familyName, name } = factsIn(attributes)
    assert.deepEqual([email, givenName, familyName, name], expected)
  }
})

test('the first attribute that is present gives the address, before the NameID; two are ambiguous', () => {
  const upn = { nameId: nameIdOf('ada@login.example') }
  const emailOf = (attributes: Given, more?: Partial<SamlStatement>) => factsIn(attributes, more).email

  assert.equal(emailOf({ mail: ['ada@example.com'] }, upn), 'ada@example.com')
  assert.equal(emailOf({ email: ['ada@example.com'], mail: ['eva@example.com'] }), 'ada@example.com')
  assert.equal(emailOf({ email: ['', ' '], mail: ['eva@example.com'] }), 'eva@example.com')
  assert.equal(emailOf({ email: ['not an address'] }, upn), null)
  assert.equal(emailOf({}, upn), 'ada@login.example')
  assert.equal(emailOf({}, { nameId: nameIdOf('ada@login.example', `${FORMAT}persistent`) }), null)
  assert.equal(emailOf({}), null)
  for (const email of [
    ['ada@example.com', 'eva@example.com'],
    ['ada@example.com', 'ada'],
  ])
    assert.throws(
      () => emailOf({ email }),
      (error) => error instanceof SamlRefusal && error.code === 'address_ambiguous',
    )
})

test('the organization vouches for an address only where the provider has its people alone', () => {
  const email = { email: ['ada@example.com'] }

  assert.equal(factsIn(email).address, 'unverified')
  assert.equal(factsIn(email, {}, { closedIssuer: true }).address, 'verified')
})

test('groups are those of the named attribute, each once, and none where the assertion has none', () => {
  const groups = { groups: ['Staff', 'Admins', 'Staff', ''], roles: ['Chief'] }
  const link = { 'http://schemas.microsoft.com/claims/groups.link': ['https://graph.example/groups'] }
  const named = { groupAttribute: 'groups' } as never

  assert.equal(factsIn(groups).groups, null)
  assert.deepEqual(factsIn(groups, {}, named).groups, ['Staff', 'Admins'])
  assert.deepEqual(factsIn({}, {}, named).groups, [])
  assert.equal(factsIn(link, {}, named).groups, 'overage')
})

test('P164: a second factor counts by the class of the login or the attribute of Entra ID, by no other', () => {
  const mfaOf = (attributes: Given, authnContext?: string, mfaAcr: string[] = []) =>
    factsIn(attributes, { authnContext }, { mfaAcr } as never).mfa

  assert.equal(mfaOf({ [METHODS]: ['urn:oasis:names:tc:SAML:2.0:ac:classes:Password', SEVERAL] }), true)
  assert.equal(mfaOf({}, SEVERAL), true)
  assert.equal(mfaOf({}, 'https://refeds.org/profile/mfa'), true)
  assert.equal(mfaOf({}, 'urn:example:mfa', ['urn:example:mfa']), true)
  assert.equal(mfaOf({}, 'urn:example:mfa'), false)
  assert.equal(mfaOf({ [METHODS]: ['urn:oasis:names:tc:SAML:2.0:ac:classes:Password'] }), false)
  assert.equal(
    mfaOf({ [`${METHODS}/`]: [SEVERAL], amr: ['mfa'], [SEVERAL]: [SEVERAL], acr: [SEVERAL] }),
    false,
  )
})

test('the times of the login and of the session of the provider are those of the assertion', () => {
  const sessionNotOnOrAfter = new Date('2026-03-01T20:00:00.000Z')

  assert.equal(factsIn({}).authTime, Date.parse('2026-03-01T11:59:50.000Z') / 1_000)
  assert.equal(factsIn({}).sessionEndsAt, null)
  assert.equal(factsIn({}, { sessionNotOnOrAfter }).sessionEndsAt, sessionNotOnOrAfter)
})

test('P168: an attribute with a name of every object is an attribute', () => {
  const attributes = new Map([['__proto__', ['ada@example.com']]])
  const rules = { ...RULES, subjectAttribute: '__proto__', groupAttribute: 'constructor' }

  const facts = factsOf({ ...statementOf({}), attributes }, rules, EXPECTED)

  assert.equal(facts.subject, '["attribute","__proto__","ada@example.com"]')
  assert.deepEqual([facts.email, facts.groups], [null, []])
})

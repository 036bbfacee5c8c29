/** The metadata of providers that customers have, in the forms in which these write it. */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { newSamlKey, selfSigned } from '../../test/support/saml-keys.ts'
import { ownMetadata } from './documents.ts'
import { METADATA_MAX, readMetadata } from './metadata.ts'

const PROTOCOLS = 'urn:oasis:names:tc:SAML:2.0:protocol'
const BINDINGS = 'urn:oasis:names:tc:SAML:2.0:bindings'
const MD = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"'
const DS = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"'
const ISSUER = 'https://idp.example.com/saml'
const SSO_URL = 'https://idp.example.com/sso?idpid=C01&x=1'
const key = newSamlKey()
const yearOf = (year: number) => newSamlKey({ from: new Date(`${year}-01-01T00:00:00Z`) })

const keyDescriptor = (base64: string, use = 'signing') =>
  `<md:KeyDescriptor${use && ` use="${use}"`}><ds:KeyInfo ${DS}><ds:X509Data>
<ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
const service = (binding: string, location = SSO_URL) =>
  `<md:SingleSignOnService Binding="${BINDINGS}:${binding}" Location="${location.replaceAll('&', '&amp;')}"/>`
const SERVICES = service('HTTP-POST', `${ISSUER}/post`) + service('HTTP-Redirect')

type Shape = { keys?: string; services?: string; protocols?: string; before?: string; issuer?: string }
const entity = ({
  keys = keyDescriptor(key.base64),
  services = SERVICES,
  protocols = PROTOCOLS,
  before = '',
  issuer = ISSUER,
}: Shape = {}) =>
  `<md:EntityDescriptor ${MD} entityID="${issuer}">${before}<md:IDPSSODescriptor WantAuthnRequestsSigned="false" \
protocolSupportEnumeration="${protocols}">${keys}<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:\
persistent</md:NameIDFormat>${services}</md:IDPSSODescriptor></md:EntityDescriptor>`

const readAll = (document: string | Buffer) => {
  const metadata = readMetadata(Buffer.from(document))
  return 'message' in metadata ? assert.fail(metadata.message) : metadata
}
const pemsIn = (document: string) => readAll(document).certificates.map(({ pem }) => pem)
const refusalOf = (document: string | Buffer) => {
  const metadata = readMetadata(Buffer.from(document))
  return 'message' in metadata ? metadata.message : 'accepted'
}

/** As AD FS and Entra ID have: roles of other protocols, with types of a schema, and hundreds of claims. */
const CLAIM = `<auth:ClaimType xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706" \
Uri="http://schemas.example/claim" Optional="true"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType>`
const ROLES = `<RoleDescriptor xsi:type="fed:SecurityTokenServiceType" \
xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" \
protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706">\
${keyDescriptor(yearOf(2_038).base64)}\
<fed:ClaimTypesOffered>${CLAIM.repeat(300)}</fed:ClaimTypesOffered></RoleDescriptor>`
const SERVICE_PROVIDER = `<md:SPSSODescriptor protocolSupportEnumeration="${PROTOCOLS}">\
${keyDescriptor(yearOf(2_037).base64)}</md:SPSSODescriptor>`

const DOCUMENTS: Record<string, string> = {
  'Entra ID': `\ufeff<?xml version="1.0" encoding="utf-8"?>${entity({ before: ROLES })}`,
  'AD FS': entity({
    before: ROLES + SERVICE_PROVIDER,
    keys: keyDescriptor(yearOf(2_039).base64, 'encryption') + keyDescriptor(key.base64),
  }),
  'Google Workspace': `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${entity({
    keys: keyDescriptor(key.base64.replace(/.{76}/g, '$&\r\n')),
  })}\n`,
  Okta: `<?xml version="1.0" encoding="UTF-8"?>${entity({ keys: keyDescriptor(key.base64, '') })}`,
  Keycloak: `<!-- <realm> -->\n<?note <?xml ?>\n${entity({ keys: keyDescriptor(`\n<!-- k -->${key.base64}\n`) })}`,
  'a document with one member': `<md:EntitiesDescriptor ${MD}>${entity()}</md:EntitiesDescriptor>`,
}

for (const [name, document] of Object.entries(DOCUMENTS))
  test(`metadata as of ${name} gives the issuer, the address and the certificate that signs`, () => {
    const { issuer, ssoUrl, certificates } = readAll(document)

    assert.deepEqual([issuer, ssoUrl], [ISSUER, SSO_URL])
    assert.deepEqual(
      certificates.map(({ pem }) => pem),
      [key.pem],
    )
  })

test('of more than five keys the newest are kept, each once', () => {
  const keys = [2_021, 2_026, 2_023, 2_022, 2_025, 2_024].map(yearOf)
  const all = [...keys, keys[1]!].map(({ base64 }) => keyDescriptor(base64)).join('')

  const newest = [1, 4, 5, 2, 3].map((at) => keys[at]!.pem)
  assert.deepEqual(pemsIn(entity({ keys: all })), newest)
})

test('keys that are not read are left out, and metadata without one that is read is refused', () => {
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const times = { from: new Date('2024-01-01'), until: new Date('2034-01-01'), signer: key.privateKey }
  const base64Of = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '')
  const elliptic = keyDescriptor(base64Of(selfSigned(curve, times)))
  const short = keyDescriptor(newSamlKey({ bits: 1_024 }).base64)
  const bare = keyDescriptor(
    base64Of(createPublicKey(key.pem).export({ type: 'spki', format: 'pem' }).toString()),
  )

  assert.deepEqual(pemsIn(entity({ keys: elliptic + short + bare + keyDescriptor(key.base64) })), [key.pem])
  for (const keys of ['', elliptic, short, bare, keyDescriptor(key.base64, 'encryption')])
    assert.equal(refusalOf(entity({ keys })), 'no certificate of an RSA key that signs')
})

test('other documents are refused: aggregates, service providers, other protocols and bindings', () => {
  const wrapped = (text: string) => `<md:EntitiesDescriptor ${MD}>${text}</md:EntitiesDescriptor>`
  const own = ownMetadata({
    entityId: 'https://id.example.com/sso/1/metadata',
    acsUrl: 'https://id.example.com/acs',
  })
  const documents = [
    wrapped(entity() + entity({ issuer: 'https://other.example.com' })),
    wrapped(''),
    own,
    entity({ protocols: 'urn:oasis:names:tc:SAML:1.1:protocol' }),
    entity({ services: service('HTTP-POST') }),
    entity({ services: service('HTTP-Redirect', '') }),
    entity({ issuer: ' ' }),
    entity({ issuer: 'x'.repeat(1_025) }),
    entity().replaceAll('SAML:2.0:metadata', 'SAML:2.0:other'),
    entity().replace('</md:EntityDescriptor>', ''),
    'https://idp.example.com/metadata',
    '',
  ]

  for (const document of documents) assert.notEqual(refusalOf(document), 'accepted', document.slice(0, 300))
  assert.equal(refusalOf(entity({ issuer: 'x'.repeat(1_024) })), 'accepted')
})

test('P90: document types, entities, CDATA and other encodings are refused, also where a comment hides them', () => {
  const doctype = '<!DOCTYPE x [<!ENTITY a "b">]>'
  const documents = [
    doctype + entity(),
    `<!-- a --${'>'}${doctype}${entity()}`,
    `<!-<!-- a -->- ${entity()}`,
    `<<?a ?>!DOCTYPE x>${entity()}`,
    entity({ issuer: '&a;' }),
    entity({ keys: keyDescriptor(`<![CDATA[${key.base64}]]>`) }),
    `<?xml version="1.0" encoding="UTF-16"?>${entity()}`.replace('UTF-16"?>', 'UTF-16"?><!'),
    entity().replace('<md:NameIDFormat>', '<!-- '),
    `${entity()}<?end`,
  ]

  for (const document of documents) assert.notEqual(refusalOf(document), 'accepted', document.slice(0, 200))
  assert.notEqual(refusalOf(Buffer.from(`\ufeff${entity()}`, 'utf16le')), 'accepted')
  assert.notEqual(refusalOf(Buffer.from([...Buffer.from(entity()), 0xff])), 'accepted')
})

test('a document of 1 MB is read, a longer one is not, and none makes the reader search it again and again', () => {
  const filled = (length: number) => `<!--${'x'.repeat(length - entity().length - 7)}-->${entity()}`
  const unclosed = '<!--'.repeat(METADATA_MAX / 4)
  const opened = '<!-->'.repeat(METADATA_MAX / 5)

  assert.equal(refusalOf(filled(METADATA_MAX)), 'accepted')
  assert.equal(refusalOf(filled(METADATA_MAX + 1)), 'it is too long')
  for (const document of [unclosed, opened, '<?'.repeat(METADATA_MAX / 2), '<'.repeat(METADATA_MAX)])
    assert.notEqual(refusalOf(document), 'accepted')
  assert.equal(refusalOf(entity({ before: '<a/>'.repeat(10_000) })), 'too many tags')
})

/** The documents that we write, read as a provider reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { ownMetadata, requestUrl } from './documents.ts'
import { LIMITS } from './response.ts'
import { textOf } from './text.ts'
import { elementsOf, rootOf, textIn } from './tree.ts'

const REQUEST = {
  entityId: 'https://id.example.com/sso/con_1/metadata',
  acsUrl: 'https://id.example.com/sso/con_1/acs',
  id: '_0123456789abcdef0123456789abcdef',
  now: new Date('2026-03-01T12:00:00.000Z'),
  ssoUrl: 'https://idp.example.com/sso',
  relayState: 'a+b/c=',
  forceAuthn: false,
}
const attributesIn = (element: Element) =>
  Object.fromEntries(Array.from(element.attributes).map(({ name, value }) => [name, value]))

function sentBy(url: string) {
  const { searchParams } = new URL(url)
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64'))
  const root = rootOf(textOf(xml), LIMITS)
  return { root, searchParams, attributes: attributesIn(root) }
}

test('a request has what a provider needs to answer it, and nothing that one refuses', () => {
  const { root, searchParams, attributes } = sentBy(requestUrl(REQUEST))

  assert.equal(searchParams.get('RelayState'), REQUEST.relayState)
  assert.deepEqual([...searchParams.keys()], ['SAMLRequest', 'RelayState'])
  assert.deepEqual(
    [...elementsOf(root)].map(({ localName }) => localName),
    ['AuthnRequest', 'Issuer'],
  )
  assert.equal(textIn(root.firstChild as Element), REQUEST.entityId)
  assert.deepEqual(attributes, {
    'xmlns:samlp': 'urn:oasis:names:tc:SAML:2.0:protocol',
    'xmlns:saml': 'urn:oasis:names:tc:SAML:2.0:assertion',
    ID: REQUEST.id,
    Version: '2.0',
    IssueInstant: '2026-03-01T12:00:00.000Z',
    Destination: REQUEST.ssoUrl,
    AssertionConsumerServiceURL: REQUEST.acsUrl,
    ProtocolBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  })
  assert.equal(sentBy(requestUrl({ ...REQUEST, forceAuthn: true })).attributes.ForceAuthn, 'true')
})

test('the query that the address of a provider has is kept as it is', () => {
  const ssoUrl = 'https://accounts.google.com/o/saml2/idp?idpid=C01&x=a%20b'

  const url = requestUrl({ ...REQUEST, ssoUrl })

  assert.ok(url.startsWith(`${ssoUrl}&SAMLRequest=`))
  assert.equal(sentBy(url).attributes.Destination, ssoUrl)
})

test('no address becomes markup of a document', () => {
  const entityId = `https://id.example.com/?a="b'&c=<d>&amp;`
  const own = { entityId, acsUrl: `${entityId}#acs` }

  const request = sentBy(requestUrl({ ...REQUEST, ...own, ssoUrl: `https://idp.example.com/?a="&b=<c>` }))
  const metadata = rootOf(textOf(Buffer.from(ownMetadata(own))), LIMITS)

  assert.equal(textIn(request.root.firstChild as Element), entityId)
  assert.equal(request.attributes.AssertionConsumerServiceURL, own.acsUrl)
  const [descriptor, role, service, ...more] = [...elementsOf(metadata)]
  assert.deepEqual([more, role?.localName], [[], 'SPSSODescriptor'])
  assert.equal(descriptor?.getAttribute('entityID'), entityId)
  assert.equal(service?.getAttribute('Location'), own.acsUrl)
})

/** The documents that we write: the request that leads a browser to the provider, and our metadata. */
import { deflateRawSync } from 'node:zlib'
import { ASSERTION, METADATA, PROTOCOL } from './names.ts'

const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (each) => ESCAPED[each]!)
const attributesOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('')

/** How a provider knows us for a connection. */
export type OwnAddresses = { entityId: string; acsUrl: string }

type AuthnRequest = OwnAddresses & {
  /** A name of XML: it begins with a letter or `_`. */
  id: string
  now: Date
  /** The provider's address for requests, which may have a query of its own. */
  ssoUrl: string
  relayState: string
  /** Whether the provider is asked for a new login. Only the time that the assertion states proves it. */
  forceAuthn: boolean
}

/**
 * The address with the request (SAML bindings, section 3.4). It is not signed, and asks for no format of the
 * NameID and no kind of login, which providers refuse.
 */
export function requestUrl(request: AuthnRequest): string {
  const { id, now, ssoUrl, acsUrl, entityId, relayState, forceAuthn } = request
  const attributes = attributesOf({
    ...{ 'xmlns:samlp': PROTOCOL, 'xmlns:saml': ASSERTION, ID: id, Version: '2.0' },
    IssueInstant: now.toISOString(),
    Destination: ssoUrl,
    AssertionConsumerServiceURL: acsUrl,
    ProtocolBinding: POST,
    ...(forceAuthn && { ForceAuthn: 'true' }),
  })
  const issuer = `<saml:Issuer>${escaped(entityId)}</saml:Issuer>`
  const xml = `<samlp:AuthnRequest${attributes}>${issuer}</samlp:AuthnRequest>`
  const query = new URLSearchParams({
    SAMLRequest: deflateRawSync(xml).toString('base64'),
    RelayState: relayState,
  })
  return `${ssoUrl}${ssoUrl.includes('?') ? '&' : '?'}${query}`
}

/** What a provider imports: our entityID, and where it sends responses. */
export function ownMetadata({ entityId, acsUrl }: OwnAddresses): string {
  const role = attributesOf({
    AuthnRequestsSigned: 'false',
    WantAssertionsSigned: 'true',
    protocolSupportEnumeration: PROTOCOL,
  })
  const service = attributesOf({ Binding: POST, Location: acsUrl, index: '0', isDefault: 'true' })
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor${attributesOf({ 'xmlns:md': METADATA, entityID: entityId })}>
  <md:SPSSODescriptor${role}>
    <md:AssertionConsumerService${service}/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}

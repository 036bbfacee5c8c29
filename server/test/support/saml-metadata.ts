/** The metadata of a SAML provider of a test. */

type Shape = { key: { base64: string }; issuer?: string; ssoUrl?: string }

export const samlMetadata = ({
  key,
  issuer = 'https://idp.example.com/saml',
  ssoUrl = 'https://idp.example.com/sso?idpid=C01',
}: Shape): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}"><IDPSSODescriptor \
protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo \
xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${key.base64}</X509Certificate></X509Data>\
</KeyInfo></KeyDescriptor><SingleSignOnService \
Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoUrl.replaceAll('&', '&amp;')}"/>\
</IDPSSODescriptor></EntityDescriptor>`

/** Namespaces and bindings of SAML 2.0. */

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const DS = 'http://www.w3.org/2000/09/xmldsig#'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

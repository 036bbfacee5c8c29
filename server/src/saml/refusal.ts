/** Why a response or a document of a SAML provider is refused. */

export const SAML_CODES = [
  'saml_invalid',
  'saml_encrypted',
  'saml_signature',
  'saml_algorithm',
  'saml_wrong_request',
  'saml_wrong_audience',
  'saml_expired',
  'no_subject',
  'subject_transient',
  'address_ambiguous',
  'provider_refused',
] as const

export type SamlCode = (typeof SAML_CODES)[number]

/** `message` is a text of ours for the log: it has no text of the provider. */
export class SamlRefusal extends Error {
  readonly code: SamlCode
  constructor(code: SamlCode, message: string) {
    super(message)
    this.code = code
  }
}

export function refuse(code: SamlCode, message: string): never {
  throw new SamlRefusal(code, message)
}

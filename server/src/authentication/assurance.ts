/** How a sign-in was proven, in the words of tokens: `amr` (RFC 8176) and `acr` (OpenID Connect Core section 2). */

/** One factor. */
export const AAL1 = 'urn:tenantry:aal1'
/** Two factors, one of them something the person has. A mailed code is none (NIST SP 800-63B). */
export const AAL2 = 'urn:tenantry:aal2'

/**
 * What each way adds to `amr`. `email` is ours: it tells a mailed code from one of an authenticator app; so is
 * `fed`: another identity provider has signed the person in, by whatever way of its own. A passkey is
 * `swk`, since without attestation nobody knows that its key is in hardware.
 */
export const AMR = {
  password: ['pwd'],
  social: ['fed'],
  mailedCode: ['otp', 'email'],
  totp: ['otp', 'mfa'],
  recoveryCode: ['otp', 'mfa'],
  passkey: ['swk', 'user', 'mfa'],
} as const

export type FactorMethod = 'totp' | 'recoveryCode' | 'passkey'

export const acrOf = (amr: readonly string[]): string => (amr.includes('mfa') ? AAL2 : AAL1)

/** Whether a code that was mailed in this browser session was right. */
export const hasMailedCode = (amr: readonly string[]): boolean => amr.includes('email')

/** Whether `acr_values` names two factors and not one; values of others are passed over. */
export function asksForFactors(acrValues: unknown): boolean {
  const values = typeof acrValues === 'string' ? acrValues.split(' ') : []
  return values.includes(AAL2) && !values.includes(AAL1)
}

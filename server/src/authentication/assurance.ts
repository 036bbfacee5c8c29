/**
 * Authentication methods and assurance levels: the claims `amr` (RFC 8176) and `acr`
 * (OpenID Connect Core section 2).
 */

/** One factor. */
export const AAL1 = 'urn:tenantry:aal1'
/** Two factors, one of them something the user has. An emailed code does not count (NIST SP 800-63B). */
export const AAL2 = 'urn:tenantry:aal2'

/**
 * The `amr` values of each method. `email` and `fed` are ours: `email` distinguishes an emailed code from a
 * TOTP code, `fed` is a sign-in by another identity provider, whatever its methods; that of an organization
 * may have stated `mfa` beside it (`amrOf`). A passkey is `swk`:
 * without attestation it is unknown whether its key is in hardware.
 */
export const AMR = {
  password: ['pwd'],
  social: ['fed'],
  connection: ['fed'],
  mailedCode: ['otp', 'email'],
  totp: ['otp', 'mfa'],
  recoveryCode: ['otp', 'mfa'],
  passkey: ['swk', 'user', 'mfa'],
} as const

export type FactorMethod = 'totp' | 'recoveryCode' | 'passkey'

export const acrOf = (amr: readonly string[]): string => (amr.includes('mfa') ? AAL2 : AAL1)

/** Whether an emailed code was verified in this browser session. */
export const hasMailedCode = (amr: readonly string[]): boolean => amr.includes('email')

/** Whether `acr_values` contains AAL2 and not AAL1; unknown values are ignored. */
export function asksForFactors(acrValues: unknown): boolean {
  const values = typeof acrValues === 'string' ? acrValues.split(' ') : []
  return values.includes(AAL2) && !values.includes(AAL1)
}

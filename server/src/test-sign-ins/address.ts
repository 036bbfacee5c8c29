/** The address of a test of a sign-in: a request to /auth, as an application would send it. */
import { createHash } from 'node:crypto'
import { AAL2 } from '../authentication/assurance.ts'
import { randomToken } from '../crypto/seal.ts'
import type { TestRequest } from '../database/schema.ts'
import { Failure } from '../errors.ts'
import type { System } from '../resources/systems/queries.ts'

/** Throws `sign_in_not_testable` for a system that refuses such a request. */
export function demandTestable({ redirectUris, securityProfile, requireSignedRequestObject }: System): void {
  if (redirectUris.length === 0 || securityProfile === 'fapi2' || requireSignedRequestObject)
    throw new Failure('sign_in_not_testable')
}

type Asked = TestRequest & { accountId: string | null; email: string | undefined }

export function testAddress(baseUrl: string, system: System, asked: Asked, secret: string): string {
  const { scope, acr, prompt, accountId, email } = asked
  const challenge = createHash('sha256').update(randomToken()).digest('base64url') // no code will need it
  const parameters = {
    client_id: system.clientId,
    response_type: 'code',
    redirect_uri: system.redirectUris[0],
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    account_id: accountId ?? undefined,
    acr_values: acr === 'mfa' ? AAL2 : undefined,
    prompt: prompt ?? undefined,
    login_hint: email,
    test: secret,
  }
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `${baseUrl}/auth?${new URLSearchParams(given)}`
}

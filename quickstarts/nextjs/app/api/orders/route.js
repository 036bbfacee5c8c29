// The API: requires an access token for this application, and uses the account in it.
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { ISSUER, CLIENT_ID } = process.env
const keys = createRemoteJWKSet(new URL('/jwks', ISSUER))

export async function GET(request) {
  try {
    const [, token = ''] = (request.headers.get('authorization') ?? '').split('Bearer ')
    const rules = { issuer: ISSUER, audience: CLIENT_ID, typ: 'at+jwt' }
    const { payload } = await jwtVerify(token, keys, rules)
    return Response.json({ account: payload.account_id, permissions: payload.permissions })
  } catch {
    return Response.json(
      { error: 'invalid_token' },
      { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } },
    )
  }
}

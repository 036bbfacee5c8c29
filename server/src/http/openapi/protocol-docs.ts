/** Descriptions and examples of the OAuth 2.0 and OpenID Connect endpoints. */
import { docsOf } from '../docs.ts'
import { EXAMPLE } from '../example.ts'

const ISSUER = 'https://id.example.com'
const CLIENT_ID = 'sys_8Jt2mQvX4rLw9ZbN'
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
}
const REQUEST = {
  client_id: CLIENT_ID,
  redirect_uri: 'https://ledger.example/callback',
  response_type: 'code',
  scope: 'openid email offline_access',
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}
const REFRESH_TOKEN = 'v1Ph2cXfQm9sWq8nTz5LkYb3RdJ7gEaU0oKiH4pNc6M'
const AUTHORIZATION = `Starts the authorization code flow with PKCE (OpenID Connect Core section 3.1, RFC 7636). The browser is
  redirected to the pages of the sign-in. If the user is signed in and nothing is to be asked, it is redirected to the
  application at once, with \`code\`, \`state\` and \`iss\` (RFC 9207), or with \`error\`.`
const DISCOVERY = 'A client can cache it for five minutes.'
const USER_INFO = {
  description: `Returns the claims that the scopes of the access token allow (OpenID Connect Core section 5.3). The roles are
    those at the time of the request. \`account_id\` identifies the account of the token: scope your data by it.
    \`membership_id\` identifies the user in this account: key the sessions of your application by it, since \`sub\` is the
    same in every account of the user.`,
  success: 'The claims of the user.',
  response: {
    sub: EXAMPLE.user,
    account_id: EXAMPLE.account,
    membership_id: EXAMPLE.membership,
    roles: ['Accountant'],
    is_admin: false,
    permissions: ['invoices:read', 'invoices:write'],
    sid: EXAMPLE.session,
    email: 'ana@acme.example',
    email_verified: true,
  },
}

/** The example of an error response. */
export const OAUTH_ERROR = { error: 'invalid_request', error_description: 'missing required parameter' }

export const PROTOCOL_DOCS = docsOf('oidc', {
  getOpenidConfiguration: {
    summary: 'Get the OpenID provider metadata',
    description: `Returns the metadata of OpenID Connect Discovery 1.0. ${DISCOVERY}`,
    success: 'The metadata.',
    response: METADATA,
  },
  getAuthorizationServerMetadata: {
    summary: 'Get the authorization server metadata',
    description: `Returns the metadata of RFC 8414. ${DISCOVERY}`,
    success: 'The metadata.',
    response: METADATA,
  },
  getJwks: {
    summary: 'Get the public keys',
    description: `Returns the public keys that verify access tokens and ID tokens (RFC 7517). ${DISCOVERY} Fetch the keys
      again if a token has an unknown \`kid\`.`,
    success: 'The JSON Web Key Set.',
    response: {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          alg: 'ES256',
          use: 'sig',
          kid: '2026-03-01',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    },
  },
  authorize: { summary: 'Start a sign-in', description: AUTHORIZATION, success: 'The redirect.' },
  authorizeByPost: {
    summary: 'Start a sign-in by POST',
    description: `${AUTHORIZATION} The parameters are in the body.`,
    success: 'The redirect.',
    request: REQUEST,
  },
  getTokens: {
    summary: 'Request tokens',
    description: `Issues tokens for an authorization code, a refresh token, a device code, the client itself
      (\`client_credentials\`, if the system allows it), or a user who acts for a member (token exchange, likewise). A refresh token can be used once; its use issues a new one, and the
      reuse of an old one ends the session. A confidential client authenticates.`,
    success: 'The tokens (RFC 6749 section 5.1).',
    request: { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN },
    response: {
      access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJiMmQ2ZjhhMSJ9.c2lnbmF0dXJl',
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'openid email offline_access',
      refresh_token: REFRESH_TOKEN,
    },
  },
  getUserInfo: { summary: 'Get the claims of the user', ...USER_INFO },
  getUserInfoByPost: { summary: 'Get the claims of the user by POST', ...USER_INFO },
  revokeToken: {
    summary: 'Revoke a token',
    description: `Revokes a token (RFC 7009). The revocation of a refresh token, or of an access token of a user, ends its
      session. The response is the same for an unknown token.`,
    success: 'The token is revoked or unknown.',
    request: { token: REFRESH_TOKEN, token_type_hint: 'refresh_token' },
  },
  introspectToken: {
    summary: 'Introspect a token',
    description: `Returns whether a token is active, and its claims (RFC 7662). A client can introspect its own tokens, a
      platform system all tokens, and a system that another names in \`introspectableBy\` the access tokens of that
      system. Any other token is reported as inactive.`,
    success: 'The state of the token.',
    request: { token: REFRESH_TOKEN },
    response: { active: true, sub: EXAMPLE.user, client_id: CLIENT_ID, scope: 'openid email' },
  },
  startLogout: {
    summary: 'Start a logout',
    description: `OpenID Connect RP-Initiated Logout 1.0. Shows a page on which the user confirms. Then the sessions of this
      browser end, and it is redirected to \`post_logout_redirect_uri\`.`,
    success: 'The page that asks the user.',
  },
  pushAuthorizationRequest: {
    summary: 'Push an authorization request',
    description: `Stores the parameters of an authorization request (RFC 9126) and returns a \`request_uri\`, which
      \`/auth\` accepts in their place.`,
    success: 'The request was stored.',
    request: REQUEST,
    response: {
      request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c',
      expires_in: 60,
    },
  },
  authorizeDevice: {
    summary: 'Start a sign-in on a device',
    description: `Starts the device authorization grant (RFC 8628) for a device without a browser. The device shows
      \`user_code\` and \`verification_uri\`, and requests tokens with \`device_code\` until the user has decided.`,
    success: 'The codes of the device.',
    request: { client_id: CLIENT_ID, scope: 'openid' },
    response: {
      device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS',
      user_code: 'WDJB-MJHT',
      verification_uri: `${ISSUER}/device`,
      verification_uri_complete: `${ISSUER}/device?user_code=WDJB-MJHT`,
      expires_in: 600,
    },
  },
})

/** What the OpenAPI document says of the endpoints whose requests the protocol library checks. */
import { Type } from 'typebox'
import { Anything, answer, type Description, FORM_OR_JSON, Html, json, optional } from './answers.ts'

const OAuthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) })
const refused = json(
  'Refused; `error` is a code of RFC 6749, OpenID Connect or an extension of theirs.',
  OAuthError,
)
const refusals = { 400: refused, 401: refused, 503: refused }

const CLIENT = [{ client: [] }, {}]

const AuthQuery = Type.Object({
  client_id: Type.String(),
  redirect_uri: Type.String({
    description:
      "One of the system's redirectUris, character for character; the port of a loopback address is free.",
  }),
  response_type: Type.Enum(['code']),
  scope: Type.String({ description: 'Contains `openid`; at most the allowedScopes of the system.' }),
  state: optional('Given back unchanged.'),
  nonce: optional('Given back in the ID token.'),
  code_challenge: optional(
    'RFC 7636. Required unless PKCE_REQUIRED is `public` and the client confidential.',
  ),
  code_challenge_method: Type.Optional(Type.Enum(['S256'])),
  account_id: optional(
    'The account to sign in to: the selector is skipped, and the token carries this account.',
  ),
  prompt: optional('`none`, `login`, `consent`, `select_account`, or several with spaces between.'),
  max_age: optional('Longest time since the person last proved who they are, in seconds.'),
  acr_values: optional(
    '`urn:tenantry:aal2` asks for a second factor, unless `urn:tenantry:aal1` is named too.',
  ),
  login_hint: optional('Fills in the e-mail address.'),
  ui_locales: optional('Languages of the pages in order of preference.'),
})

const TokenBody = Type.Object({
  grant_type: Type.Enum([
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]),
  code: optional('With authorization_code.'),
  redirect_uri: optional('With authorization_code: the one of the request.'),
  code_verifier: optional('With authorization_code: what code_challenge was made from.'),
  refresh_token: optional('With refresh_token.'),
  device_code: optional('With device_code.'),
  scope: optional('With refresh_token: a part of what was granted.'),
  client_id: optional('A public client names itself here; a confidential one may instead of Basic.'),
  client_secret: optional('Of a confidential client that does not use Basic.'),
})

const TokenAnswer = Type.Object({
  access_token: Type.String({ description: 'A JWT (RFC 9068) signed with ES256.' }),
  token_type: Type.Enum(['Bearer', 'DPoP']),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  scope: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
  refresh_token: Type.Optional(Type.String({ description: 'With the scope offline_access. Good once.' })),
})

const UserInfo = Type.Object(
  {
    sub: Type.String(),
    account_id: Type.String({ description: 'Of the account the token is for. Scope your data by it.' }),
    roles: Type.Array(Type.String(), { description: 'Names of the roles, as they are now.' }),
    is_admin: Type.Boolean(),
    permissions: Type.Array(Type.String(), { description: "The union of the roles' scopes." }),
    profiles: Type.Optional(Type.Array(Type.String())),
    sid: Type.String(),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String()),
    given_name: Type.Optional(Type.String()),
    family_name: Type.Optional(Type.String()),
    locale: Type.Optional(Type.String()),
    updated_at: Type.Optional(Type.Integer()),
  },
  { additionalProperties: true },
)

const LogoutQuery = Type.Object({
  id_token_hint: optional('The ID token of the session to end.'),
  client_id: optional('Names the application when there is no hint.'),
  post_logout_redirect_uri: optional("One of the system's postLogoutRedirectUris."),
  state: optional('Given back unchanged.'),
  ui_locales: optional('Languages of the page in order of preference.'),
})

const Presented = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
  client_id: optional('Of a client that does not use Basic.'),
  client_secret: optional('Of a confidential client that does not use Basic.'),
})

const metadata = {
  summary: 'Discovery metadata',
  response: { 200: json('OpenID Connect Discovery, RFC 8414.', Anything) },
}
const userInfo = {
  summary: 'Claims of the signed-in person',
  description: 'OpenID Connect Core section 5.3. Roles and account are read at the moment of the call.',
  security: [{ bearer: [] }],
  response: {
    200: json('The claims that the scopes of the token allow.', UserInfo),
    401: refused,
    503: refused,
  },
}
const authorization = {
  summary: 'Start a sign-in',
  description: 'Authorization code flow with PKCE (OpenID Connect Core section 3.1, RFC 7636).',
  response: {
    303: {
      description:
        'To the pages of the sign-in, or back to the application with `code`, `state` and `iss`, or with `error`.',
      type: 'null',
    },
    400: answer('A fault that may not go back to the application.', {
      'text/html': Html,
      'application/json': OAuthError,
    }),
  },
} as const

export const PROTOCOL: Record<string, Description> = {
  'GET /.well-known/openid-configuration': { ...metadata, operationId: 'getOpenidConfiguration' },
  'GET /.well-known/oauth-authorization-server': {
    ...metadata,
    operationId: 'getAuthorizationServerMetadata',
  },
  'GET /jwks': {
    operationId: 'getKeys',
    summary: 'Public keys that verify our tokens',
    response: {
      200: json('RFC 7517. May be kept for five minutes.', Type.Object({ keys: Type.Array(Anything) })),
    },
  },
  'GET /auth': { ...authorization, operationId: 'authorize', querystring: AuthQuery },
  'POST /auth': { ...authorization, operationId: 'authorizeByForm', body: AuthQuery, consumes: FORM_OR_JSON },
  'GET /auth/:uid': undefined,
  'POST /token': {
    operationId: 'getTokens',
    summary: 'Get tokens',
    description: 'For an authorization code, a refresh token, a device code, or the client itself.',
    security: CLIENT,
    consumes: FORM_OR_JSON,
    body: TokenBody,
    response: { 200: json('Tokens (RFC 6749 section 5.1).', TokenAnswer), ...refusals },
  },
  'GET /me': { ...userInfo, operationId: 'getUserInfo' },
  'POST /me': { ...userInfo, operationId: 'getUserInfoByPost' },
  'POST /token/revocation': {
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description:
      'RFC 7009. Revoking a refresh token or the access token of a person ends the session behind it.',
    security: CLIENT,
    consumes: FORM_OR_JSON,
    body: Presented,
    response: { 200: { description: 'Revoked, or never a token of ours.', type: 'null' }, ...refusals },
  },
  'POST /token/introspection': {
    operationId: 'introspectToken',
    summary: 'Ask what a token is worth',
    description: 'RFC 7662. A client may ask about its own tokens; a platform system about all.',
    security: CLIENT,
    consumes: FORM_OR_JSON,
    body: Presented,
    response: {
      200: json(
        'What it says, or only that it is not active.',
        Type.Object({ active: Type.Boolean() }, { additionalProperties: true }),
      ),
      ...refusals,
    },
  },
  'GET /session/end': {
    operationId: 'signOut',
    summary: 'Sign out',
    description:
      'OpenID Connect RP-Initiated Logout. Asks the person, then ends the sessions of this browser.',
    querystring: LogoutQuery,
    response: {
      200: answer('The question.', { 'text/html': Html }),
      400: answer('A faulty parameter.', { 'text/html': Html, 'application/json': OAuthError }),
    },
  },
  'POST /session/end': undefined,
  'POST /session/end/confirm': undefined,
  'GET /session/end/success': undefined,
  'POST /request': {
    operationId: 'pushAuthorizationRequest',
    summary: 'Push an authorization request',
    description: 'RFC 9126. Takes the parameters of /auth and answers a `request_uri` for it.',
    security: CLIENT,
    consumes: FORM_OR_JSON,
    body: AuthQuery,
    response: {
      201: json('Taken.', Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() })),
      ...refusals,
    },
  },
  'POST /device/auth': {
    operationId: 'authorizeDevice',
    summary: 'Start a sign-in on a device without a browser',
    description: 'RFC 8628.',
    security: CLIENT,
    consumes: FORM_OR_JSON,
    body: Type.Object({ client_id: Type.String(), scope: Type.String() }),
    response: {
      200: json(
        'What the device shows and asks with.',
        Type.Object({
          device_code: Type.String(),
          user_code: Type.String(),
          verification_uri: Type.String(),
          verification_uri_complete: Type.String(),
          expires_in: Type.Integer(),
        }),
      ),
      ...refusals,
    },
  },
  'GET /device': undefined,
  'POST /device': undefined,
  'GET /device/:uid': undefined,
}

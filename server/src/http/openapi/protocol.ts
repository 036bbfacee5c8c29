/** Schemas of the OAuth 2.0 and OpenID Connect endpoints. The protocol library validates their requests. */
import { Type } from 'typebox'
import { Anything, answer, type Description, FORM, HtmlBody, json, optionalText } from './response-schemas.ts'

const OAuthError = Type.Object(
  {
    error: Type.String({ description: 'The error code.' }),
    error_description: Type.Optional(Type.String({ description: 'An explanation, in English.' })),
  },
  { title: 'OAuthError' },
)
const refused = json(
  'An error. `error` is a code of RFC 6749 section 5.2, of OpenID Connect, or of the extension in use.',
  OAuthError,
)
const refusals = { 400: refused, 401: refused, 503: refused }

const CLIENT = [{ client: [] }, {}]

const AuthQuery = Type.Object(
  {
    client_id: Type.String(),
    redirect_uri: Type.String({
      description:
        'One of the `redirectUris` of the system. The comparison is exact, except for the port of a loopback address.',
    }),
    response_type: Type.Enum(['code']),
    scope: Type.String({ description: 'The requested scopes, separated by spaces. Contains `openid`.' }),
    state: optionalText('Returned unchanged.'),
    nonce: optionalText('Returned in the ID token.'),
    code_challenge: optionalText(
      'The code challenge (RFC 7636). Required, except for a confidential client if `requirePkce` of the system is false or PKCE_REQUIRED is `public`.',
    ),
    code_challenge_method: Type.Optional(Type.Enum(['S256'])),
    account_id: optionalText('The account of the tokens. The account selection is skipped.'),
    connection: optionalText(
      'The id of a connection of an organization, which the login page offers. Ignored if it is not enabled or of another system; with another `account_id` it is `invalid_request`.',
    ),
    organization: optionalText('The same as `account_id`, under the name that the libraries of Auth0 use.'),
    audience: optionalText(
      'The client id or the issuer. Access tokens have the audience of the system in any case; another value is `invalid_target`.',
    ),
    prompt: optionalText(
      '`none`, `login`, `consent`, `select_account`, `create`, or several separated by spaces.',
    ),
    screen_hint: optionalText('`signup`: the registration page precedes the login page.'),
    claims: optionalText(
      'Single claims in addition to those of the scopes, as JSON (OpenID Connect Core section 5.5).',
    ),
    max_age: optionalText('The maximum age of the authentication, in seconds.'),
    acr_values: optionalText(
      '`urn:tenantry:aal2` requires a second factor, unless `urn:tenantry:aal1` is present as well.',
    ),
    login_hint: optionalText('The email address to enter in the form.'),
    ui_locales: optionalText('The preferred languages of the pages, as BCP 47 tags separated by spaces.'),
    request: optionalText(
      'The other parameters as a JWT that is signed with a key of the system (RFC 9101). Parameters beside it are ignored.',
    ),
  },
  { title: 'AuthorizationRequest' },
)

/** Client authentication with `private_key_jwt`. */
const ASSERTION = {
  client_assertion_type: Type.Optional(Type.Enum(['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'])),
  client_assertion: optionalText(
    'A JWT that is signed with a key of the system (RFC 7523), if its `tokenEndpointAuthMethod` is `private_key_jwt`.',
  ),
}

const TokenBody = Type.Object(
  {
    grant_type: Type.Enum([
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ]),
    code: optionalText('The authorization code.'),
    redirect_uri: optionalText('The redirect_uri of the authorization request.'),
    code_verifier: optionalText('The code verifier (RFC 7636).'),
    refresh_token: optionalText('The refresh token.'),
    device_code: optionalText('The device code (RFC 8628).'),
    scope: optionalText('A subset of the granted scopes.'),
    subject_token: optionalText('Token exchange (RFC 8693): the id of the membership to act for.'),
    subject_token_type: Type.Optional(Type.Enum(['urn:tenantry:params:oauth:token-type:membership'])),
    actor_token: optionalText('Token exchange: the own access token of the user who acts.'),
    actor_token_type: Type.Optional(Type.Enum(['urn:ietf:params:oauth:token-type:access_token'])),
    reason: optionalText('Token exchange: why the user acts for the member, 1 to 500 characters.'),
    client_id: optionalText('The client id, if the client does not use HTTP Basic.'),
    client_secret: optionalText('The client secret, if the client does not use HTTP Basic.'),
    ...ASSERTION,
  },
  { title: 'TokenRequest' },
)

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({
      description: 'A JWT (RFC 9068) signed with the `accessTokenAlg` of the system.',
    }),
    token_type: Type.Enum(['Bearer', 'DPoP']),
    expires_in: Type.Integer({ description: 'The lifetime in seconds.' }),
    issued_token_type: Type.Optional(Type.String({ description: 'Only for a token exchange.' })),
    scope: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    refresh_token: Type.Optional(
      Type.String({ description: 'Issued with the scope `offline_access`. Can be used once.' }),
    ),
  },
  { title: 'TokenResponse' },
)

const UserInfo = Type.Object(
  {
    sub: Type.String(),
    account_id: Type.String({ description: 'The account of the token. Scope your data by it.' }),
    membership_id: Type.String({
      description: 'The membership: this user in this account. Key sessions and user records by it.',
    }),
    roles: Type.Array(Type.String(), { description: 'The names of the current roles.' }),
    is_admin: Type.Boolean(),
    permissions: Type.Array(Type.String(), { description: 'The scopes of all roles.' }),
    profiles: Type.Optional(Type.Array(Type.String())),
    sid: Type.String({ description: 'The id of the session.' }),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String()),
    given_name: Type.Optional(Type.String()),
    family_name: Type.Optional(Type.String()),
    middle_name: Type.Optional(Type.String()),
    nickname: Type.Optional(Type.String()),
    preferred_username: Type.Optional(Type.String()),
    profile: Type.Optional(Type.String()),
    picture: Type.Optional(Type.String()),
    website: Type.Optional(Type.String()),
    gender: Type.Optional(Type.String()),
    birthdate: Type.Optional(Type.String()),
    zoneinfo: Type.Optional(Type.String()),
    phone_number: Type.Optional(Type.String()),
    phone_number_verified: Type.Optional(Type.Boolean()),
    address: Type.Optional(
      Type.Object(
        {
          formatted: Type.Optional(Type.String()),
          street_address: Type.Optional(Type.String()),
          locality: Type.Optional(Type.String()),
          region: Type.Optional(Type.String()),
          postal_code: Type.Optional(Type.String()),
          country: Type.Optional(Type.String()),
        },
        { title: 'AddressClaim' },
      ),
    ),
    locale: Type.Optional(Type.String()),
    updated_at: Type.Optional(Type.Integer()),
  },
  { additionalProperties: true, title: 'UserInfo' },
)

const LogoutQuery = Type.Object({
  id_token_hint: optionalText('The ID token of the session.'),
  client_id: optionalText('The application, if there is no hint.'),
  post_logout_redirect_uri: optionalText('One of the `postLogoutRedirectUris` of the system.'),
  state: optionalText('Returned unchanged.'),
  ui_locales: optionalText('The preferred languages of the page, as at /auth.'),
})

const Presented = Type.Object(
  {
    token: Type.String(),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
    client_id: optionalText('The client id, if the client does not use HTTP Basic.'),
    client_secret: optionalText('The client secret, if the client does not use HTTP Basic.'),
    ...ASSERTION,
  },
  { title: 'PresentedToken' },
)

const metadata = {
  response: { 200: json('The metadata.', { ...Anything, title: 'ProviderMetadata' }) },
}
const userInfo = {
  security: [{ bearer: [] }],
  response: {
    200: json('The claims of the user.', UserInfo),
    401: refused,
    503: refused,
  },
}
const authorization = {
  response: {
    303: {
      description: 'The redirect to the sign-in or to the application.',
      type: 'null',
    },
    400: answer('An error that is not sent to the application, because its `redirect_uri` is not verified.', {
      'text/html': HtmlBody,
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
    operationId: 'getJwks',
    response: {
      200: json(
        'The JSON Web Key Set.',
        Type.Object({ keys: Type.Array({ ...Anything, title: 'JsonWebKey' }) }, { title: 'JsonWebKeySet' }),
      ),
    },
  },
  'GET /auth': { ...authorization, operationId: 'authorize', querystring: AuthQuery },
  'POST /auth': { ...authorization, operationId: 'authorizeByPost', body: AuthQuery, consumes: FORM },
  'GET /auth/:uid': undefined,
  'POST /token': {
    operationId: 'getTokens',
    security: CLIENT,
    consumes: FORM,
    body: TokenBody,
    response: { 200: json('Tokens (RFC 6749 section 5.1).', TokenAnswer), ...refusals },
  },
  'GET /me': { ...userInfo, operationId: 'getUserInfo' },
  'POST /me': { ...userInfo, operationId: 'getUserInfoByPost' },
  'POST /token/revocation': {
    operationId: 'revokeToken',
    security: CLIENT,
    consumes: FORM,
    body: Presented,
    response: { 200: { description: 'The token is revoked or unknown.', type: 'null' }, ...refusals },
  },
  'POST /token/introspection': {
    operationId: 'introspectToken',
    security: CLIENT,
    consumes: FORM,
    body: Presented,
    response: {
      200: json(
        'The state of the token.',
        Type.Object({ active: Type.Boolean() }, { additionalProperties: true, title: 'TokenIntrospection' }),
      ),
      ...refusals,
    },
  },
  'GET /session/end': {
    operationId: 'startLogout',
    querystring: LogoutQuery,
    response: {
      200: answer('The page that asks the user.', { 'text/html': HtmlBody }),
      400: answer('A parameter is invalid.', { 'text/html': HtmlBody, 'application/json': OAuthError }),
    },
  },
  'POST /session/end': undefined,
  'POST /session/end/confirm': undefined,
  'GET /session/end/success': undefined,
  'POST /request': {
    operationId: 'pushAuthorizationRequest',
    security: CLIENT,
    consumes: FORM,
    body: AuthQuery,
    response: {
      201: json(
        'The request was stored.',
        Type.Object({ request_uri: Type.String(), expires_in: Type.Integer() }, { title: 'PushedRequest' }),
      ),
      ...refusals,
    },
  },
  'POST /device/auth': {
    operationId: 'authorizeDevice',
    security: CLIENT,
    consumes: FORM,
    body: Type.Object(
      { client_id: Type.String(), scope: Type.String() },
      { title: 'DeviceAuthorizationRequest' },
    ),
    response: {
      200: json(
        'The codes of the device.',
        Type.Object(
          {
            device_code: Type.String(),
            user_code: Type.String(),
            verification_uri: Type.String(),
            verification_uri_complete: Type.String(),
            expires_in: Type.Integer(),
          },
          { title: 'DeviceAuthorization' },
        ),
      ),
      ...refusals,
    },
  },
  'GET /device': undefined,
  'POST /device': undefined,
  'GET /device/:uid': undefined,
}

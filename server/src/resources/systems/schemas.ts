/** The JSON of systems in requests and responses of the admin API. */
import { type Static, Type } from 'typebox'
import {
  Email,
  Id,
  Name,
  NameSearch,
  Nullable,
  oneOf,
  PageOf,
  pathId,
  Time,
  timeOf,
} from '../../http/schemas.ts'
import { KEY_SET_BYTES_MAX, KEYS_MAX } from './client-keys.ts'
import type { System } from './queries.ts'
import { ORIGINS_MAX, URIS_MAX } from './redirect-uris.ts'

/** The scopes of the phone number and the address of a user. */
export const CONTACT_SCOPES = ['phone', 'address'] as const

/** A limit of our own. */
const INTROSPECTORS_MAX = 20

/** 30 days, in seconds. */
const GRACE_MAX = 2_592_000

export const OneSystem = Type.Object({ systemId: pathId('system') })

/** redirect-uris.ts checks each of them. */
const uris = (description: string) =>
  Type.Array(Type.String({ description: 'A URI of at most 2,000 characters.' }), {
    maxItems: URIS_MAX,
    description,
  })

const FLAGS = {
  multiAccount: Type.Boolean({
    description: 'Whether a user can have several accounts, and an account several members. Default false.',
  }),
  allowSelfRegister: Type.Boolean({ description: 'Whether users can sign up. Default false.' }),
  requireAdminActivation: Type.Boolean({
    description: 'Whether new memberships are `pending` until they are activated. Default false.',
  }),
  allowClientCredentials: Type.Boolean({
    description: 'Whether the system can use the grant `client_credentials`. Default false.',
  }),
  allowDeviceFlow: Type.Boolean({
    description:
      'Whether the system can use the device authorization grant (RFC 8628). Default false; never for a platform system.',
  }),
  allowActingForMembers: Type.Boolean({
    description:
      'Whether users with a role with `canActForMembers` can act for other members: at `/token`, with the grant `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693). Default false; only for a confidential client that is no platform system, without `securityProfile`.',
  }),
  allowServiceAccounts: Type.Boolean({
    description:
      'Whether accounts of the system can have service accounts: programs with a key and roles of their own. Default false; not for a platform system, and not with `securityProfile`.',
  }),
  requireEmailOtp: Type.Boolean({
    description: 'Whether a sign-in requires a code that is sent by email. Default false.',
  }),
  requireMfa: Type.Boolean({ description: 'Whether a sign-in requires a second factor. Default false.' }),
  accountAdminApi: Type.Boolean({
    description:
      'Whether admins of accounts can call the admin API with their own access tokens. Default true. If false, only service tokens and the platform can.',
  }),
  organizationSso: oneOf(['off', 'system', 'account'], {
    title: 'OrganizationSso',
    description:
      'Who sets up single sign-on of the organizations, which is their domains and connections. `off`: no authority. `system`: the system and the platform, and the admins of organizations with `ssoSelfService`. `account`: the admins of all organizations as well. Default `system`. Not for platform systems, and only with `multiAccount`.',
  }),
  connectionMfa: oneOf(['reported', 'trusted'], {
    title: 'SystemConnectionMfa',
    description:
      'When a sign-in by a connection of an organization has a second factor, unless `mfa` of the connection says it. `reported`: if the identity provider states it. `trusted`: always, except by a connection that an account admin has set up. Default `reported`.',
  }),
  addressFirst: Type.Boolean({
    description:
      'Whether the sign-in asks for the email address alone, and then for the password, or leads to the connections of the organizations that have verified its domain. Default false.',
  }),
  skipConsent: Type.Boolean({ description: 'Whether users are not asked for consent. Default false.' }),
}

const address = (description: string) => Nullable(Type.String({ maxLength: 2_000, description }))
const ADDRESS_RULE = 'https, or a loopback address while `BASE_URL` has one.'

/** Where our own pages lead to (application.ts). */
const OWN_ADDRESSES = {
  clientUri: address(
    `The home page of the application (RFC 7591 section 2): where pages at the end of a flow lead to without \`initiateLoginUri\`. ${ADDRESS_RULE}`,
  ),
  initiateLoginUri: address(
    `A page of the application that starts its sign-in (OpenID Connect Core section 4): where pages at the end of a flow lead to. It has the origin of one of \`redirectUris\`, and receives \`iss\` and, where known, \`login_hint\`, \`account_id\` and \`connection\`. ${ADDRESS_RULE}`,
  ),
  policyUri: address(
    `The privacy policy (RFC 7591 section 2), a link at the foot of the pages. ${ADDRESS_RULE}`,
  ),
  tosUri: address(
    `The terms of service (RFC 7591 section 2), a link at the foot of the pages. ${ADDRESS_RULE}`,
  ),
  supportUri: address(`Where users find help, a link at the foot of the pages. ${ADDRESS_RULE}`),
}

export const Color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  'x-message': 'must be a color such as #336699',
  description: 'The color of buttons and links, such as `#336699`.',
})

/** branding.ts accepts no other value than the present one. */
const uploaded = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 2_000, description: `${description} Only the present address is accepted.` }),
  )

/** How a client authenticates, and its keys. client-keys.ts checks each key. */
const AUTHENTICATION = {
  tokenEndpointAuthMethod: oneOf(['client_secret', 'private_key_jwt', 'none'], {
    description:
      'How the system authenticates at `/token` and the other endpoints for clients. `client_secret`: by HTTP Basic or in the body. `private_key_jwt`: by a JWT that is signed with one of its keys (RFC 7523); its secret is not accepted. `none`: a public client. Default `client_secret`, or `none` for a public client.',
  }),
  jwks: Nullable(
    Type.Object(
      {
        keys: Type.Array(
          Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            additionalProperties: true,
            description:
              'A public key (RFC 7517): P-256, Ed25519, or RSA of 2048 to 4096 bits, with a `kid`.',
          }),
          { minItems: 1, maxItems: KEYS_MAX },
        ),
      },
      {
        title: 'ClientKeySet',
        'x-bytes': KEY_SET_BYTES_MAX,
        'x-message': 'must have at most 16,384 bytes',
        description:
          'The public keys of the system, which verify its client assertions and signed requests. Not together with `jwksUri`.',
      },
    ),
  ),
  jwksUri: Nullable(
    Type.String({
      maxLength: 2_000,
      description:
        'A public https URL from which the public keys of the system are fetched. A new key is accepted after 2 minutes at the latest, and a removed one is refused after 6 minutes at the latest. Not together with `jwks`.',
    }),
  ),
  requireSignedRequestObject: Type.Boolean({
    description:
      'Whether authorization requests must be request objects that are signed with a key of the system (RFC 9101). Requires `jwks` or `jwksUri`. Default false.',
  }),
  requirePkce: Type.Boolean({
    description:
      'Whether authorization requests must use PKCE. False only for a confidential client whose library does not support it, without `securityProfile`. Default true.',
  }),
  accessTokenType: oneOf(['at+jwt', 'JWT'], {
    description:
      'The header parameter `typ` of access tokens and service tokens. `at+jwt` (RFC 9068) distinguishes them from other JWTs; `JWT` is for resource servers that accept no other type; these tokens have the claim `token_use` with the value `access`, which the resource server must check. Default `at+jwt`.',
  }),
  accessTokenAlg: oneOf(['ES256', 'RS256'], {
    description:
      'The signature algorithm of access tokens and service tokens, also of service accounts. `RS256` is for a gateway or an API that verifies no other. After a change, tokens that were signed with the other algorithm remain valid until they expire. Default `ES256`; `RS256` not with `securityProfile`.',
  }),
  securityProfile: Nullable(
    oneOf(['fapi2'], {
      title: 'SecurityProfile',
      description:
        '`fapi2`: the system uses the FAPI 2.0 Security Profile. Authorization requests must be pushed to `/request` and use PKCE; tokens are bound to a DPoP key; `tokenEndpointAuthMethod` must be `private_key_jwt` with PS256, ES256 or EdDSA, and `idTokenAlg` and `accessTokenAlg` must be `ES256`. Default null.',
    }),
  ),
}

/**
 * The fields of a system that a request can set. Defaults are in database/schema.ts, because PATCH uses the
 * same fields.
 */
const FIELDS = {
  name: Name,
  redirectUris: uris('The callback URLs. They are compared character by character.'),
  postLogoutRedirectUris: uris('The URLs to which a logout can redirect.'),
  allowedOrigins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
    maxItems: ORIGINS_MAX,
    uniqueItems: true,
    description:
      'The origins from which pages in browsers can call `/token`, `/me` and the other endpoints for clients (CORS), beside those of `redirectUris`: https, the scheme of an app such as `capacitor://localhost`, or http on a loopback address while `BASE_URL` has one. They are compared character by character. Only for a public client. Default none.',
  }),
  backchannelLogoutUri: Nullable(
    Type.String({
      maxLength: 2_000,
      description:
        'A public https URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0).',
    }),
  ),
  invitationUri: Nullable(
    Type.String({
      maxLength: 2_000,
      description:
        'Where the browser of a user continues who has accepted an invitation: a page of the application that starts its sign-in (OpenID Connect Core section 4). It has the origin of one of `redirectUris`, and receives `iss`, `account_id` and `login_hint`. Without it, `initiateLoginUri`.',
    }),
  ),
  ...OWN_ADDRESSES,
  allowedScopes: Type.Array(oneOf(['openid', 'email', 'profile', ...CONTACT_SCOPES, 'offline_access']), {
    uniqueItems: true,
    description: 'The scopes that the system can request. Must contain `openid`.',
  }),
  branding: Type.Object(
    {
      logoUrl: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description: 'An https URL, or the address of the uploaded logo. Another value removes the upload.',
        }),
      ),
      logoDarkUrl: uploaded('The address of the uploaded logo for dark mode.'),
      faviconUrl: uploaded('The address of the uploaded icon of pages in the browser.'),
      color: Type.Optional(Color),
    },
    {
      title: 'Branding',
      description:
        'What pages and emails show. A change replaces the whole object; the address of an upload keeps it, and without it the upload is removed. `putSystemImage` uploads an image.',
    },
  ),
  emailFrom: Nullable(
    Type.Unsafe<string>({
      ...Email,
      description:
        'The address that emails of the system are sent from, instead of that of `MAIL_FROM`. The mail server must be allowed to send from it. Only the platform sets it.',
    }),
  ),
  emailReplyTo: Nullable(
    Type.Unsafe<string>({
      ...Email,
      description: 'The address to which answers to emails of the system go. Only the platform sets it.',
    }),
  ),
  introspectableBy: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: INTROSPECTORS_MAX,
    uniqueItems: true,
    description:
      'The client ids of other systems that can introspect the access tokens of this system at `/token/introspection`, for example of an API that receives them. Each must be a confidential client. Default none.',
  }),
  idTokenAlg: oneOf(['RS256', 'ES256'], {
    description:
      'The signature algorithm of ID tokens. Default `RS256`. That of access tokens is `accessTokenAlg`.',
  }),
  ...AUTHENTICATION,
  ...FLAGS,
}
const ClientType = oneOf(['confidential', 'public'], {
  title: 'ClientType',
  description: 'Whether the client has a secret (RFC 6749 section 2.1). Default `confidential`.',
})

const FOUNDER_ROLE = Nullable(
  Type.Unsafe<string>({
    ...Id,
    description:
      'The role of users who create an account by registering or joining; null: they get none. The first admin role of the system becomes it, unless that role is reserved (`assignableByAccountAdmins` false).',
  }),
)
/** All fields but `clientType`, which cannot change: a client cannot become public or confidential later. */
const PATCHABLE = Type.Partial(Type.Object(FIELDS)).properties
export const UpdateSystem = Type.Object(
  { ...PATCHABLE, founderRoleId: Type.Optional(FOUNDER_ROLE) },
  { title: 'UpdateSystem' },
)
export const CreateSystem = Type.Object(
  { ...PATCHABLE, name: Name, clientType: Type.Optional(ClientType) },
  { title: 'CreateSystem' },
)
export const RotateSecret = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_MAX,
        description:
          'The number of seconds for which the old secret, and service tokens issued for it, remain valid. Default 0.',
      }),
    ),
  },
  { title: 'RotateSystemSecret' },
)

export const SystemSearch = Type.String({
  ...NameSearch,
  title: 'SystemSearch',
  description:
    'Returns only items whose name contains this text, case-insensitively, or whose client id starts with it.',
})

export const SystemAnswer = Type.Object(
  {
    id: Id,
    clientId: Type.String({ description: 'The client id (RFC 6749 section 2.2).' }),
    clientType: ClientType,
    ...FIELDS,
    founderRoleId: FOUNDER_ROLE,
    allowedScopes: Type.Array(Type.String(), { description: 'The scopes that the system can request.' }),
    platform: Type.Boolean({
      description:
        'Whether this is a platform system: its service tokens and admins have platform authority.',
    }),
    previousSecretUntil: Nullable(
      timeOf('Until this time the secret before the last rotation is valid as well; null without one.'),
    ),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: 'System' },
)
export const SystemList = PageOf(SystemAnswer, 'SystemList')
/** The only responses with the secret are this one and that of a rotation. A public client has none. */
export const CreatedSystem = Type.Object(
  {
    ...SystemAnswer.properties,
    clientSecret: Type.Optional(
      Type.String({ description: 'The client secret. Only in this response; not sent for a public client.' }),
    ),
  },
  { title: 'CreatedSystem' },
)
export const RotatedSecret = Type.Object(
  { clientId: Type.String(), clientSecret: Type.String({ description: 'The new client secret.' }) },
  { title: 'RotatedSystemSecret' },
)

export type Fields = Static<typeof UpdateSystem>

export const answerOf = (system: System) => ({
  ...system,
  previousSecretUntil: system.previousSecretUntil?.toISOString() ?? null,
  createdAt: system.createdAt.toISOString(),
  updatedAt: system.updatedAt.toISOString(),
})

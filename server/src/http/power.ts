/**
 * The class of each operation of the admin API and of each field that it accepts. `power` is what takes over
 * or weakens an application, an organization or a user: secrets and keys, operators, admin and reserved roles
 * and invitations with them, settings that protect, deletions, passwords, factors, identities and addresses
 * of others, test sign-ins, copies of many data. A user has to have authenticated in the last 5 minutes for
 * it, in the console, on the pages of /account and with a user token (RFC 9470); service tokens have not.
 *
 * The server does not start with a route or a field that is not in this list. The pages of /account name the
 * operation that their forms perform.
 */

/**
 * `{ power }`: only with one of these values. `roles`: ids of roles, `power` if one is an admin or reserved
 * role. `{ each }`: a list of objects.
 */
export type FieldClass = 'ordinary' | 'power' | 'roles' | { power: readonly unknown[] } | { each: Fields }
type Fields = Readonly<Record<string, FieldClass>>

/** What the path names: the operation is `power` if it is, has or gives an admin or reserved role. */
export type Target = 'role' | 'membership' | 'invitation'

/** An operation without a body, or whose fields are all of its class, is that class. */
export type OperationClass = 'ordinary' | 'power' | { fields: Fields; of?: Target }

const ordinary = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, 'ordinary']))
const POWER_IF_TRUE = { power: [true] } as const
const POWER_IF_FALSE = { power: [false] } as const

const PROFILE = ordinary(
  'name',
  'givenName',
  'familyName',
  'middleName',
  'nickname',
  'preferredUsername',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phoneNumber',
  'phoneNumberVerified',
  'address',
  'metadata',
)

const SYSTEM: Fields = {
  ...ordinary('branding', 'idTokenAlg', 'addressFirst'),
  name: 'power', // who has sent an email and what a page is of
  redirectUris: 'power',
  postLogoutRedirectUris: 'power',
  allowedOrigins: 'power',
  backchannelLogoutUri: 'power',
  invitationUri: 'power',
  clientUri: 'power',
  initiateLoginUri: 'power',
  policyUri: 'power',
  tosUri: 'power',
  supportUri: 'power',
  emailFrom: 'power',
  emailReplyTo: 'power',
  allowedScopes: 'power',
  introspectableBy: 'power',
  tokenEndpointAuthMethod: 'power',
  jwks: 'power',
  jwksUri: 'power',
  requireSignedRequestObject: 'power',
  requirePkce: 'power',
  accessTokenType: 'power',
  accessTokenAlg: 'power',
  securityProfile: 'power',
  multiAccount: 'power',
  organizationSso: 'power', // who may set up what signs in the members of organizations
  connectionMfa: 'power', // a provider of an organization then stands for the second factor
  founderRoleId: 'power',
  allowSelfRegister: POWER_IF_TRUE,
  allowClientCredentials: POWER_IF_TRUE,
  allowDeviceFlow: POWER_IF_TRUE,
  allowActingForMembers: POWER_IF_TRUE,
  allowServiceAccounts: POWER_IF_TRUE,
  accountAdminApi: POWER_IF_TRUE,
  skipConsent: POWER_IF_TRUE,
  requireAdminActivation: POWER_IF_FALSE,
  requireEmailOtp: POWER_IF_FALSE,
  requireMfa: POWER_IF_FALSE,
}

const ROLE: Fields = {
  ...ordinary('name', 'scopes'),
  isAdmin: 'power',
  assignableByAccountAdmins: 'power',
  canActForMembers: 'power',
}

/** With `notify: false` the response has the link, so that value is of class `power`. */
const INVITATION: Fields = {
  ...ordinary('email', 'profiles', 'message', 'expiresIn'),
  roles: 'roles',
  notify: POWER_IF_FALSE,
}

/** The classes by method and path, without a prefix. */
const CLASSES = {
  'GET /admin/systems': 'ordinary',
  'POST /admin/systems': 'power', // returns a secret
  'GET /admin/systems/:systemId': 'ordinary',
  'PATCH /admin/systems/:systemId': { fields: SYSTEM },
  'DELETE /admin/systems/:systemId': 'power',
  'POST /admin/systems/:systemId/rotate-secret': 'power',

  'PUT /admin/systems/:systemId/branding/:image': 'ordinary', // as `branding`
  'DELETE /admin/systems/:systemId/branding/:image': 'ordinary',

  'GET /admin/systems/:systemId/email-texts': 'ordinary',
  'GET /admin/systems/:systemId/email-texts/:kind/:locale': 'ordinary',
  'PUT /admin/systems/:systemId/email-texts/:kind/:locale': 'power',
  'DELETE /admin/systems/:systemId/email-texts/:kind/:locale': 'power',
  'POST /admin/systems/:systemId/email-texts/:kind/:locale/preview': {
    fields: ordinary('subject', 'heading', 'paragraphs', 'button', 'footer'),
  },
  'POST /admin/systems/:systemId/email-texts/:kind/:locale/test': 'ordinary', // to the user's own mailbox

  'GET /admin/systems/:systemId/roles': 'ordinary',
  'POST /admin/systems/:systemId/roles': {
    fields: {
      ...ROLE,
      isAdmin: POWER_IF_TRUE,
      assignableByAccountAdmins: POWER_IF_FALSE,
      canActForMembers: POWER_IF_TRUE,
    },
  },
  'GET /admin/systems/:systemId/roles/:roleId': 'ordinary',
  'PATCH /admin/systems/:systemId/roles/:roleId': { fields: ROLE, of: 'role' },
  'DELETE /admin/systems/:systemId/roles/:roleId': { fields: {}, of: 'role' },

  'GET /admin/systems/:systemId/profiles': 'ordinary',
  'POST /admin/systems/:systemId/profiles': { fields: ordinary('name', 'description', 'attributes') },
  'GET /admin/systems/:systemId/profiles/:profileId': 'ordinary',
  'PATCH /admin/systems/:systemId/profiles/:profileId': {
    fields: ordinary('name', 'description', 'attributes'),
  },
  'DELETE /admin/systems/:systemId/profiles/:profileId': 'ordinary',

  'POST /admin/systems/:systemId/test-sign-ins': 'power',
  'GET /admin/systems/:systemId/test-sign-ins/:testSignInId': 'ordinary',

  'GET /admin/systems/:systemId/webhooks': 'ordinary',
  'POST /admin/systems/:systemId/webhooks': 'power', // returns a secret
  'GET /admin/systems/:systemId/webhooks/:webhookId': 'ordinary',
  'PATCH /admin/systems/:systemId/webhooks/:webhookId': {
    fields: { url: 'power', events: 'power', enabled: POWER_IF_FALSE },
  },
  'DELETE /admin/systems/:systemId/webhooks/:webhookId': 'power', // ends the notice of revocations
  'POST /admin/systems/:systemId/webhooks/:webhookId/rotate-secret': 'power',
  'POST /admin/systems/:systemId/webhooks/:webhookId/test': 'ordinary',
  'GET /admin/systems/:systemId/webhooks/:webhookId/deliveries': 'ordinary',
  'GET /admin/systems/:systemId/webhooks/:webhookId/deliveries/:deliveryId': 'ordinary',
  'POST /admin/systems/:systemId/webhooks/:webhookId/deliveries/:deliveryId/resend': 'ordinary',
  'POST /admin/systems/:systemId/webhooks/:webhookId/resend': { fields: ordinary('after') },
  'GET /admin/webhooks': 'ordinary',
  'GET /admin/webhooks/sample': 'ordinary',

  'POST /admin/users/import': 'power',
  'GET /admin/users': 'ordinary',
  'POST /admin/users': {
    fields: {
      ...PROFILE,
      ...ordinary('email', 'disabled', 'mustChangePassword'),
      emailVerified: POWER_IF_TRUE,
      password: 'power',
      passwordHash: 'power',
    },
  },
  'GET /admin/users/:userId': 'ordinary',
  'PATCH /admin/users/:userId': {
    fields: { ...PROFILE, email: 'power', emailVerified: 'power', disabled: POWER_IF_FALSE },
  },
  'DELETE /admin/users/:userId': 'power',
  'POST /admin/users/:userId/set-password': 'power',
  'POST /admin/users/:userId/reset-password': 'power',
  'POST /admin/users/:userId/send-password-reset': 'ordinary', // to the user's own mailbox
  'POST /admin/users/:userId/resend-verification': 'ordinary',
  'POST /admin/users/:userId/disable-mfa': 'power',
  'DELETE /admin/users/:userId/social/:provider': 'power',
  'GET /admin/users/:userId/factors': 'ordinary',
  'DELETE /admin/users/:userId/factors/:factorId': 'power',
  'GET /admin/users/:userId/export': 'power',

  'GET /admin/systems/:systemId/accounts': 'ordinary',
  'POST /admin/systems/:systemId/accounts': { fields: ordinary('name', 'metadata', 'externalId') },
  'GET /admin/accounts': 'ordinary',
  'GET /admin/accounts/:accountId': 'ordinary',
  'PATCH /admin/accounts/:accountId': {
    fields: {
      ...ordinary('name', 'branding', 'metadata', 'externalId'),
      membersVisible: POWER_IF_TRUE,
      acceptOtherAddress: POWER_IF_TRUE,
      status: 'power',
      requireMfa: POWER_IF_FALSE,
      ssoRequired: 'power', // true locks members out, false lets other logins in
      ssoSelfService: POWER_IF_TRUE,
    },
  },
  'DELETE /admin/accounts/:accountId': 'power',
  'PUT /admin/accounts/:accountId/branding/logo': 'ordinary',
  'DELETE /admin/accounts/:accountId/branding/logo': 'ordinary',
  'GET /admin/accounts/:accountId/members': 'ordinary',

  'GET /admin/accounts/:accountId/domains': 'ordinary',
  'POST /admin/accounts/:accountId/domains': 'power', // whose addresses the organization may speak for
  'GET /admin/accounts/:accountId/domains/:domainId': 'ordinary',
  'PATCH /admin/accounts/:accountId/domains/:domainId': { fields: { subdomains: 'power', setBy: 'power' } },
  'DELETE /admin/accounts/:accountId/domains/:domainId': 'power',
  'POST /admin/accounts/:accountId/domains/:domainId/check': 'ordinary', // the server does it by itself as well

  'GET /admin/accounts/:accountId/connections': 'ordinary',
  'POST /admin/accounts/:accountId/connections': 'power', // who signs in as a member of the organization
  'GET /admin/accounts/:accountId/connections/:connectionId': 'ordinary',
  'PATCH /admin/accounts/:accountId/connections/:connectionId': 'power',
  'DELETE /admin/accounts/:accountId/connections/:connectionId': 'power',
  'POST /admin/accounts/:accountId/connections/:connectionId/test': 'power',
  'GET /admin/accounts/:accountId/connections/:connectionId/attempts': 'ordinary',
  'DELETE /admin/accounts/:accountId/connections/:connectionId/sessions': 'ordinary', // ends access
  'GET /admin/accounts/:accountId/connections/:connectionId/links': 'ordinary',
  'POST /admin/accounts/:accountId/connections/:connectionId/links': 'power', // who signs in as whom
  'DELETE /admin/accounts/:accountId/connections/:connectionId/links': 'power', // others may be linked then
  'DELETE /admin/accounts/:accountId/members/:membershipId/link': 'power',

  'GET /admin/accounts/:accountId/invitations': 'ordinary',
  'POST /admin/accounts/:accountId/invitations': { fields: INVITATION },
  'POST /admin/accounts/:accountId/invitations/batch': { fields: { invitations: { each: INVITATION } } },
  'GET /admin/accounts/:accountId/invitations/:invitationId': 'ordinary',
  'DELETE /admin/accounts/:accountId/invitations/:invitationId': 'ordinary', // ends a right
  'POST /admin/accounts/:accountId/invitations/:invitationId/resend': { fields: {}, of: 'invitation' },

  'GET /admin/accounts/:accountId/service-accounts': 'ordinary',
  'POST /admin/accounts/:accountId/service-accounts': { fields: { ...ordinary('name'), roles: 'power' } },
  'GET /admin/accounts/:accountId/service-accounts/:serviceAccountId': 'ordinary',
  'PATCH /admin/accounts/:accountId/service-accounts/:serviceAccountId': {
    fields: { ...ordinary('name'), roles: 'power', disabled: POWER_IF_FALSE },
  },
  'DELETE /admin/accounts/:accountId/service-accounts/:serviceAccountId': 'ordinary', // ends access
  'POST /admin/accounts/:accountId/service-accounts/:serviceAccountId/keys': 'power',
  'DELETE /admin/accounts/:accountId/service-accounts/:serviceAccountId/keys/:keyId': 'ordinary',

  'GET /admin/memberships': 'ordinary',
  'POST /admin/memberships': {
    fields: {
      ...ordinary('userId', 'email', 'systemId', 'accountId', 'accountName', 'profiles', 'status'),
      roles: 'roles',
    },
  },
  'GET /admin/memberships/:membershipId': 'ordinary',
  'PATCH /admin/memberships/:membershipId': {
    fields: { ...ordinary('status'), ssoExempt: 'power' }, // lets other logins in, or ends them
    of: 'membership',
  },
  'DELETE /admin/memberships/:membershipId': { fields: {}, of: 'membership' },
  'PATCH /admin/memberships/:membershipId/roles': {
    fields: { roles: 'roles', add: 'roles', remove: 'roles' },
    of: 'membership',
  },
  'PATCH /admin/memberships/:membershipId/profiles': { fields: ordinary('profiles', 'add', 'remove') },

  'GET /admin/sessions': 'ordinary',
  'DELETE /admin/sessions/:jti': 'ordinary',
  'DELETE /admin/sessions/by-user/:userId': 'ordinary',
  'DELETE /admin/sessions/by-system/:systemId': 'ordinary',
  'GET /admin/limits': 'ordinary',
  'DELETE /admin/limits': 'power', // allows more guesses
  'GET /admin/jobs': 'ordinary',
  'GET /admin/jobs/:jobId': 'ordinary',
  'GET /admin/operators': 'ordinary',
  'POST /admin/operators': 'power',
  'DELETE /admin/operators/:operatorId': 'power',
  'GET /admin/stats/series': 'ordinary',
  'GET /admin/stats/summary': 'ordinary',
  'GET /admin/names': 'ordinary',
  'GET /admin/search': 'ordinary',
  'GET /admin/installation': 'ordinary',
  'GET /admin/keys': 'ordinary',
  'POST /admin/keys/rotate': 'power',
  'GET /admin/mail': 'ordinary',
  'GET /admin/mail/:emailId': 'ordinary',
  'POST /admin/mail/test': { fields: ordinary('email') },
  'GET /admin/audit': 'ordinary',
  'GET /admin/audit/export': 'power',
  'GET /admin/audit/checkpoint': 'ordinary',
  'GET /admin/explain': 'ordinary',
  'GET /admin/events': 'ordinary',
  'GET /admin/events/stream': 'ordinary',
} as const satisfies Record<string, OperationClass>

export type OperationName = keyof typeof CLASSES

export const OPERATION_NAMES = Object.keys(CLASSES) as OperationName[]

const isName = (name: string): name is OperationName => Object.hasOwn(CLASSES, name)

/** Throws for an operation that is not declared. `url`: without a prefix. */
export function classOf({ method, url }: { method: string; url: string }): OperationClass {
  const asked = method === 'HEAD' ? 'GET' : method
  const name = `${asked} ${url.replace(/\/$/, '')}`
  if (!isName(name)) throw new Error(`${name} is not declared in http/power.ts`)
  return CLASSES[name]
}

export const classNamed = (name: OperationName): OperationClass => CLASSES[name]

type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[]; allOf?: Schema[] }

const partsOf = (schema: Schema): Schema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(partsOf),
]

const fieldsOf = (schema: Schema): Map<string, Schema> =>
  new Map(partsOf(schema).flatMap(({ properties }) => Object.entries(properties ?? {})))

function demandFields(name: string, schema: Schema, fields: Fields): void {
  const accepted = fieldsOf(schema)
  const unknown = [
    ...[...accepted.keys()].filter((field) => !Object.hasOwn(fields, field)),
    ...Object.keys(fields).filter((field) => !accepted.has(field)),
  ]
  if (unknown.length > 0) throw new Error(`http/power.ts and ${name} differ in: ${unknown.join(', ')}`)
  for (const [field, class_] of Object.entries(fields))
    if (typeof class_ === 'object' && 'each' in class_)
      demandFields(`${name}: ${field}`, accepted.get(field)?.items ?? {}, class_.each)
}

/** Throws unless the operation and each field of its body are declared. */
export function demandDeclared(route: { method: string; url: string; body: unknown }): void {
  const declared = classOf(route)
  const { method, url, body } = route
  if (declared === 'power') return
  const fields = declared === 'ordinary' ? {} : declared.fields
  demandFields(`${method} ${url}`, (body ?? {}) as Schema, fields)
}

/** What has to be looked up: whether one of these is, has or gives an admin or reserved role. */
export type Suspected = { roles: string[]; of?: Target }

type Found = { isPower: boolean; roles: string[] }

const idsIn = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string')

function judge(fields: Fields, body: unknown): Found[] {
  const given = (body ?? {}) as Record<string, unknown>
  return Object.entries(fields).flatMap(([name, class_]): Found[] => {
    if (!Object.hasOwn(given, name) || class_ === 'ordinary') return []
    const value = given[name]
    if (class_ === 'power') return [{ isPower: true, roles: [] }]
    if (class_ === 'roles') return [{ isPower: false, roles: idsIn(value) }]
    if ('each' in class_) return [value].flat().flatMap((each) => judge(class_.each, each))
    return [{ isPower: class_.power.includes(value), roles: [] }]
  })
}

/** Whether a request is `power`; what to look up if that depends on roles. */
export function powerOf(class_: OperationClass, body: unknown): boolean | Suspected {
  if (typeof class_ === 'string') return class_ === 'power'
  const found = judge(class_.fields, body)
  if (found.some(({ isPower }) => isPower)) return true
  const roles = found.flatMap((each) => each.roles)
  return class_.of === undefined && roles.length === 0
    ? false
    : { roles, ...(class_.of && { of: class_.of }) }
}

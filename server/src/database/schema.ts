/**
 * The data model: every table, in reading order. A table refers only to tables above it.
 *
 * A constraint has the name of the error code that its violation causes (errors.ts). The database decides
 * uniqueness and existence, so a query needs neither a look-up before the write nor a try/catch.
 *
 * Invariants enforced by the database, with their constraints:
 *  1. An email address, in its stored form (email-address.ts), has one user (email_taken)
 *  2. A user has one membership in an account (membership_exists)
 *  3. In a 1:1 system a user has one membership and an account has one member
 *     (account_taken, account_occupied)
 *  4. A user has one personal account in a system (personal_account_taken)
 *  5. The account, roles and profiles of a membership are of the membership's system
 *     (account_not_found, role_not_in_system, profile_not_in_system)
 *  6. A session has a membership, and is deleted with it (sessions_membership)
 *  7. A membership and the user's row of a system have the current email address of the user (user_not_found)
 *  8. A blocked membership has a block, with the authority that set it (memberships_block)
 *  9. The user of a membership is a user of its system (user_not_in_system)
 * 10. A user has one password that is valid everywhere and one for each system (password_taken)
 * 11. A credential of one system is deleted with the user's row of that system (user_not_in_system)
 *
 * Times are decided by the database's clock (`now()`), never by a process. Secrets that a client or an email
 * contains (codes, tokens, cookies, links) are stored as a keyed hash. Secrets that are read back (keys,
 * webhook secrets, TOTP secrets, queued emails) are encrypted with SECRET_KEY (seal.ts).
 */
import type { Locale } from '../texts/texts.ts'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
  date,
  desc,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  type SQL,
  sql,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from './drizzle.ts'

const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
})

const id = () => uuid().primaryKey().defaultRandom()
const time = () => timestamp({ withTimezone: true })
const createdAt = () => time().notNull().defaultNow()
const updatedAt = () => time().notNull().defaultNow()
/**
 * Each character of a text and each pair of adjacent characters, in lower case. Built-in functions are five
 * times as fast as an SQL function. The migration that creates the indexes disables statistics for this
 * expression.
 */
export const pieces = (column: AnyPgColumn | SQL): SQL => {
  const two = (text: SQL) =>
    sql`string_to_array(regexp_replace(${text}, '(..)', '\\1' || chr(10), 'g'), chr(10))`
  const one = sql`string_to_array(lower(${column}), null)`
  return sql`(${one} || ${two(sql`lower(${column})`)} || ${two(sql`substr(lower(${column}), 2)`)})`
}

/** The name that a system states, of a row for which `STATES_NAME` is true. */
export const nameStated = (profile: AnyPgColumn | SQL): SQL => sql`(${profile} ->> 'name')`
const STATES_NAME = sql`profile ? 'name'`

/** Columns that a filtered list of audit entries reads from an index without reading the entry. */
const kind = (entry: Record<'action' | 'actorType' | 'targetType', AnyPgColumn>) =>
  [entry.action, entry.actorType, entry.targetType] as const

/** The new value of `reason` in the changes of an audit entry. */
export const reasonOf = (changes: AnyPgColumn | SQL) => sql`(${changes} -> 'reason' ->> 1)`

/** The reasons of refused sign-ins that have a number of their own in the statistics. */
export const LOGIN_REASONS = [
  ...['password', 'unknown', 'disabled', 'unverified', 'throttled'],
  ...['pending', 'blocked', 'none', 'foreign', 'factor', 'consent'],
]

/** The refused sign-ins with another reason, or none: a condition on `audit`, which is that of an index. */
export const isOtherRefusal = sql`outcome = 'failure' and action = 'user.login' and not coalesce(${reasonOf(sql`changes`)} in (${sql.raw(
  LOGIN_REASONS.map((reason) => `'${reason}'`).join(', '),
)}), false)`
export const isByProvider = sql`(changes ? 'provider')`

/**
 * The appearance of a system on the sign-in pages and in emails. The addresses of uploaded images (`images`)
 * are in it; `logoUrl` can be another one.
 */
export type Branding = { logoUrl?: string; logoDarkUrl?: string; faviconUrl?: string; color?: string }

/** The appearance of an organization, which its members see. */
export type AccountBranding = Pick<Branding, 'logoUrl' | 'color'>

/** Public keys of a client (RFC 7517 section 5). */
export type ClientKeySet = { keys: Record<string, unknown>[] }

/** What a test of a sign-in requests. */
export type TestRequest = {
  scope: string
  acr: 'mfa' | null
  prompt: 'login' | 'select_account' | 'consent' | null
  forUserId: string | null
}

export const TEST_STEPS = [
  'user',
  'credential',
  'address',
  'password',
  'code',
  'factor',
  'membership',
  'account',
  'consent',
] as const

/** A step of a tested sign-in, as an explanation names it (explain/). `asked`: it was not executed. */
export type TestStep = {
  step: (typeof TEST_STEPS)[number]
  verdict: 'passed' | 'asked' | 'refused' | 'skipped'
  code: string
}

/** `claims`: those of an access token of the membership; null if the sign-in does not get there. */
export type TestResult = { steps: TestStep[]; claims: Record<string, unknown> | null }

/** TXT records at the name that is asked: those that look like ours, and the number of the others. */
export type FoundRecords = { values: string[]; others: number }

/** What a background job does. */
export const JOB_KINDS = ['end_sessions', 'delete_system'] as const

/**
 * The ids of all systems, also of those that are being deleted. What a system can own in large numbers refers
 * to this table: the row in `systems` is deleted first, so that every statement that joins it finds nothing
 * more, and this one by a job, after all that refers to it (decision 0100).
 */
export const systemIds = pgTable('system_ids', { id: id() })

/** A registered client application. */
export const systems = pgTable(
  'systems',
  {
    id: id(),
    name: text().notNull(),
    clientId: text().notNull(),
    clientType: text({ enum: ['confidential', 'public'] })
      .notNull()
      .default('confidential'),
    secretHash: text(), // null for a public client
    previousSecretHash: text(), // accepted until previousSecretUntil
    previousSecretUntil: time(),
    configuredSecretHash: text(), // of the ADMIN_CLIENT_SECRET that was applied last
    tokenEndpointAuthMethod: text({ enum: ['client_secret', 'private_key_jwt', 'none'] })
      .notNull()
      .default('client_secret'), // `none` for a public client only
    jwks: jsonb().$type<ClientKeySet>(), // of the keys and their address, at most one is set
    jwksUri: text(),
    requireSignedRequestObject: boolean().notNull().default(false),
    requirePkce: boolean().notNull().default(true), // public clients must use it whatever this is
    accessTokenType: text({ enum: ['at+jwt', 'JWT'] })
      .notNull()
      .default('at+jwt'), // the header `typ`
    accessTokenAlg: text({ enum: ['ES256', 'RS256'] })
      .notNull()
      .default('ES256'), // RS256 takes ten times as long to sign
    securityProfile: text({ enum: ['fapi2'] }), // FAPI 2.0 Security Profile
    redirectUris: text().array().notNull().default([]),
    postLogoutRedirectUris: text().array().notNull().default([]),
    allowedOrigins: text().array().notNull().default([]), // CORS of a public client, beside redirectUris
    allowedScopes: text().array().notNull().default(['openid', 'email', 'profile']),
    multiAccount: boolean().notNull().default(false),
    allowSelfRegister: boolean().notNull().default(false),
    requireAdminActivation: boolean().notNull().default(false),
    allowClientCredentials: boolean().notNull().default(false),
    allowDeviceFlow: boolean().notNull().default(false),
    allowActingForMembers: boolean().notNull().default(false), // token exchange (RFC 8693)
    allowServiceAccounts: boolean().notNull().default(false), // of its accounts
    requireEmailOtp: boolean().notNull().default(false),
    requireMfa: boolean().notNull().default(false),
    skipConsent: boolean().notNull().default(false),
    accountAdminApi: boolean().notNull().default(true), // whether account admins can call /admin
    // the lowest authority that sets up single sign-on of an organization
    organizationSso: text({ enum: ['off', 'system', 'account'] })
      .notNull()
      .default('system'),
    // when a login by a connection has a second factor, unless the connection says it
    connectionMfa: text({ enum: ['reported', 'trusted'] })
      .notNull()
      .default('reported'),
    addressFirst: boolean().notNull().default(false), // the sign-in begins with the address alone
    idTokenAlg: text({ enum: ['RS256', 'ES256'] })
      .notNull()
      .default('RS256'), // every client library supports it; ES256 takes a tenth of the time to sign
    platform: boolean().notNull().default(false), // its admins and service tokens have platform authority
    backchannelLogoutUri: text(),
    invitationUri: text(), // where the browser of a user continues who has accepted an invitation
    // where our pages link to (resources/systems/application.ts)
    clientUri: text(),
    initiateLoginUri: text(),
    policyUri: text(),
    tosUri: text(),
    supportUri: text(),
    emailFrom: text(), // of its emails, instead of the address of MAIL_FROM
    emailReplyTo: text(),
    introspectableBy: text().array().notNull().default([]), // client ids; those of deleted systems may remain
    branding: jsonb().$type<Branding>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (system) => [
    unique('client_id_taken').on(system.clientId),
    check('platform_device_flow', sql`not (${system.platform} and ${system.allowDeviceFlow})`),
    check('platform_acting', sql`not (${system.platform} and ${system.allowActingForMembers})`),
    check('platform_service_accounts', sql`not (${system.platform} and ${system.allowServiceAccounts})`),
    check('systems_organization_sso', sql`${system.organizationSso} in ('off', 'system', 'account')`),
    check('systems_connection_mfa', sql`${system.connectionMfa} in ('reported', 'trusted')`),
    index('systems_newest').on(desc(system.createdAt), desc(system.id)),
  ],
)

/** Texts that a system has of its own in its emails (jobs/email/kinds.ts). Null: ours. */
export const emailTexts = pgTable(
  'email_texts',
  {
    systemId: uuid().notNull(),
    kind: text().notNull(),
    locale: text().$type<Locale>().notNull(),
    setBy: text({ enum: ['platform', 'system'] }).notNull(), // a lower authority does not change it
    subject: text(),
    heading: text(),
    paragraphs: jsonb().$type<string[]>(),
    button: text(),
    footer: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    primaryKey({ columns: [row.systemId, row.kind, row.locale] }),
    foreignKey({
      name: 'system_not_found',
      columns: [row.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    check('email_texts_set_by', sql`${row.setBy} in ('platform', 'system')`),
  ],
)

/** A named set of scopes in one system. */
export const roles = pgTable(
  'roles',
  {
    id: id(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    isAdmin: boolean().notNull().default(false), // the token claim is_admin
    scopes: text().array().notNull().default([]),
    // false: assigned and removed by the system and the platform only
    assignableByAccountAdmins: boolean().notNull().default(true),
    canActForMembers: boolean().notNull().default(false), // for such a role only if it is reserved
    // given to users who create an account by registering or joining
    isFounder: boolean().notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (role) => [
    check(
      'roles_acting',
      sql`not (${role.canActForMembers} and (${role.assignableByAccountAdmins} or ${role.isFounder}))`,
    ),
    unique('role_name_taken').on(role.systemId, role.name),
    unique('roles_of_system').on(role.systemId, role.id, role.isAdmin), // referenced by membership_roles
    uniqueIndex('founder_role_taken').on(role.systemId).where(sql`is_founder`),
    foreignKey({
      name: 'system_not_found',
      columns: [role.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
  ],
)

/** A named set of attributes for memberships, interpreted by the application. */
export const profiles = pgTable(
  'profiles',
  {
    id: id(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    description: text(),
    attributes: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (profile) => [
    unique('profile_name_taken').on(profile.systemId, profile.name),
    unique('profiles_of_system').on(profile.systemId, profile.id),
    foreignKey({
      name: 'system_not_found',
      columns: [profile.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
  ],
)

/** OpenID Connect Core section 5.1.1. */
export type PostalAddress = Partial<
  Record<'formatted' | 'streetAddress' | 'locality' | 'region' | 'postalCode' | 'country', string>
>

/** A person who can sign in. One user can be a member of many systems. */
export const users = pgTable(
  'users',
  {
    id: id(),
    email: text().notNull(),
    emailVerified: boolean().notNull().default(false),
    name: text(),
    givenName: text(),
    familyName: text(),
    middleName: text(),
    nickname: text(),
    preferredUsername: text(),
    profile: text(), // the URL of a page about the user (OpenID Connect Core section 5.1)
    picture: text(),
    website: text(),
    gender: text(),
    birthdate: text(), // YYYY-MM-DD, YYYY, or 0000-MM-DD
    zoneinfo: text(),
    locale: text(),
    phoneNumber: text(),
    phoneNumberVerified: boolean().notNull().default(false), // stated by the platform
    address: jsonb().$type<PostalAddress>(),
    disabled: boolean().notNull().default(false),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    hasPassword: boolean().notNull().default(false), // one that is valid everywhere (`passwords`)
    movedAt: time(), // the latest change of the address
    lastLoginAt: time(),
    passkeyOfferAt: time(), // null: from the second sign-in (sign-ins/passkey-offer.ts)
    passkeyDeclines: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (user) => [
    unique('email_taken').on(user.email),
    check('users_phone', sql`${user.phoneNumber} is not null or not ${user.phoneNumberVerified}`),
    index('users_newest').on(desc(user.createdAt), desc(user.id), user.email, user.name),
    // partial indexes for values that are usually rare
    index('users_disabled').on(desc(user.createdAt), desc(user.id), user.email).where(sql`disabled`),
    index('users_unverified')
      .on(desc(user.createdAt), desc(user.id), user.email)
      .where(sql`not email_verified`),
    index('users_without_password').on(desc(user.createdAt), desc(user.id)).where(sql`not has_password`),
    // the earliest and latest sign-in in two pages of the table: a sign-in adds no entry to any index
    index('users_signed_in').using('brin', user.lastLoginAt).with({ pages_per_range: 2 }),
    // substring search from 3 characters
    index('users_email_part').using('gin', sql`lower(${user.email}) gin_trgm_ops`),
    index('users_email_pieces').using('gin', pieces(user.email)), // below 3 characters
    index('users_name_part').using('gin', sql`lower(${user.name}) gin_trgm_ops`),
    index('users_name_pieces').using('gin', pieces(user.name)),
  ],
)

/**
 * Users who use the console for the installation or for one system, besides the admins of the platform
 * system. No token contains this.
 */
export const operators = pgTable(
  'operators',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid(), // null: the installation
    level: text({ enum: ['admin', 'viewer'] }).notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (operator) => [
    unique('operator_exists').on(operator.userId, operator.systemId).nullsNotDistinct(),
    foreignKey({ name: 'user_not_found', columns: [operator.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'system_not_found',
      columns: [operator.systemId],
      foreignColumns: [systems.id],
    }).onDelete('cascade'),
    index('operators_of_system').on(operator.systemId),
    check('operators_level', sql`${operator.level} in ('admin', 'viewer')`),
  ],
)

/** A tenant of a system: a personal account or an organization. */
export const accounts = pgTable(
  'accounts',
  {
    id: id(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    kind: text({ enum: ['personal', 'organization'] }).notNull(),
    // the user of a personal account; kept when the membership is deleted: a new one gets the same account
    personalOf: uuid(),
    // created by the admin API, and no user has been a member yet: their number is limited
    awaitsMember: boolean().notNull().default(false),
    membersVisible: boolean().notNull().default(true), // members who are not admins see the others
    acceptOtherAddress: boolean().notNull().default(false), // invitations can be accepted with another one
    // the authority that has suspended the account; empty unless it is suspended
    suspendedBy: text({ enum: ['platform', 'system'] })
      .array()
      .notNull()
      .default([]),
    // the authority that requires a second factor of the members; empty unless it is required
    requireMfaBy: text({ enum: ['platform', 'system', 'account'] })
      .array()
      .notNull()
      .default([]),
    // the authority that requires a sign-in by a connection of the organization; null: none does
    ssoRequiredBy: text({ enum: ['platform', 'system', 'account'] }),
    // its admins set up single sign-on, also where `organizationSso` of the system is `system`
    ssoSelfService: boolean().notNull().default(false),
    // of the system and the platform; the admins of the account read neither
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    externalId: text(),
    branding: jsonb().$type<AccountBranding>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (account) => [
    unique('personal_account_taken').on(account.systemId, account.personalOf),
    unique('accounts_of_system').on(account.systemId, account.id),
    unique('external_id_taken').on(account.systemId, account.externalId),
    foreignKey({
      name: 'system_not_found',
      columns: [account.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'user_not_found',
      columns: [account.personalOf],
      foreignColumns: [users.id],
    }).onDelete('cascade'),
    check('accounts_personal', sql`(${account.kind} = 'personal') = (${account.personalOf} is not null)`),
    check('accounts_require_mfa', sql`${account.requireMfaBy} <@ array['platform','system','account']`),
    check('accounts_sso_required', sql`${account.ssoRequiredBy} in ('platform','system','account')`),
    check('accounts_suspended', sql`${account.suspendedBy} <@ array['platform','system']`),
    index('accounts_newest').on(desc(account.createdAt), desc(account.id), account.kind, account.name),
    index('accounts_newest_of_system').on(
      account.systemId,
      desc(account.createdAt),
      desc(account.id),
      account.kind,
      account.name,
    ),
    index('accounts_organizations') // in most systems with personal accounts they are few
      .on(desc(account.createdAt), desc(account.id), account.systemId)
      .where(sql`kind = 'organization'`),
    index('accounts_organizations_by_id') // merged with the accounts of admins
      .on(account.id, account.createdAt, account.systemId)
      .where(sql`kind = 'organization'`),
    index('accounts_of_person').on(account.personalOf),
    index('accounts_suspended_newest')
      .on(desc(account.createdAt), desc(account.id), account.systemId)
      .where(sql`suspended_by <> '{}'`),
    index('accounts_awaiting_member').on(account.systemId).where(sql`${account.awaitsMember}`),
    // substring search from 3 characters
    index('accounts_name_part').using('gin', sql`lower(${account.name}) gin_trgm_ops`),
    index('accounts_name_pieces').using('gin', pieces(account.name)), // below 3 characters
    index('accounts_external_id_part')
      .using('gin', sql`lower(${account.externalId}) gin_trgm_ops`)
      .where(sql`external_id is not null`),
    index('accounts_external_id_pieces')
      .using('gin', pieces(account.externalId))
      .where(sql`external_id is not null`),
  ],
)

/** Uploaded images (resources/images). Their addresses are in `branding` of the system or account. */
export const images = pgTable(
  'images',
  {
    hash: text().primaryKey(), // of the place and the bytes
    systemId: uuid().notNull(),
    accountId: uuid(), // null: of the system itself
    kind: text({ enum: ['logo', 'logo-dark', 'favicon'] }).notNull(),
    bytes: bytes().notNull(),
    createdAt: createdAt(),
  },
  (image) => [
    unique('images_place').on(image.systemId, image.accountId, image.kind).nullsNotDistinct(),
    foreignKey({
      name: 'system_not_found',
      columns: [image.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'account_not_found',
      columns: [image.systemId, image.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('images_kind', sql`${image.kind} in ('logo', 'logo-dark', 'favicon')`),
  ],
)

/**
 * A user who is blocked in an account. Kept when the membership is deleted, so that a lower authority cannot
 * create it again. A block by the platform covers all accounts of the system.
 */
export const blocks = pgTable(
  'blocks',
  {
    userId: uuid().notNull(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    setBy: text({ enum: ['platform', 'system', 'account'] }).notNull(),
    createdAt: createdAt(),
  },
  (block) => [
    primaryKey({ columns: [block.accountId, block.userId] }),
    unique('blocks_authority').on(block.accountId, block.userId, block.setBy), // referenced by memberships
    foreignKey({ name: 'user_not_found', columns: [block.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'account_not_found',
      columns: [block.systemId, block.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('blocks_set_by', sql`${block.setBy} in ('platform', 'system', 'account')`),
    index('blocks_of_user').on(block.userId, block.systemId),
    index('blocks_of_system').on(block.systemId),
  ],
)

/**
 * What the platform and systems have decided against the former user of an address, for its next user:
 * `disabled` in a system, or a block in an account. The address is stored as a keyed hash only. A block
 * without an account is of the personal account. `user_id`: the user has moved to another address, and the
 * decision applies as long as it stands against that user. Null: the user has deleted the own profile.
 */
export const keptDecisions = pgTable(
  'kept_decisions',
  {
    id: id(),
    addressHash: bytes().notNull(),
    userId: uuid(),
    systemId: uuid().notNull(),
    accountId: uuid(),
    kind: text({ enum: ['disabled', 'blocked'] }).notNull(),
    setBy: text({ enum: ['platform', 'system'] }).notNull(),
    createdAt: createdAt(),
  },
  (kept) => [
    unique('kept_decisions_once')
      .on(kept.addressHash, kept.systemId, kept.accountId, kept.kind)
      .nullsNotDistinct(),
    foreignKey({ name: 'user_not_found', columns: [kept.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'system_not_found',
      columns: [kept.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'account_not_found',
      columns: [kept.systemId, kept.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('kept_decisions_kind', sql`${kept.kind} in ('disabled', 'blocked')`),
    check('kept_decisions_set_by', sql`${kept.setBy} in ('platform', 'system')`),
    index('kept_decisions_of_account').on(kept.systemId, kept.accountId),
    index('kept_decisions_of_user').on(kept.userId),
  ],
)

/** The profile fields of a user. A phone number and its verification are stated together. */
export const PROFILE = [
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
] as const

/** The fields by which others can reach the user. A system reads its own statements of them only. */
const CONTACT: readonly string[] = ['phoneNumber', 'phoneNumberVerified', 'address']
export const isContact = (field: string): boolean => CONTACT.includes(field)

/** What a system states of them. A missing field is inherited, null is no value. */
export type StatedProfile = Partial<Pick<typeof users.$inferSelect, (typeof PROFILE)[number]>>

/** What an organization states of a member: no field of `CONTACT`. */
export type StatedByAccount = Omit<StatedProfile, 'phoneNumber' | 'phoneNumberVerified' | 'address'>

/**
 * The users of a system, with what the system states about each. It is valid in this system only. A row is
 * created with the first membership there, or when the system creates the user.
 */
export const systemUsers = pgTable(
  'system_users',
  {
    userId: uuid().notNull(),
    systemId: uuid().notNull(),
    // the address that the system reads: users.email once the user has entered, before that the one at which
    // it has stated the user
    email: text().notNull(),
    profile: jsonb().$type<StatedProfile>().notNull().default({}),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    emailVerified: boolean().notNull().default(false),
    disabled: boolean().notNull().default(false),
    // authentications before this time are not valid in this system
    proofsAfter: time(),
    // second factors and passkeys enrolled before this time are not valid in this system
    factorsAfter: time(),
    // the user has accepted to be a member here; from then on the system reads the user's own profile
    enteredAt: time(),
    createdBySystem: boolean().notNull().default(false), // by its token, without a membership yet
    createdByAccount: uuid(), // whose connection has created the user; the account may be deleted
    lastLoginAt: time(), // in this system
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    primaryKey({ name: 'user_in_system', columns: [row.userId, row.systemId] }),
    foreignKey({
      name: 'user_not_found',
      columns: [row.userId],
      foreignColumns: [users.id],
    }).onDelete('cascade'),
    unique('system_users_address').on(row.userId, row.systemId, row.email), // referenced by memberships
    foreignKey({
      name: 'system_not_found',
      columns: [row.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    index('system_users_without_membership').on(row.systemId).where(sql`created_by_system`),
    index('system_users_of_connections').on(row.createdByAccount).where(sql`created_by_account is not null`),
    index('system_users_disabled').on(row.userId, row.systemId).where(sql`disabled`),
    index('system_users_newest').on(row.systemId, desc(row.createdAt), desc(row.userId), row.email),
    // substring search, as for users
    index('system_users_email_part').using('gin', sql`lower(${row.email}) gin_trgm_ops`),
    index('system_users_email_pieces').using('gin', pieces(row.email)),
    index('system_users_name_part')
      .using('gin', sql`lower(${nameStated(row.profile)}) gin_trgm_ops`)
      .where(STATES_NAME),
    index('system_users_name_pieces')
      .using('gin', pieces(nameStated(row.profile)))
      .where(STATES_NAME),
  ],
)

/**
 * The address at which a system knows a user who is none of its users: the one that it read when it removed
 * the user, or has named exactly. The id alone leads to no later one.
 */
export const statedAddresses = pgTable(
  'stated_addresses',
  {
    userId: uuid().notNull(),
    systemId: uuid().notNull(),
    email: text().notNull(),
    expiresAt: time(), // of an address that was only named; null: the system has removed the user
  },
  (row) => [
    primaryKey({ columns: [row.userId, row.systemId] }),
    foreignKey({
      name: 'user_not_found',
      columns: [row.userId],
      foreignColumns: [users.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'system_not_found',
      columns: [row.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    index('stated_addresses_of_system').on(row.systemId),
    index('stated_addresses_expiry').on(row.expiresAt),
  ],
)

/** Deleted with the user's row of the system that a credential is valid in. */
const ofSystemUser = (row: { userId: AnyPgColumn; systemId: AnyPgColumn }) =>
  foreignKey({
    name: 'user_not_in_system',
    columns: [row.userId, row.systemId],
    foreignColumns: [systemUsers.userId, systemUsers.systemId],
  }).onDelete('cascade')

/**
 * Passwords. The password of one system replaces, in that system only, the one that is valid everywhere.
 * A new password is a new row: what refers to the old one is no longer valid.
 */
export const passwords = pgTable(
  'passwords',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid(), // the system that it is valid in; null: valid everywhere
    hash: text().notNull(), // PHC string
    mustChange: boolean().notNull().default(false),
    expiresAt: time(), // for a temporary password
    createdAt: createdAt(),
  },
  (password) => [
    unique('password_taken').on(password.userId, password.systemId).nullsNotDistinct(),
    foreignKey({ name: 'user_not_found', columns: [password.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    ofSystemUser(password),
  ],
)

/**
 * Credentials that are valid everywhere, but only together with a code that is emailed in the same sign-in:
 * imported ones, and those from before the platform changed the address. The code deletes the rows.
 */
export const unconfirmedCredentials = pgTable(
  'unconfirmed_credentials',
  {
    userId: uuid().notNull(),
    credentialId: uuid().notNull(), // of any table of credentials; the id of the user: the recovery codes
    email: text(), // the address with which it was valid; null: none yet
    verified: boolean().notNull().default(false), // whether that address was verified
  },
  (row) => [
    primaryKey({ columns: [row.userId, row.credentialId] }),
    foreignKey({ name: 'user_not_found', columns: [row.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
  ],
)

/** One user in one account of one system, with a status, roles and profiles. */
export const memberships = pgTable(
  'memberships',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    status: text({ enum: ['pending', 'active', 'blocked'] }).notNull(),
    exclusive: boolean().notNull(), // equal to !systems.multiAccount
    // the authority that created it; `user`: by registering or joining
    addedBy: text({ enum: ['platform', 'system', 'account', 'user'] }).notNull(),
    blockedBy: text({ enum: ['platform', 'system', 'account'] }), // null unless it is blocked
    activatedAt: time(), // when it became active for the first time; null before
    // equal to system_users.email by the foreign key; indexed here to search the members of a system
    email: text().notNull(),
    // a connection created it for a user who existed: credentials of the user do not open it yet
    confirmEntry: boolean().notNull().default(false),
    // the authority that has exempted the member from required single sign-on, and when; null: none has
    ssoExemptBy: text({ enum: ['platform', 'system', 'account'] }),
    ssoExemptAt: time(),
    stated: jsonb().$type<StatedByAccount>().notNull().default({}), // what the organization states
    statedEmail: text(), // the address that the organization states; null: none
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (membership) => [
    unique('membership_exists').on(membership.accountId, membership.userId),
    unique('memberships_of_system').on(membership.systemId, membership.id),
    uniqueIndex('account_taken').on(membership.systemId, membership.userId).where(sql`exclusive`),
    uniqueIndex('account_occupied').on(membership.accountId).where(sql`exclusive`),
    foreignKey({
      name: 'user_not_found',
      columns: [membership.userId],
      foreignColumns: [users.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'user_not_in_system',
      columns: [membership.userId, membership.systemId, membership.email],
      foreignColumns: [systemUsers.userId, systemUsers.systemId, systemUsers.email],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    foreignKey({
      name: 'account_not_found',
      columns: [membership.systemId, membership.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('memberships_status', sql`${membership.status} in ('pending', 'active', 'blocked')`),
    foreignKey({
      name: 'memberships_block',
      columns: [membership.accountId, membership.userId, membership.blockedBy],
      foreignColumns: [blocks.accountId, blocks.userId, blocks.setBy],
    }).onUpdate('cascade'),
    check(
      'memberships_blocked_by',
      sql`(${membership.status} = 'blocked') = (${membership.blockedBy} is not null)`,
    ),
    check('memberships_added_by', sql`${membership.addedBy} in ('platform', 'system', 'account', 'user')`),
    check('memberships_sso_exempt', sql`${membership.ssoExemptBy} in ('platform','system','account')`),
    check(
      'memberships_sso_exempt_at',
      sql`(${membership.ssoExemptBy} is null) = (${membership.ssoExemptAt} is null)`,
    ),
    index('memberships_newest').on(
      desc(membership.createdAt),
      desc(membership.id),
      membership.status,
      membership.email,
    ),
    index('memberships_newest_of_system').on(
      membership.systemId,
      desc(membership.createdAt),
      desc(membership.id),
      membership.userId,
      membership.status,
      membership.email,
    ),
    index('memberships_newest_of_account').on(
      membership.accountId,
      desc(membership.createdAt),
      desc(membership.id),
    ),
    index('memberships_changed').on(desc(membership.updatedAt), desc(membership.id)),
    index('memberships_inactive') // pending and blocked memberships are few and are listed often
      .on(membership.status, desc(membership.createdAt), desc(membership.id))
      .where(sql`status <> 'active'`),
    index('memberships_of_user').on(
      membership.userId,
      membership.systemId,
      membership.status,
      desc(membership.createdAt),
      desc(membership.id),
    ), // those that a sign-in reads: the active ones first
    // substring search, as for users
    index('memberships_email_part').using('gin', sql`lower(${membership.email}) gin_trgm_ops`),
    index('memberships_email_pieces').using('gin', pieces(membership.email)),
  ],
)

export const membershipRoles = pgTable(
  'membership_roles',
  {
    membershipId: uuid().notNull(),
    roleId: uuid().notNull(),
    systemId: uuid().notNull(), // in both foreign keys: role and membership are of the same system
    accountId: uuid().notNull(), // of the membership, as the next two
    userId: uuid().notNull(),
    active: boolean().notNull(), // the status of the membership is `active`
    isAdmin: boolean().notNull(), // of the role, by the foreign key
  },
  (row) => [
    primaryKey({ columns: [row.membershipId, row.roleId] }),
    foreignKey({
      name: 'membership_not_found',
      columns: [row.systemId, row.membershipId],
      foreignColumns: [memberships.systemId, memberships.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'role_not_in_system',
      columns: [row.systemId, row.roleId, row.isAdmin],
      foreignColumns: [roles.systemId, roles.id, roles.isAdmin],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    index('membership_roles_of_role').on(row.roleId),
    index('membership_roles_of_admins')
      .on(row.accountId, row.userId, row.systemId)
      .where(sql`is_admin and active`),
    index('membership_roles_of_admin').on(row.userId, row.accountId).where(sql`is_admin and active`),
  ],
)

export const membershipProfiles = pgTable(
  'membership_profiles',
  {
    membershipId: uuid().notNull(),
    profileId: uuid().notNull(),
    systemId: uuid().notNull(),
  },
  (row) => [
    primaryKey({ columns: [row.membershipId, row.profileId] }),
    foreignKey({
      name: 'membership_not_found',
      columns: [row.systemId, row.membershipId],
      foreignColumns: [memberships.systemId, memberships.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'profile_not_in_system',
      columns: [row.systemId, row.profileId],
      foreignColumns: [profiles.systemId, profiles.id],
    }).onDelete('cascade'),
    index('membership_profiles_of_profile').on(row.profileId),
  ],
)

/**
 * One sign-in of a user to a system in an account. It is the grant of the protocol library and the `sid` of
 * its tokens. Codes, refresh tokens and access tokens refer to it, and are invalid once `endedAt` is set, a
 * row of `session_ends` covers it, or the row is deleted.
 */
export const sessions = pgTable(
  'sessions',
  {
    sid: text().primaryKey(),
    systemId: uuid().notNull(),
    userId: uuid().notNull(),
    accountId: uuid().notNull(),
    membershipId: uuid().notNull(),
    browserUid: text(), // the `uid` of the browser session in the protocol library; not the cookie
    // granted scopes and claims, in the format of the library
    grant: jsonb().$type<Record<string, unknown>>().notNull(),
    acr: text(),
    amr: text().array().notNull().default([]),
    // opened with credentials that are valid everywhere, which the system has not set
    ownCredentials: boolean().notNull().default(false),
    connectionId: uuid(), // of the connection that signed the user in; it stays when that is deleted
    ip: text(),
    userAgent: text(),
    // of a session in which another user acts for the member: the session and the id of that user, and why
    actorSid: text(),
    actorId: uuid(),
    reason: text(),
    createdAt: createdAt(),
    lastSeenAt: time().notNull().defaultNow(),
    expiresAt: time().notNull(),
    endedAt: time(),
    endReason: text(),
  },
  (session) => [
    foreignKey({
      name: 'sessions_membership',
      columns: [session.systemId, session.membershipId],
      foreignColumns: [memberships.systemId, memberships.id],
    }).onDelete('cascade'),
    index('sessions_of_membership').on(session.membershipId, desc(session.createdAt)),
    index('sessions_newest').on(desc(session.createdAt), desc(session.sid)),
    index('sessions_of_user').on(session.userId, desc(session.createdAt)),
    index('sessions_of_system').on(session.systemId, desc(session.createdAt)),
    index('sessions_of_account').on(session.accountId, desc(session.createdAt)),
    index('sessions_of_browser').on(session.browserUid),
    index('sessions_of_actor').on(session.actorSid).where(sql`actor_sid is not null`),
    index('sessions_of_connection').on(session.connectionId).where(sql`connection_id is not null`),
    check('sessions_acting', sql`(${session.actorSid} is null) = (${session.actorId} is null)`),
    index('sessions_over').on(sql`least(${session.expiresAt}, ${session.endedAt})`),
  ],
)

/**
 * Work that is too long for one transaction (jobs/background). The request that caused it has committed the
 * change; a worker of any process does the rest in batches. `systemId` decides who sees the job.
 */
export const backgroundJobs = pgTable(
  'background_jobs',
  {
    id: id(),
    kind: text({ enum: JOB_KINDS }).notNull(),
    systemId: uuid(), // no foreign key: a job outlives its system
    targetType: text().notNull(),
    targetId: text().notNull(),
    actor: jsonb().$type<Record<string, unknown>>(), // of the audit entries and events; null when finished
    parameters: jsonb().$type<unknown>(), // null when finished
    cursor: jsonb().$type<unknown>(), // where the next batch begins; null: at the beginning
    done: integer().notNull().default(0),
    total: integer().notNull(),
    failures: integer().notNull().default(0), // consecutive failed batches
    error: text(), // of the last batch; null if it succeeded
    nextBatchAt: time().notNull().defaultNow(),
    lease: uuid(),
    leasedUntil: time(), // a past time: end of the last lease
    createdAt: createdAt(),
    startedAt: time(),
    finishedAt: time(),
  },
  (job) => [
    index('background_jobs_due').on(job.nextBatchAt).where(sql`finished_at is null`),
    index('background_jobs_served') // when a system had its last turn
      .on(sql`coalesce(${job.systemId}, '00000000-0000-0000-0000-000000000000'::uuid)`, job.finishedAt)
      .where(sql`finished_at is not null`),
    index('background_jobs_finished').on(job.finishedAt).where(sql`finished_at is not null`),
    index('background_jobs_newest').on(desc(job.createdAt), desc(job.id), job.systemId),
    index('background_jobs_newest_of_system').on(job.systemId, desc(job.createdAt), desc(job.id)),
  ],
)

/**
 * Sessions that have ended while a job still has to update their rows: those with all of the given values
 * that were opened until `before`. Deleted by the job, so that the table is almost always empty.
 */
export const sessionEnds = pgTable(
  'session_ends',
  {
    jobId: uuid().primaryKey(),
    systemId: uuid(),
    accountId: uuid(),
    membershipId: uuid(),
    userId: uuid(),
    connectionId: uuid(),
    withoutConnection: boolean().notNull().default(false), // only those that no connection opened
    before: time().notNull(),
    reason: text().notNull(),
  },
  (row) => [
    foreignKey({
      name: 'session_ends_job',
      columns: [row.jobId],
      foreignColumns: [backgroundJobs.id],
    }).onDelete('cascade'),
    check(
      'session_ends_of_one',
      sql`coalesce(${row.systemId}, ${row.accountId}, ${row.membershipId}, ${row.userId}, ${row.connectionId}) is not null`,
    ),
  ],
)

/** The scopes that a user has consented to for an account. Consent is asked once for a scope. */
export const consents = pgTable(
  'consents',
  {
    userId: uuid().notNull(),
    accountId: uuid().notNull(),
    scopes: text().array().notNull(),
    claims: text().array().notNull().default([]), // requested by name, beyond the scopes
    grantedAt: time().notNull().defaultNow(),
  },
  (consent) => [
    primaryKey({ columns: [consent.userId, consent.accountId] }),
    foreignKey({ name: 'user_not_found', columns: [consent.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      name: 'account_not_found',
      columns: [consent.accountId],
      foreignColumns: [accounts.id],
    }).onDelete('cascade'),
    index('consents_of_account').on(consent.accountId),
  ],
)

/** State of the protocol library between requests, by the keyed hash of the value that the client has. */
export const artifacts = pgTable(
  'artifacts',
  {
    // Session, Interaction, AuthorizationCode, RefreshToken, DeviceCode,
    // PushedAuthorizationRequest, ReplayDetection
    model: text().notNull(),
    idHash: bytes().notNull(),
    sid: text(), // of the session
    userId: uuid(),
    uidHash: bytes(), // hash of the `uid` of a browser session
    userCodeHash: bytes(), // hash of the user code of a device flow
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    consumedAt: time(),
    // the successor of a used refresh token, encrypted with the used one: the response to a legitimate repeat
    successor: bytes(),
    expiresAt: time().notNull(),
    createdAt: createdAt(),
  },
  (artifact) => [
    primaryKey({ columns: [artifact.model, artifact.idHash] }),
    // Partial indexes: most of these columns are null, and a null does not have to be written to them.
    index('artifacts_of_session').on(artifact.sid).where(sql`${artifact.sid} is not null`),
    index('artifacts_of_user').on(artifact.userId).where(sql`${artifact.userId} is not null`),
    index('artifacts_uid').on(artifact.uidHash).where(sql`${artifact.uidHash} is not null`),
    uniqueIndex('artifacts_user_code')
      .on(artifact.userCodeHash)
      .where(sql`${artifact.userCodeHash} is not null`),
    index('artifacts_expiry').on(artifact.expiresAt),
  ],
)

/** Access tokens without a session (service tokens) that were revoked, until they expire. */
export const revokedTokens = pgTable(
  'revoked_tokens',
  {
    jti: text().primaryKey(),
    expiresAt: time().notNull(),
  },
  (token) => [index('revoked_tokens_expiry').on(token.expiresAt)],
)

/** Keys that sign tokens. The state follows from the database's time: next, active, retired, removed. */
export const signingKeys = pgTable('signing_keys', {
  kid: text().primaryKey(), // RFC 7638 thumbprint
  alg: text({ enum: ['ES256', 'RS256'] }).notNull(),
  publicJwk: jsonb().$type<Record<string, unknown>>().notNull(),
  sealedPrivateJwk: bytes().notNull(),
  createdAt: createdAt(),
  activeFrom: time().notNull(), // signs from this time; published from its creation
  retiredFrom: time(), // verifies, and no longer signs
  removeFrom: time(), // all tokens signed by it have expired
})

/**
 * One row: verifies SECRET_KEY, and has the key of the keyed hashes once SECRET_KEY is no longer the one with
 * which this database was created.
 */
export const installation = pgTable(
  'installation',
  {
    id: boolean().primaryKey().default(true),
    keyProof: bytes().notNull(),
    sealedHashRoot: bytes(),
    createdAt: createdAt(),
  },
  (row) => [check('installation_single', sql`${row.id}`)],
)

/** The audit log: actor, action, target, outcome. Written in the transaction of the change. */
export const audit = pgTable(
  'audit',
  {
    id: id(),
    time: time().notNull().default(sql`clock_timestamp()`),
    action: text().notNull(),
    outcome: text({ enum: ['success', 'failure'] }).notNull(),
    actorType: text({ enum: ['user', 'service', 'anonymous', 'server'] }).notNull(),
    actorId: text(),
    actorIp: text(),
    actorUserAgent: text(),
    actorVia: text({ enum: ['console', 'account_pages'] }), // null: with an access token, or no request
    actorAuthority: text({ enum: ['platform', 'system', 'account'] }), // of a caller of the admin API
    targetType: text(),
    targetId: text(),
    systemId: uuid(), // no foreign key: entries are kept when their system is deleted
    accountId: uuid(),
    changes: jsonb().$type<Record<string, [unknown, unknown]>>().notNull().default({}),
    requestId: text(),
    stamp: bytes(), // journal/audit/stamp.ts; null or another value: not written by a server
  },
  (entry) => [
    index('audit_newest').on(desc(entry.time), desc(entry.id)),
    index('audit_of_system').on(
      entry.systemId,
      desc(entry.time),
      desc(entry.id),
      entry.actorType,
      entry.targetType,
    ),
    index('audit_of_account').on(entry.accountId, desc(entry.time)),
    index('audit_of_actor').on(entry.actorId, desc(entry.time), desc(entry.id)),
    index('audit_of_target').on(entry.targetId, desc(entry.time)),
    index('audit_of_action').on(entry.action, desc(entry.time), desc(entry.id)),
    index('audit_of_action_in_system').on(entry.systemId, entry.action, desc(entry.time), desc(entry.id)),
    // Partial indexes for rare values, which would otherwise be searched among all entries.
    index('audit_failures')
      .on(desc(entry.time), desc(entry.id), ...kind(entry))
      .where(sql`outcome = 'failure'`),
    index('audit_failures_of_system')
      .on(entry.systemId, desc(entry.time), desc(entry.id), ...kind(entry))
      .where(sql`outcome = 'failure'`),
    // why a sign-in or a request was refused
    index('audit_of_reason')
      .on(reasonOf(entry.changes), desc(entry.time), desc(entry.id))
      .where(sql`outcome = 'failure'`),
    index('audit_of_reason_in_system')
      .on(entry.systemId, reasonOf(entry.changes), desc(entry.time), desc(entry.id))
      .where(sql`outcome = 'failure'`),
    index('audit_of_other_reason')
      .on(isByProvider, desc(entry.time), desc(entry.id), entry.systemId)
      .where(isOtherRefusal),
    index('audit_of_target_type')
      .on(entry.targetType, desc(entry.time), desc(entry.id))
      .where(sql`target_type not in ('user', 'session')`),
    index('audit_of_actor_type')
      .on(entry.actorType, desc(entry.time), desc(entry.id))
      .where(sql`actor_type in ('anonymous', 'server')`),
    index('audit_of_request').on(entry.requestId),
    index('audit_of_ip').on(entry.actorIp, desc(entry.time), desc(entry.id)).where(sql`actor_ip is not null`),
  ],
)

/**
 * The place of an audit entry in the chain of hashes (journal/audit/chain). No foreign keys: a row that is
 * missing in either table is what a verification looks for.
 */
export const auditLinks = pgTable(
  'audit_links',
  {
    entryId: uuid().primaryKey(),
    block: bigint({ mode: 'number' }).notNull(),
    position: integer().notNull(), // in the block, from 0
    hash: bytes().notNull(), // SHA-256 of the entry
    // Random bytes that are hashed with the values. Erasing the values replaces them by the hash.
    changesSalt: bytes(),
    changesHash: bytes(),
    senderSalt: bytes(),
    senderHash: bytes(),
    erasedFor: uuid(), // the deleted user
  },
  (link) => [uniqueIndex('audit_link_place').on(link.block, link.position)],
)

/** The blocks of that chain. The newest is signed, and vouches for all before it. */
export const auditBlocks = pgTable('audit_blocks', {
  number: bigint({ mode: 'number' }).primaryKey(),
  previous: bytes().notNull(), // the hash of the block before; 32 zero bytes in the first one
  oldest: bigint({ mode: 'number' }).notNull(), // the oldest block that existed when this one was closed
  entries: integer().notNull(),
  root: bytes().notNull(), // SHA-256 of the hashes of the entries
  newestTime: time(), // of an entry of this block or of one before
  closedAt: time().notNull(),
  hash: bytes().notNull(),
  checkpoint: text().notNull(), // a JWS
})

/**
 * One row: the number and the hash of the newest block, signed as such. It is replaced with each block, so
 * that whoever removes the newest blocks has no signature of an earlier one as the newest.
 */
export const auditHead = pgTable(
  'audit_head',
  { id: boolean().primaryKey().default(true), statement: text().notNull() }, // a JWS
  (row) => [check('audit_head_single', sql`${row.id}`)],
)

/**
 * Numbers by hour. The system ALL_SYSTEMS (journal/stats) has those of all systems together; there is no
 * foreign key, so that numbers outlive their system.
 */
export const counters = pgTable(
  'counters',
  {
    hour: time().notNull(),
    systemId: uuid().notNull(),
    name: text().notNull(), // the metric
    key: text().notNull(), // such as the reason of a failure
    count: bigint({ mode: 'number' }).notNull(),
  },
  (row) => [primaryKey({ columns: [row.systemId, row.name, row.hour, row.key] })],
)

/** The days on which a user was active in a system: one row, updated at most once a day. */
export const activity = pgTable(
  'activity',
  {
    systemId: uuid().notNull(),
    userId: uuid().notNull(),
    day: date().notNull(), // the last one, in UTC
    days: bigint({ mode: 'bigint' }).notNull(), // a bit for each of the 64 days up to `day`, which is bit 0
  },
  (row) => [primaryKey({ columns: [row.systemId, row.userId] }), ofSystemUser(row)],
)

/** Numbers by day: active users, and the sums of counters whose hours are no longer kept. */
export const daily = pgTable(
  'daily',
  {
    day: date().notNull(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    key: text().notNull(),
    count: bigint({ mode: 'number' }).notNull(),
  },
  (row) => [primaryKey({ columns: [row.systemId, row.name, row.day, row.key] })],
)

/** The event log that products read and webhooks deliver. Written in the transaction of the change. */
export const events = pgTable(
  'events',
  {
    // assigned at the insert, which is not the order of the commits
    seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    // the order of the log; assigned after the commit (decision 0024)
    position: bigint({ mode: 'number' }),
    id: uuid().notNull().defaultRandom(),
    type: text().notNull(),
    time: time().notNull().default(sql`clock_timestamp()`),
    systemId: uuid(), // null: visible to the platform only
    // the copy of a user's event for one system of the user; the original has no system
    copy: boolean().notNull().default(false),
    accountId: uuid(),
    userId: uuid(),
    membershipId: uuid(), // deliveries are ordered for each membership
    data: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (event) => [
    unique('events_id').on(event.id),
    uniqueIndex('events_position').on(event.position).where(sql`position is not null`),
    index('events_of_system').on(event.systemId, event.position).where(sql`position is not null`),
    index('events_of_type').on(event.systemId, event.type, event.seq),
    index('events_urgent') // the types of jobs/webhooks/urgency.ts
      .on(event.systemId, event.position)
      .where(
        sql`position is not null and type in ('user.access_blocked','user.access_revoked','user.deleted','account.suspended','service_account.disabled','service_account.deleted','session.ended','service_account.key_revoked','service_account.token_revoked')`,
      ),
    index('events_time').using('brin', event.time),
    index('events_without_position').on(event.seq).where(sql`position is null`),
  ],
)

/** One row: the newest position of the event log, row-locked while the next positions are assigned. */
export const eventLog = pgTable(
  'event_log',
  {
    id: boolean().primaryKey().default(true),
    newest: bigint({ mode: 'number' }).notNull().default(0),
  },
  (row) => [check('event_log_single', sql`${row.id}`)],
)

/**
 * A URL that receives the events of a system. Leased by one process at a time, which sends its deliveries.
 */
export const webhooks = pgTable(
  'webhooks',
  {
    id: id(),
    systemId: uuid().notNull(),
    url: text().notNull(),
    events: text().array().notNull().default([]), // event types; empty: all
    enabled: boolean().notNull().default(true),
    disabledReason: text({ enum: ['gone', 'failing'] }), // null if disabled by an administrator
    sealedSecret: bytes().notNull(),
    previousSealedSecret: bytes(), // signs as well until previousSecretUntil
    previousSecretUntil: time(),
    // position of the event log up to which deliveries are queued
    followed: bigint({ mode: 'number' }).notNull(),
    // beyond `followed`: up to which deliveries of urgent events are queued
    followedUrgent: bigint({ mode: 'number' }).notNull().default(0),
    dueAt: time(), // of the first pending delivery; null if there is none
    urgentDueAt: time(), // of the first urgent one
    failures: integer().notNull().default(0), // consecutive failed attempts
    urgentFailures: integer().notNull().default(0),
    urgentPausedUntil: time(), // `pausedUntil` does not delay urgent deliveries
    failingSince: time(),
    pausedUntil: time(),
    lease: uuid(),
    leasedUntil: time(), // a past time: end of the last lease
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (webhook) => [
    foreignKey({
      name: 'system_not_found',
      columns: [webhook.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    index('webhooks_newest_of_system').on(webhook.systemId, desc(webhook.createdAt), desc(webhook.id)),
  ],
)

/** The delivery of one event to one webhook. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: id(),
    webhookId: uuid().notNull(),
    eventSeq: bigint({ mode: 'number' }).notNull(),
    // membership, user, service account or account: deliveries with the same value are sent in order
    orderedBy: uuid().notNull(),
    urgency: integer().notNull().default(0), // 1: sent before others; 2: it also ends access
    // superseded: a later event has ended the access, so it is not sent
    status: text({ enum: ['pending', 'delivered', 'failed', 'superseded'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0), // since it was last queued
    nextAttemptAt: time().notNull().defaultNow(),
    createdAt: createdAt(),
    finishedAt: time(),
  },
  (delivery) => [
    unique('deliveries_once').on(delivery.webhookId, delivery.eventSeq),
    foreignKey({
      name: 'webhook_not_found',
      columns: [delivery.webhookId],
      foreignColumns: [webhooks.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'event_not_found',
      columns: [delivery.eventSeq],
      foreignColumns: [events.seq],
    }).onDelete('cascade'),
    index('deliveries_pending').on(delivery.webhookId, delivery.eventSeq).where(sql`status = 'pending'`),
    index('deliveries_waiting').on(delivery.webhookId, delivery.nextAttemptAt).where(sql`status = 'pending'`),
    index('deliveries_urgent')
      .on(delivery.webhookId, delivery.orderedBy, delivery.eventSeq)
      .where(sql`urgency > 0`),
    index('deliveries_failed').on(delivery.webhookId, delivery.eventSeq).where(sql`status = 'failed'`),
    index('deliveries_of_event').on(delivery.eventSeq),
    index('deliveries_finished_of_webhook')
      .on(delivery.webhookId, delivery.status, delivery.finishedAt)
      .where(sql`status <> 'pending'`),
    index('deliveries_finished').on(delivery.finishedAt).where(sql`status <> 'pending'`),
  ],
)

export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    id: id(),
    deliveryId: uuid().notNull(),
    startedAt: time().notNull(),
    durationMs: integer().notNull(),
    status: integer(), // HTTP status; null without a response
    error: text(),
    answer: text(), // the first 1,024 bytes of the response
  },
  (attempt) => [
    foreignKey({
      name: 'delivery_not_found',
      columns: [attempt.deliveryId],
      foreignColumns: [deliveries.id],
    }).onDelete('cascade'),
    index('delivery_attempts_of_delivery').on(attempt.deliveryId, attempt.startedAt),
  ],
)

/** Emails to send. The message is encrypted, since it may contain a link, and is deleted once sent. */
export const mail = pgTable(
  'mail',
  {
    id: id(),
    kind: text().notNull(),
    recipient: text().notNull(),
    userId: uuid(),
    tenant: text().notNull(), // whose turn it takes: empty, or the id of a system, also with ` security`
    isAwaited: boolean().notNull(), // a person waits for it
    sealedMessage: bytes(),
    status: text({ enum: ['pending', 'sent', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time().notNull().defaultNow(),
    leasedUntil: time(),
    expiresAt: time().notNull(), // not sent after this time: its link has expired
    lastError: text(),
    createdAt: createdAt(),
    sentAt: time(),
  },
  (email) => [
    foreignKey({ name: 'user_not_found', columns: [email.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    index('mail_due').on(email.isAwaited, email.tenant, email.nextAttemptAt).where(sql`status = 'pending'`),
    index('mail_leased').on(email.leasedUntil).where(sql`status = 'pending'`),
    index('mail_done').on(email.createdAt).where(sql`status <> 'pending'`),
    index('mail_newest').on(desc(email.createdAt), desc(email.id)),
    index('mail_failed').on(desc(email.createdAt), desc(email.id)).where(sql`status = 'failed'`),
    index('mail_of_user').on(email.userId),
  ],
)

/** Links and codes sent by email: for one purpose, one user and one address; each can be used once. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    id: id(),
    purpose: text({
      enum: ['password_reset', 'email_verification', 'email_change', 'email_change_approval', 'email_otp'],
    }).notNull(),
    userId: uuid().notNull(),
    systemId: uuid(), // of a link: the application to which its pages lead
    email: text().notNull(),
    hash: bytes().notNull(),
    interactionHash: bytes(), // a code is valid only in the interaction that requested it
    triesLeft: integer().notNull().default(1),
    expiresAt: time().notNull(),
    consumedAt: time(),
    createdAt: createdAt(),
  },
  (token) => [
    foreignKey({ name: 'user_not_found', columns: [token.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    // a link remains valid without the system
    foreignKey({
      name: 'system_not_found',
      columns: [token.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('set null'),
    index('one_time_tokens_of_system').on(token.systemId).where(sql`system_id is not null`),
    unique('one_time_tokens_hash').on(token.hash),
    index('one_time_tokens_of_user').on(token.userId, token.purpose, desc(token.createdAt)),
    index('one_time_tokens_expiry').on(token.expiresAt),
  ],
)

/**
 * Invitations of an address to an organization. There may be no user with the address; the invitation is the
 * same with and without one. `roles` and `profiles`: those that still exist are assigned at acceptance.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: id(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    email: text().notNull(),
    roles: uuid().array().notNull(),
    profiles: uuid().array().notNull(),
    message: text(), // plain text
    status: text({ enum: ['pending', 'accepted', 'declined', 'revoked', 'expired'] })
      .notNull()
      .default('pending'),
    linkHash: bytes().notNull(),
    mailed: boolean().notNull(), // the link was sent by email only: whoever opens it has the mailbox
    lifetime: integer().notNull(), // of each link, in seconds
    sends: integer().notNull(), // emails
    lastSentAt: time(),
    addedBy: text({ enum: ['platform', 'system', 'account'] }).notNull(),
    invitedBy: uuid(), // null: a service, or a user who was deleted
    acceptedBy: uuid(),
    expiresAt: time().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    uniqueIndex('invitation_exists').on(row.accountId, row.email).where(sql`status = 'pending'`),
    index('invitations_of_address').on(row.email, row.systemId).where(sql`status = 'pending'`),
    unique('invitations_link').on(row.linkHash),
    foreignKey({
      name: 'account_not_found',
      columns: [row.systemId, row.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'user_not_found',
      columns: [row.invitedBy],
      foreignColumns: [users.id],
    }).onDelete('set null'),
    foreignKey({
      name: 'invitations_accepted_by',
      columns: [row.acceptedBy],
      foreignColumns: [users.id],
    }).onDelete('set null'),
    check(
      'invitations_status',
      sql`${row.status} in ('pending', 'accepted', 'declined', 'revoked', 'expired')`,
    ),
    check('invitations_added_by', sql`${row.addedBy} in ('platform', 'system', 'account')`),
    index('invitations_newest_of_account').on(row.accountId, desc(row.createdAt), desc(row.id), row.email),
    index('invitations_of_inviter').on(row.invitedBy),
    index('invitations_of_invited').on(row.acceptedBy),
    index('invitations_pending').on(row.expiresAt).where(sql`status = 'pending'`),
    index('invitations_ended').on(row.updatedAt).where(sql`status <> 'pending'`),
  ],
)

/**
 * Programs of a tenant, which get access tokens for its account by a key. They have roles, and no user or
 * membership.
 */
export const serviceAccounts = pgTable(
  'service_accounts',
  {
    id: id(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    clientId: text().notNull(), // the `sub` of its tokens
    name: text().notNull(),
    disabled: boolean().notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    unique('service_accounts_client_id').on(row.clientId),
    unique('service_accounts_of_system').on(row.systemId, row.id), // referenced by service_account_roles
    foreignKey({
      name: 'account_not_found',
      columns: [row.systemId, row.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    index('service_accounts_of_account').on(row.accountId, row.createdAt, row.id),
  ],
)

/**
 * A domain of email addresses that an organization states as its own. It is verified while a TXT record below
 * it has the token.
 */
export const domains = pgTable(
  'domains',
  {
    id: id(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    name: text().notNull(), // A-labels, as in the stored form of email addresses
    subdomains: boolean().notNull().default(false), // the addresses of domains below it as well
    setBy: text({ enum: ['platform', 'system', 'account'] }).notNull(), // a lower authority does not change it
    word: text().notNull(), // DOMAIN_RECORD when it was added
    token: text().notNull(),
    status: text({ enum: ['pending', 'verified', 'lapsed'] })
      .notNull()
      .default('pending'),
    outcome: text({ enum: ['verified', 'missing', 'failing'] }), // of the last check; null before the first
    found: jsonb().$type<FoundRecords>(), // when it was missing
    checkedAt: time(),
    verifiedAt: time(),
    missingSince: time(), // of a verified one: since then no answer had the token
    failingSince: time(), // of a verified one: since then there was no answer
    checks: integer().notNull().default(0), // begun; the result of an earlier one is not stored
    nextAttemptAt: time(), // null: on request only
    leasedUntil: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    unique('domain_exists').on(row.accountId, row.name),
    foreignKey({
      name: 'account_not_found',
      columns: [row.systemId, row.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('domains_set_by', sql`${row.setBy} in ('platform', 'system', 'account')`),
    check('domains_status', sql`${row.status} in ('pending', 'verified', 'lapsed')`),
    check('domains_verified_at', sql`(${row.status} = 'pending') = (${row.verifiedAt} is null)`),
    index('domains_verified').on(row.systemId, row.name).where(sql`status = 'verified'`),
    index('domains_due').on(row.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('domains_turns') // as in jobs/turns.ts
      .on(row.systemId, row.nextAttemptAt)
      .where(sql`next_attempt_at is not null`),
    index('domains_leased').on(row.leasedUntil).where(sql`leased_until is not null`),
    index('domains_pending').on(row.createdAt).where(sql`status = 'pending'`),
  ],
)

/**
 * A connection to an identity provider of an organization, which signs in the members of that organization
 * and of no other.
 */
export const connections = pgTable(
  'connections',
  {
    id: id(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    name: text().notNull(),
    kind: text({ enum: ['oidc', 'saml'] }).notNull(),
    setBy: text({ enum: ['platform', 'system', 'account'] }).notNull(), // a lower authority does not change it
    enabled: boolean().notNull().default(false),
    issuer: text(), // does not change after the first test that succeeded; null: a draft
    subjectAttribute: text(), // neither does it; of SAML an attribute, or null for the NameID
    clientId: text(),
    sealedSecret: bytes(),
    secretExpiresAt: time(), // as its admin has typed it
    ssoUrl: text(), // of SAML, as the columns down to `certificate_notice`
    certificates: jsonb()
      .$type<{ pem: string; notBefore: string; notAfter: string }[]>()
      .notNull()
      .default([]),
    metadataUrl: text(),
    metadataReadAt: time(), // the last reading began
    nextAttemptAt: time(), // when it is read again, and the ends of the certificates are looked at
    leasedUntil: time(), // a worker does so
    certificateNotice: integer(), // days before the end of the last certificate: the last email about it
    scopes: text().array().notNull().default(['openid', 'email', 'profile']),
    requiredClaims: jsonb().$type<Record<string, string[]>>().notNull().default({}),
    closedIssuer: boolean().notNull().default(false), // only people of the organization sign in there
    reservedRoles: boolean().notNull().default(false), // signs in members with a role that is reserved
    mfa: text({ enum: ['reported', 'trusted'] }), // when a login has a second factor; null: as the system decides
    mfaAcr: text().array().notNull().default([]),
    reauthentication: text({ enum: ['stated', 'unconfirmed'] })
      .notNull()
      .default('stated'),
    groupAttribute: text(),
    jit: boolean().notNull().default(false), // adds people of a verified domain as members
    sessionHours: integer().notNull().default(24),
    proofsAfter: time(), // logins before it do not count
    linksAfter: time(), // logins before it link nobody
    configuredAt: createdAt(), // the last change of what a test checks
    testHash: bytes(), // of the address of the test in progress
    testBrowserHash: bytes(), // of the browser that has opened it; null: none yet
    testRequestedBy: uuid(), // a user; null: a service client
    testExpiresAt: time(),
    testedAt: time(), // the last test that succeeded
    testedBy: uuid(), // a user; null: a service client, or not tested
    lastUsedAt: time(),
    lastError: text(), // the code of the last refused sign-in or test; null after one that succeeded
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (row) => [
    unique('connection_exists').on(row.accountId, row.name),
    unique('connections_of_system').on(row.systemId, row.id), // referenced by connection_roles
    unique('connections_of_account').on(row.accountId, row.id), // referenced by connection_links
    foreignKey({
      name: 'account_not_found',
      columns: [row.systemId, row.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('connections_kind', sql`${row.kind} in ('oidc', 'saml')`),
    check('connections_set_by', sql`${row.setBy} in ('platform', 'system', 'account')`),
    check(
      'connections_subject',
      sql`${row.kind} = 'saml' or (${row.subjectAttribute} is not null and ${row.subjectAttribute} in ('sub', 'oid'))`,
    ),
    check('connections_mfa', sql`${row.mfa} in ('reported', 'trusted')`),
    check('connections_reauthentication', sql`${row.reauthentication} in ('stated', 'unconfirmed')`),
    check('connections_session_hours', sql`${row.sessionHours} between 1 and 720`),
    check('connections_enabled', sql`not ${row.enabled} or ${row.testedAt} is not null`),
    index('connections_due').on(row.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('connections_turns') // as in jobs/turns.ts
      .on(row.systemId, row.nextAttemptAt)
      .where(sql`next_attempt_at is not null`),
    index('connections_leased').on(row.leasedUntil).where(sql`leased_until is not null`),
  ],
)

/** The roles of members whom a connection adds. */
export const connectionRoles = pgTable(
  'connection_roles',
  {
    connectionId: uuid().notNull(),
    roleId: uuid().notNull(),
    systemId: uuid().notNull(), // in both foreign keys, as in membership_roles
    isAdmin: boolean().notNull(), // of the role, by the foreign key: such a role is not given any more
  },
  (row) => [
    primaryKey({ columns: [row.connectionId, row.roleId] }),
    foreignKey({
      name: 'connection_not_found',
      columns: [row.systemId, row.connectionId],
      foreignColumns: [connections.systemId, connections.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'role_not_in_system',
      columns: [row.systemId, row.roleId, row.isAdmin],
      foreignColumns: [roles.systemId, roles.id, roles.isAdmin],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    index('connection_roles_of_role').on(row.roleId),
  ],
)

/**
 * A member and the subject by which a connection knows them. It signs in to this account only: an identity
 * would be a credential of the user. It ends with the membership and with the connection.
 */
export const connectionLinks = pgTable(
  'connection_links',
  {
    id: id(),
    accountId: uuid().notNull(), // in both foreign keys: the connection and the membership are of one account
    connectionId: uuid().notNull(),
    userId: uuid().notNull(),
    subject: text().notNull(),
    email: text().notNull(), // the address with which it was linked
    groups: text().array().notNull().default([]), // that the provider has stated last
    createdAt: createdAt(),
    lastUsedAt: time(),
  },
  (row) => [
    unique('link_taken').on(row.connectionId, row.subject),
    unique('link_exists').on(row.connectionId, row.userId),
    foreignKey({
      name: 'connection_not_found',
      columns: [row.accountId, row.connectionId],
      foreignColumns: [connections.accountId, connections.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'membership_not_found',
      columns: [row.accountId, row.userId],
      foreignColumns: [memberships.accountId, memberships.userId],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    index('connection_links_of_member').on(row.userId, row.accountId),
    index('connection_links_newest').on(row.connectionId, desc(row.createdAt), desc(row.id)),
  ],
)

/** The last sign-ins and tests of a connection, for whoever finds out why one does not work. */
export const connectionAttempts = pgTable(
  'connection_attempts',
  {
    id: id(),
    connectionId: uuid().notNull(),
    time: time().notNull().defaultNow(),
    outcome: text({ enum: ['signed_in', 'tested', 'refused'] }).notNull(),
    code: text(), // why it was refused
    subject: text(),
    email: text(),
    requestId: text(),
  },
  (row) => [
    foreignKey({
      name: 'connection_not_found',
      columns: [row.connectionId],
      foreignColumns: [connections.id],
    }).onDelete('cascade'),
    check('connection_attempts_outcome', sql`${row.outcome} in ('signed_in', 'tested', 'refused')`),
    index('connection_attempts_newest').on(row.connectionId, desc(row.time), desc(row.id)),
    index('connection_attempts_time').on(row.time),
  ],
)

export const serviceAccountRoles = pgTable(
  'service_account_roles',
  {
    serviceAccountId: uuid().notNull(),
    roleId: uuid().notNull(),
    systemId: uuid().notNull(), // in both foreign keys, as in membership_roles
    isAdmin: boolean().notNull(), // of the role, by the foreign key
  },
  (row) => [
    primaryKey({ columns: [row.serviceAccountId, row.roleId] }),
    foreignKey({
      name: 'service_account_not_found',
      columns: [row.systemId, row.serviceAccountId],
      foreignColumns: [serviceAccounts.systemId, serviceAccounts.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'role_not_in_system',
      columns: [row.systemId, row.roleId, row.isAdmin],
      foreignColumns: [roles.systemId, roles.id, roles.isAdmin],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    index('service_account_roles_of_role').on(row.roleId),
  ],
)

/** The secrets of service accounts, which are valid side by side. A revoked one is deleted. */
export const serviceAccountKeys = pgTable(
  'service_account_keys',
  {
    id: id(),
    serviceAccountId: uuid().notNull(),
    secretHash: text().notNull(),
    hint: text().notNull(), // the last characters of the secret
    expiresAt: time(), // null: valid until it is revoked
    lastUsedAt: time(), // to the minute
    createdAt: createdAt(),
  },
  (key) => [
    unique('service_account_keys_secret').on(key.secretHash),
    foreignKey({
      name: 'service_account_not_found',
      columns: [key.serviceAccountId],
      foreignColumns: [serviceAccounts.id],
    }).onDelete('cascade'),
    index('service_account_keys_of_account').on(key.serviceAccountId, key.createdAt, key.id),
  ],
)

/**
 * Registrations whose address is not verified yet. There is no user: the code of the email, typed in the same
 * interaction, or its link creates one. Several can have the same address.
 */
export const registrations = pgTable(
  'registrations',
  {
    id: id(),
    systemId: uuid().notNull(),
    email: text().notNull(),
    passwordHash: text().notNull(), // PHC string
    name: text(),
    locale: text(),
    accountName: text(), // of the organization to be created
    interactionHash: bytes().notNull(), // the code is valid only in the interaction that registered
    // both null if no code was sent: the address has a user who can sign in, or has received enough email
    codeHash: bytes(),
    linkHash: bytes(),
    triesLeft: integer().notNull(),
    expiresAt: time().notNull(),
    consumedAt: time(), // the row has no hash of a password any more
    createdAt: createdAt(),
  },
  (registration) => [
    foreignKey({
      name: 'system_not_found',
      columns: [registration.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    unique('registrations_link').on(registration.linkHash),
    index('registrations_of_interaction').on(registration.interactionHash),
    index('registrations_of_system').on(registration.systemId),
    index('registrations_expiry').on(registration.expiresAt),
  ],
)

/**
 * Tests of a system's sign-in. A request to /auth with the secret shows the user what the system would
 * receive, instead of sending it. The result is stored only if that user shares it.
 */
export const testSignIns = pgTable(
  'test_sign_ins',
  {
    id: id(),
    systemId: uuid().notNull(),
    secretHash: bytes().notNull(),
    accountId: uuid(), // the requested account; null: none
    userId: uuid(), // who has to sign in, and then who has shared the result; null: anyone
    request: jsonb().$type<TestRequest>().notNull(),
    createdBy: uuid(), // a user; null: a service client
    expiresAt: time().notNull(),
    sharedAt: time(),
    result: jsonb().$type<TestResult>(), // null until it is shared
    createdAt: createdAt(),
  },
  (test) => [
    foreignKey({
      name: 'system_not_found',
      columns: [test.systemId],
      foreignColumns: [systems.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'account_not_found',
      columns: [test.systemId, test.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    foreignKey({ name: 'user_not_found', columns: [test.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    unique('test_sign_ins_secret').on(test.secretHash),
    index('test_sign_ins_of_system').on(test.systemId, test.expiresAt),
    index('test_sign_ins_of_account').on(test.systemId, test.accountId),
    index('test_sign_ins_of_user').on(test.userId),
    index('test_sign_ins_expiry').on(test.expiresAt),
  ],
)

/** Authenticator apps (RFC 6238). */
export const totpFactors = pgTable(
  'totp_factors',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid(), // the system that it is valid in; null: valid everywhere
    sealedSecret: bytes().notNull(),
    lastStep: bigint({ mode: 'number' }), // the time step of the last accepted code: a code is accepted once
    confirmedAt: time(), // null until a first code was verified; the factor is inactive until then
    createdAt: createdAt(),
  },
  (factor) => [
    ofSystemUser(factor),
    foreignKey({ name: 'user_not_found', columns: [factor.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    index('totp_factors_of_user').on(factor.userId),
  ],
)

/** Passkeys (WebAuthn). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid(), // the system that it is valid in; null: valid everywhere
    credentialId: text().notNull(), // base64url
    publicKey: bytes().notNull(), // COSE
    counter: bigint({ mode: 'number' }).notNull().default(0),
    transports: text().array().notNull().default([]),
    backedUp: boolean().notNull().default(false),
    name: text().notNull(),
    createdAt: createdAt(),
    lastUsedAt: time(),
  },
  (passkey) => [
    ofSystemUser(passkey),
    foreignKey({ name: 'user_not_found', columns: [passkey.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    unique('passkey_taken').on(passkey.credentialId),
    index('passkeys_of_user').on(passkey.userId),
  ],
)

export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid().notNull(),
    systemId: uuid(), // the system that it is valid in; null: valid everywhere
    hash: bytes().notNull(),
    usedAt: time(),
    createdAt: createdAt(),
  },
  (code) => [
    primaryKey({ columns: [code.userId, code.hash] }),
    ofSystemUser(code),
    foreignKey({ name: 'user_not_found', columns: [code.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
  ],
)

/** The identity of a user at an external identity provider: the user that `issuer` calls `subject`. */
export const identities = pgTable(
  'identities',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid(), // the system that it is valid in; null: valid everywhere
    /** The id of the provider in the settings at the last sign-in; operators may rename it. */
    provider: text().notNull(),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text(),
    createdAt: createdAt(),
    lastLoginAt: time(),
  },
  (identity) => [
    ofSystemUser(identity),
    foreignKey({ name: 'user_not_found', columns: [identity.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    unique('identity_taken').on(identity.issuer, identity.subject, identity.systemId).nullsNotDistinct(),
    unique('identity_linked').on(identity.userId, identity.issuer, identity.systemId).nullsNotDistinct(),
  ],
)

/**
 * Logout tokens to send (OpenID Connect Back-Channel Logout 1.0): one for each ended session of a system with
 * a back-channel logout URI. Contains all values of the token, since the system may be deleted before it is
 * sent. Deleted when it is sent or has expired.
 */
export const logoutDeliveries = pgTable(
  'logout_deliveries',
  {
    id: id(),
    sid: text().notNull(),
    userId: uuid().notNull(),
    clientId: text().notNull(),
    alg: text({ enum: ['RS256', 'ES256'] }).notNull(),
    uri: text().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time().notNull().defaultNow(),
    leasedUntil: time(),
    expiresAt: time().notNull(),
    createdAt: createdAt(),
  },
  (notice) => [
    index('logout_deliveries_due').on(notice.clientId, notice.nextAttemptAt),
    index('logout_deliveries_of_receiver').on(notice.uri, notice.nextAttemptAt), // postponed together
    index('logout_deliveries_leased').on(notice.leasedUntil),
  ],
)

/** Responses to POST requests with an Idempotency-Key. Written in the transaction of the change. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: text().notNull(), // the caller: keys of different callers are independent
    key: text().notNull(),
    requestHash: bytes().notNull(), // of method, path and body
    status: integer(), // null while the first request is in progress
    sealedAnswer: bytes(), // encrypted: it may contain a secret
    expiresAt: time().notNull(),
    createdAt: createdAt(),
  },
  (row) => [
    primaryKey({ columns: [row.owner, row.key] }),
    index('idempotency_keys_expiry').on(row.expiresAt),
  ],
)

/** How many addresses that are not of its users a system has asked about, for each hour of the last day. */
export const askedAddresses = pgTable(
  'asked_addresses',
  {
    systemId: uuid().notNull(),
    hour: time().notNull(),
    asked: integer().notNull(),
    isRecorded: boolean().notNull().default(false), // in the audit log
  },
  (asked) => [
    primaryKey({ columns: [asked.systemId, asked.hour] }),
    foreignKey({
      name: 'system_not_found',
      columns: [asked.systemId],
      foreignColumns: [systemIds.id],
    }).onDelete('cascade'),
    index('asked_addresses_ended').on(asked.hour),
  ],
)

/** Rate limit counters, shared by all processes. */
export const limits = pgTable(
  'limits',
  {
    key: text().primaryKey(),
    points: integer().notNull().default(0),
    expire: bigint({ mode: 'number' }), // milliseconds since 1970
    userId: uuid(), // whose credentials are guessed; null for others, also for an address without a user
    systemId: uuid(), // where these attempts are counted; null: in all systems, or none
  },
  (limit) => [
    index('limits_expiry').on(limit.expire),
    index('limits_of_user').on(limit.userId).where(sql`user_id is not null`),
  ],
)

/** Migrations (database/migrations): each is recorded in the transaction of its statements. */
export const migrations = pgTable('migrations', {
  number: integer().primaryKey(),
  name: text().notNull(),
  kind: text({ enum: ['init', 'expand', 'fill', 'contract'] }).notNull(),
  hash: text().notNull(), // of its file
  version: text().notNull(), // that has applied it
  cursor: text(), // of a fill: the last key
  filled: bigint({ mode: 'number' }).notNull().default(0), // rows that the fill has passed
  startedAt: createdAt(),
  finishedAt: time(),
})

/**
 * Server processes that run. Each renews its row (database/migrations/presence.ts), so that nothing is
 * removed that one of them uses.
 */
export const processes = pgTable('processes', {
  id: uuid().primaryKey(),
  version: text().notNull(),
  newest: integer().notNull(), // the newest migration that it knows
  startedAt: createdAt(),
  seenAt: time().notNull().defaultNow(),
})

/**
 * The data model: every table, in reading order. A table refers only to tables above it.
 *
 * A constraint carries the name of the failure it causes (errors.ts): the database decides uniqueness and
 * existence, once, without the race of a look-up before the write, and no query needs a try/catch.
 *
 * Invariants the database itself keeps:
 *  1. Of one address, in any letter case, there is one user                        email_taken
 *  2. A user has one membership in an account                                      membership_exists
 *  3. In a 1:1 system a user has one membership and an account has one member      account_taken,
 *                                                                                  account_occupied
 *  4. A user has one personal account in a system                                  personal_account_taken
 *  5. A membership's account, roles and profiles are of the membership's system    account_not_found,
 *                                                                                  role_not_in_system,
 *                                                                                  profile_not_in_system
 *  6. A session is of a living membership: without the membership there is none    sessions_membership
 *  7. A membership has the address of its user, also when that changes             user_not_found
 *
 * Times are decided by the database's clock (`now()`), never by a process. What a client or a mail carries
 * (codes, tokens, cookies, links) is stored as a keyed hash; what must be read back (keys, webhook secrets,
 * TOTP secrets, queued mail) is sealed under SECRET_KEY (seal.ts).
 */
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
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
} from '../tuning/drizzle.ts'

const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
})

const id = () => uuid().primaryKey().defaultRandom()
const time = () => timestamp({ withTimezone: true })
const createdAt = () => time().notNull().defaultNow()
const updatedAt = () => time().notNull().defaultNow()
const lower = (column: AnyPgColumn) => sql`lower(${column})`
/**
 * Each character of a text and each two that stand side by side, in lower case: of built-in
 * functions, five times as fast as one of our own in SQL. The migration that makes an index of it
 * says that it has no statistics.
 */
export const pieces = (column: AnyPgColumn | SQL): SQL => {
  const two = (text: SQL) =>
    sql`string_to_array(regexp_replace(${text}, '(..)', '\\1' || chr(10), 'g'), chr(10))`
  return sql`(string_to_array(lower(${column}), null) || ${two(sql`lower(${column})`)} || ${two(sql`substr(lower(${column}), 2)`)})`
}

/** What an entry of the audit is about, besides its action's system: read from an index without the entry. */
const kind = (entry: Record<'action' | 'actorType' | 'targetType', AnyPgColumn>) =>
  [entry.action, entry.actorType, entry.targetType] as const

/** How a system looks to the people who sign in to it. */
export type Branding = { logoUrl?: string; color?: string }

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
    secretHash: text(), // none for a public client
    previousSecretHash: text(), // still accepted until previousSecretUntil, after a rotation with grace
    previousSecretUntil: time(),
    redirectUris: text().array().notNull().default([]),
    postLogoutRedirectUris: text().array().notNull().default([]),
    allowedScopes: text().array().notNull().default(['openid', 'email', 'profile']),
    multiAccount: boolean().notNull().default(false),
    allowSelfRegister: boolean().notNull().default(false),
    requireAdminActivation: boolean().notNull().default(false),
    allowClientCredentials: boolean().notNull().default(false),
    requireEmailOtp: boolean().notNull().default(false),
    requireMfa: boolean().notNull().default(false),
    skipConsent: boolean().notNull().default(false),
    idTokenAlg: text({ enum: ['RS256', 'ES256'] })
      .notNull()
      .default('RS256'), // what every client library knows; ES256 costs a tenth to sign
    platform: boolean().notNull().default(false), // its admins and its service tokens reach everything
    backchannelLogoutUri: text(),
    branding: jsonb().$type<Branding>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (system) => [
    unique('client_id_taken').on(system.clientId),
    index('systems_newest').on(desc(system.createdAt), desc(system.id)),
  ],
)

/** What a member may do in one system. */
export const roles = pgTable(
  'roles',
  {
    id: id(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    isAdmin: boolean().notNull().default(false), // becomes the token claim is_admin
    scopes: text().array().notNull().default([]),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (role) => [
    unique('role_name_taken').on(role.systemId, role.name),
    unique('roles_of_system').on(role.systemId, role.id),
    foreignKey({ name: 'system_not_found', columns: [role.systemId], foreignColumns: [systems.id] }).onDelete(
      'cascade',
    ),
  ],
)

/** A named set of attributes a membership may carry, for the application to interpret. */
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
      foreignColumns: [systems.id],
    }).onDelete('cascade'),
  ],
)

/** Where a person registered themselves, and what they called the account that they are to get there. */
export type Registration = { systemId: string; accountName: string | null }

/** A person. */
export const users = pgTable(
  'users',
  {
    id: id(),
    email: text().notNull(),
    emailVerified: boolean().notNull().default(false),
    name: text(),
    givenName: text(),
    familyName: text(),
    locale: text(),
    disabled: boolean().notNull().default(false),
    passwordHash: text(), // PHC string; none when the person signs in otherwise or was made without one
    passwordChangedAt: time(),
    mustChangePassword: boolean().notNull().default(false),
    passwordExpiresAt: time(), // of a temporary password
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    // until the address is proven: anybody may have typed it, and may register it anew
    registration: jsonb().$type<Registration>(),
    lastLoginAt: time(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (user) => [
    uniqueIndex('email_taken').on(lower(user.email)),
    unique('users_address').on(user.id, user.email), // a membership has the address too
    index('users_newest').on(desc(user.createdAt), desc(user.id), user.email),
    // substring search from 3 characters
    index('users_email_part').using('gin', sql`lower(${user.email}) gin_trgm_ops`),
    index('users_email_pieces').using('gin', pieces(user.email)), // and below
  ],
)

/** The tenant or organization inside which memberships exist. */
export const accounts = pgTable(
  'accounts',
  {
    id: id(),
    systemId: uuid().notNull(),
    name: text().notNull(),
    kind: text({ enum: ['personal', 'organization'] }).notNull(),
    // the user of a personal account; kept when the membership goes, so that it can come back to its data
    personalOf: uuid(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (account) => [
    unique('personal_account_taken').on(account.systemId, account.personalOf),
    unique('accounts_of_system').on(account.systemId, account.id),
    foreignKey({
      name: 'system_not_found',
      columns: [account.systemId],
      foreignColumns: [systems.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'user_not_found',
      columns: [account.personalOf],
      foreignColumns: [users.id],
    }).onDelete('cascade'),
    check('accounts_personal', sql`(${account.kind} = 'personal') = (${account.personalOf} is not null)`),
    index('accounts_newest').on(account.systemId, desc(account.createdAt), desc(account.id), account.name),
    index('accounts_of_person').on(account.personalOf),
    // substring search from 3 characters
    index('accounts_name_part').using('gin', sql`lower(${account.name}) gin_trgm_ops`),
    index('accounts_name_pieces').using('gin', pieces(account.name)), // and below
  ],
)

/** One user in one account of one system, with what they may do there. */
export const memberships = pgTable(
  'memberships',
  {
    id: id(),
    userId: uuid().notNull(),
    systemId: uuid().notNull(),
    accountId: uuid().notNull(),
    status: text({ enum: ['pending', 'active', 'blocked'] }).notNull(),
    exclusive: boolean().notNull(), // true in a 1:1 system; kept equal to !systems.multiAccount
    // the user's, kept equal by the key: members are searched by it where the list of a system is
    email: text().notNull(),
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
      columns: [membership.userId, membership.email],
      foreignColumns: [users.id, users.email],
    })
      .onDelete('cascade')
      .onUpdate('cascade'),
    foreignKey({
      name: 'account_not_found',
      columns: [membership.systemId, membership.accountId],
      foreignColumns: [accounts.systemId, accounts.id],
    }).onDelete('cascade'),
    check('memberships_status', sql`${membership.status} in ('pending', 'active', 'blocked')`),
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
    index('memberships_inactive') // few, and looked for: who waits, who is blocked
      .on(membership.status, desc(membership.createdAt), desc(membership.id))
      .where(sql`status <> 'active'`),
    index('memberships_of_user').on(
      membership.userId,
      membership.systemId,
      membership.createdAt,
      membership.id,
    ), // who joined last
    // substring search, as of users
    index('memberships_email_part').using('gin', sql`lower(${membership.email}) gin_trgm_ops`),
    index('memberships_email_pieces').using('gin', pieces(membership.email)),
  ],
)

export const membershipRoles = pgTable(
  'membership_roles',
  {
    membershipId: uuid().notNull(),
    roleId: uuid().notNull(),
    systemId: uuid().notNull(), // makes both keys say: of one system
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
      columns: [row.systemId, row.roleId],
      foreignColumns: [roles.systemId, roles.id],
    }).onDelete('cascade'),
    index('membership_roles_of_role').on(row.roleId),
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
 * One sign-in of a person to a system in an account: what the protocol library calls a grant, and
 * the `sid` of its tokens. Codes, refresh tokens and access tokens name it; once `endedAt` is
 * set, or the row is gone, all are dead.
 */
export const sessions = pgTable(
  'sessions',
  {
    sid: text().primaryKey(),
    systemId: uuid().notNull(),
    userId: uuid().notNull(),
    accountId: uuid().notNull(),
    membershipId: uuid().notNull(),
    browserUid: text(), // the browser session it was opened in (a label of the library's, not the cookie)
    // granted scopes and claims, as the library stores them
    grant: jsonb().$type<Record<string, unknown>>().notNull(),
    acr: text(),
    amr: text().array().notNull().default([]),
    ip: text(),
    userAgent: text(),
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
    index('sessions_of_membership').on(session.membershipId),
    index('sessions_newest').on(desc(session.createdAt), desc(session.sid)),
    index('sessions_of_user').on(session.userId, desc(session.createdAt)),
    index('sessions_of_system').on(session.systemId, desc(session.createdAt)),
    index('sessions_of_account').on(session.accountId, desc(session.createdAt)),
    index('sessions_of_browser').on(session.browserUid),
    index('sessions_over').on(sql`least(${session.expiresAt}, ${session.endedAt})`),
  ],
)

/** What a person agreed to for an account of a system: asked once, then remembered. */
export const consents = pgTable(
  'consents',
  {
    userId: uuid().notNull(),
    accountId: uuid().notNull(),
    scopes: text().array().notNull(),
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

/** What the protocol library keeps between requests, by the keyed hash of the value a client holds. */
export const artifacts = pgTable(
  'artifacts',
  {
    // Session, Interaction, AuthorizationCode, RefreshToken, DeviceCode,
    // PushedAuthorizationRequest, ReplayDetection
    model: text().notNull(),
    idHash: bytes().notNull(),
    sid: text(), // the session it belongs to
    userId: uuid(),
    uidHash: bytes(), // of a browser session's uid
    userCodeHash: bytes(), // of a device flow's user code
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    consumedAt: time(),
    // of a used refresh token: its successor, sealed under the used one, for an honest repeat
    successor: bytes(),
    expiresAt: time().notNull(),
    createdAt: createdAt(),
  },
  (artifact) => [
    primaryKey({ columns: [artifact.model, artifact.idHash] }),
    // Of every artifact most of these are empty: what is empty costs nothing to write.
    index('artifacts_of_session').on(artifact.sid).where(sql`${artifact.sid} is not null`),
    index('artifacts_of_user').on(artifact.userId).where(sql`${artifact.userId} is not null`),
    index('artifacts_uid').on(artifact.uidHash).where(sql`${artifact.uidHash} is not null`),
    uniqueIndex('artifacts_user_code')
      .on(artifact.userCodeHash)
      .where(sql`${artifact.userCodeHash} is not null`),
    index('artifacts_expiry').on(artifact.expiresAt),
  ],
)

/** Access tokens ended before their time that no session speaks for (service tokens), until they expire. */
export const revokedTokens = pgTable(
  'revoked_tokens',
  {
    jti: text().primaryKey(),
    expiresAt: time().notNull(),
  },
  (token) => [index('revoked_tokens_expiry').on(token.expiresAt)],
)

/**
 * Keys that sign tokens. Their state follows from the database's time: next, then
 * active, then retired, then removed.
 */
export const signingKeys = pgTable('signing_keys', {
  kid: text().primaryKey(), // RFC 7638 thumbprint
  alg: text({ enum: ['ES256', 'RS256'] }).notNull(),
  publicJwk: jsonb().$type<Record<string, unknown>>().notNull(),
  sealedPrivateJwk: bytes().notNull(),
  createdAt: createdAt(),
  activeFrom: time().notNull(), // published at once, signs from then on
  retiredFrom: time(), // no longer signs, still verifies
  removeFrom: time(), // no token it signed is alive
})

/** One row: proof that SECRET_KEY is the one this database was made with. */
export const installation = pgTable(
  'installation',
  {
    id: boolean().primaryKey().default(true),
    keyProof: bytes().notNull(),
    createdAt: createdAt(),
  },
  (row) => [check('installation_single', sql`${row.id}`)],
)

/** Who did what, to which row, with which outcome. Written in the transaction of the change it records. */
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
    targetType: text(),
    targetId: text(),
    systemId: uuid(), // no foreign key: entries outlive what they speak of
    accountId: uuid(),
    changes: jsonb().$type<Record<string, [unknown, unknown]>>().notNull().default({}),
    requestId: text(),
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
    // What is seldom, and would be looked for among all that is frequent.
    index('audit_failures')
      .on(desc(entry.time), desc(entry.id), ...kind(entry))
      .where(sql`outcome = 'failure'`),
    index('audit_failures_of_system')
      .on(entry.systemId, desc(entry.time), desc(entry.id), ...kind(entry))
      .where(sql`outcome = 'failure'`),
    index('audit_of_target_type')
      .on(entry.targetType, desc(entry.time), desc(entry.id))
      .where(sql`target_type not in ('user', 'session')`),
    index('audit_of_actor_type')
      .on(entry.actorType, desc(entry.time), desc(entry.id))
      .where(sql`actor_type in ('anonymous', 'server')`),
    index('audit_of_request').on(entry.requestId),
  ],
)

/** What happened, in order, for products to follow: written in the transaction of the change. */
export const events = pgTable(
  'events',
  {
    // given when written: commits come in another order
    seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    // in the log, by which it is read; given after the commit (decision 0024)
    position: bigint({ mode: 'number' }),
    id: uuid().notNull().defaultRandom(),
    type: text().notNull(),
    time: time().notNull().default(sql`clock_timestamp()`),
    systemId: uuid(), // whose event it is; none: the platform's alone
    // of an event of a user, for a system of theirs; the platform reads the one without system
    copy: boolean().notNull().default(false),
    accountId: uuid(),
    userId: uuid(),
    membershipId: uuid(), // deliveries keep their order for each membership
    data: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (event) => [
    unique('events_id').on(event.id),
    uniqueIndex('events_position').on(event.position).where(sql`position is not null`),
    index('events_of_system').on(event.systemId, event.position).where(sql`position is not null`),
    index('events_without_position').on(event.seq).where(sql`position is null`),
  ],
)

/** One row: the newest position of the log. Who holds it gives the next ones. */
export const eventLog = pgTable(
  'event_log',
  {
    id: boolean().primaryKey().default(true),
    newest: bigint({ mode: 'number' }).notNull().default(0),
  },
  (row) => [check('event_log_single', sql`${row.id}`)],
)

/** Where a system wants its events sent. One process at a time sends to it: it holds the lease. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: id(),
    systemId: uuid().notNull(),
    url: text().notNull(),
    events: text().array().notNull().default([]), // none: every kind
    enabled: boolean().notNull().default(true),
    disabledReason: text({ enum: ['gone', 'failing'] }), // none when it was disabled by hand
    sealedSecret: bytes().notNull(),
    previousSealedSecret: bytes(), // signs beside the new one until previousSecretUntil
    previousSecretUntil: time(),
    // the position of the log up to which its deliveries are queued
    followed: bigint({ mode: 'number' }).notNull(),
    dueAt: time(), // of the first delivery that waits; none when none does
    failures: integer().notNull().default(0), // attempts in a row
    failingSince: time(),
    pausedUntil: time(),
    lease: uuid(),
    leasedUntil: time(), // in the past: when it was served last
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (webhook) => [
    foreignKey({
      name: 'system_not_found',
      columns: [webhook.systemId],
      foreignColumns: [systems.id],
    }).onDelete('cascade'),
    index('webhooks_newest_of_system').on(webhook.systemId, desc(webhook.createdAt), desc(webhook.id)),
  ],
)

/** One event on its way to one webhook. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: id(),
    webhookId: uuid().notNull(),
    eventSeq: bigint({ mode: 'number' }).notNull(),
    // the membership, else the user, else the account: of these one waits for another
    orderedBy: uuid().notNull(),
    status: text({ enum: ['pending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0), // since it was queued last
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
    index('deliveries_failed').on(delivery.webhookId, delivery.eventSeq).where(sql`status = 'failed'`),
    index('deliveries_of_event').on(delivery.eventSeq),
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
    status: integer(), // HTTP status; none when nothing answered
    error: text(),
    answer: text(), // its first 1,024 bytes
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

/** Mail to send. The letter is sealed, since it may hold a link, and is dropped once sent. */
export const mail = pgTable(
  'mail',
  {
    id: id(),
    kind: text().notNull(),
    recipient: text().notNull(),
    userId: uuid(),
    sealedMessage: bytes(),
    status: text({ enum: ['pending', 'sent', 'failed'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0),
    nextAttemptAt: time().notNull().defaultNow(),
    leasedUntil: time(),
    expiresAt: time().notNull(), // not sent later: its link would be dead
    lastError: text(),
    createdAt: createdAt(),
    sentAt: time(),
  },
  (letter) => [
    foreignKey({ name: 'user_not_found', columns: [letter.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    index('mail_due').on(letter.nextAttemptAt).where(sql`status = 'pending'`),
    index('mail_done').on(letter.createdAt).where(sql`status <> 'pending'`),
    index('mail_of_recipient').on(letter.recipient, desc(letter.createdAt)),
    index('mail_of_user').on(letter.userId),
  ],
)

/** Mailed links and codes: one purpose, one user, one address, one use. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    id: id(),
    purpose: text({ enum: ['password_reset', 'email_verification', 'email_change', 'email_otp'] }).notNull(),
    userId: uuid().notNull(),
    email: text().notNull(),
    hash: bytes().notNull(),
    interactionHash: bytes(), // a code is good only in the interaction it was asked in
    triesLeft: integer().notNull().default(1),
    expiresAt: time().notNull(),
    consumedAt: time(),
    createdAt: createdAt(),
  },
  (token) => [
    foreignKey({ name: 'user_not_found', columns: [token.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    unique('one_time_tokens_hash').on(token.hash),
    index('one_time_tokens_of_user').on(token.userId, token.purpose, desc(token.createdAt)),
    index('one_time_tokens_expiry').on(token.expiresAt),
  ],
)

/** Authenticator apps (RFC 6238). */
export const totpFactors = pgTable(
  'totp_factors',
  {
    id: id(),
    userId: uuid().notNull(),
    sealedSecret: bytes().notNull(),
    lastStep: bigint({ mode: 'number' }), // a step is good once
    confirmedAt: time(), // counts only when a first code was right
    createdAt: createdAt(),
  },
  (factor) => [
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
    hash: bytes().notNull(),
    usedAt: time(),
    createdAt: createdAt(),
  },
  (code) => [
    primaryKey({ columns: [code.userId, code.hash] }),
    foreignKey({ name: 'user_not_found', columns: [code.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
  ],
)

/** A person at another identity provider. */
export const identities = pgTable(
  'identities',
  {
    id: id(),
    userId: uuid().notNull(),
    provider: text().notNull(),
    subject: text().notNull(),
    email: text(),
    createdAt: createdAt(),
    lastLoginAt: time(),
  },
  (identity) => [
    foreignKey({ name: 'user_not_found', columns: [identity.userId], foreignColumns: [users.id] }).onDelete(
      'cascade',
    ),
    unique('identity_taken').on(identity.provider, identity.subject),
    unique('identity_linked').on(identity.userId, identity.provider),
  ],
)

/**
 * Back-channel logouts to send (OpenID Connect Back-Channel Logout 1.0): one for each ended session whose
 * system asked for them. Everything a token needs stands here, since the system may be gone when it is
 * sent; the row goes when it is done.
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
  (notice) => [index('logout_deliveries_due').on(notice.nextAttemptAt)],
)

/**
 * What a POST with an Idempotency-Key has answered, for who repeats it. Written in
 * the transaction of the change.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: text().notNull(), // the caller: keys of two callers never meet
    key: text().notNull(),
    requestHash: bytes().notNull(), // of method, path and body: another request under the same key is refused
    status: integer(), // none while the first request is under way
    sealedAnswer: bytes(), // it may hold a secret that is shown once
    expiresAt: time().notNull(),
    createdAt: createdAt(),
  },
  (row) => [
    primaryKey({ columns: [row.owner, row.key] }),
    index('idempotency_keys_expiry').on(row.expiresAt),
  ],
)

/** Counters of failed guesses and sent mails, shared by every process. */
export const limits = pgTable(
  'limits',
  {
    key: text().primaryKey(),
    points: integer().notNull().default(0),
    expire: bigint({ mode: 'number' }), // milliseconds since 1970
  },
  (limit) => [index('limits_expiry').on(limit.expire)],
)

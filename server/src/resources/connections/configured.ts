/** A connection as a sign-in or a test needs it, and the test in progress. */
import type { Config } from '../../config/config.ts'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, isNull, or, sql } from '../../database/drizzle.ts'
import { accounts, connections, systems } from '../../database/schema.ts'
import type { Application } from '../systems/application.ts'
import { applicationColumns } from '../systems/queries.ts'
import { WITHOUT_TEST } from './queries.ts'
import { openedSecret } from './secret.ts'

/** 30 minutes, in seconds: the time of a test, or until it succeeds. */
const TEST_MAX = 1_800

type Row = typeof connections.$inferSelect
type Common = Pick<
  Row,
  | 'id'
  | 'systemId'
  | 'accountId'
  | 'name'
  | 'enabled'
  | 'closedIssuer'
  | 'groupAttribute'
  | 'mfaAcr'
  | 'jit'
  | 'reauthentication'
  | 'configuredAt'
  | 'updatedAt'
> & {
  /** When it was read, by the clock of the database; ms since 1970. */
  readAt: number
  /** A test is in progress. */
  isTesting: boolean
  issuer: string
  organization: string
  application: Application
}
export type OidcConfigured = Common &
  Pick<Row, 'scopes' | 'requiredClaims'> & {
    kind: 'oidc'
    subjectAttribute: string
    clientId: string
    clientSecret: string
  }
export type SamlConfigured = Common &
  Pick<Row, 'subjectAttribute' | 'certificates'> & { kind: 'saml'; ssoUrl: string }
export type Configured = OidcConfigured | SamlConfigured

type Parts = { seal: Seal; config: Pick<Config, 'SAML'> }

/** Undefined if it does not exist, settings are missing, or its protocol is switched off. */
export async function findConfigured(
  db: Db,
  { seal, config }: Parts,
  id: string,
): Promise<Configured | undefined> {
  const [found] = await db
    .select({
      readAt: sql<number>`(extract(epoch from now()) * 1000)::float8`,
      isTesting: sql<boolean>`coalesce(${connections.testExpiresAt} > now(), false)`,
      connection: connections,
      organization: accounts.name,
      application: applicationColumns,
    })
    .from(connections)
    .innerJoin(accounts, eq(accounts.id, connections.accountId))
    .innerJoin(systems, eq(systems.id, connections.systemId))
    .where(eq(connections.id, id))
  if (!found) return undefined
  const { connection, ...rest } = found
  const { issuer, clientId, sealedSecret, subjectAttribute, ssoUrl, certificates } = connection
  if (issuer === null) return undefined
  if (connection.kind === 'saml') {
    if (!config.SAML || ssoUrl === null || certificates.length === 0) return undefined
    return { ...connection, ...rest, kind: 'saml', issuer, ssoUrl }
  }
  if (clientId === null || sealedSecret === null || subjectAttribute === null) return undefined
  const clientSecret = openedSecret(seal, { id, sealedSecret })
  return { ...connection, ...rest, kind: 'oidc', issuer, clientId, subjectAttribute, clientSecret }
}

/** The host to which a sign-in leads. */
export const hostOf = (connection: Configured): string =>
  new URL(connection.kind === 'saml' ? connection.ssoUrl : connection.issuer).host

/** Whether a connection uses SAML. */
export const isSamlConnection = async (db: Db, id: string): Promise<boolean> =>
  (await db.$count(connections, and(eq(connections.id, id), eq(connections.kind, 'saml')))) === 1

export const hashTestToken = (seal: Seal, token: string): Buffer => seal.hash(token, 'connection:test')
export const hashTestBrowser = (seal: Seal, browser: string): Buffer =>
  seal.hash(browser, 'connection:test-browser')

/** Begins a test of a row-locked connection, in place of another one. Returns when it ends. */
export async function startTest(
  tx: Db,
  id: string,
  { testHash, requestedBy }: { testHash: Buffer; requestedBy: string | null },
): Promise<Date> {
  const [started] = await tx
    .update(connections)
    .set({
      ...WITHOUT_TEST,
      testHash,
      testRequestedBy: requestedBy,
      testExpiresAt: sql`now() + make_interval(secs => ${TEST_MAX})`,
    })
    .where(eq(connections.id, id))
    .returning({ expiresAt: connections.testExpiresAt })
  return started!.expiresAt!
}

const inProgress = (id: string) => and(eq(connections.id, id), sql`${connections.testExpiresAt} > now()`)

/** Whether the test with this address is open in this browser from now on: in the first one that opens it. */
export async function openTest(
  db: Db,
  id: string,
  { testHash, browserHash }: { testHash: Buffer; browserHash: Buffer },
): Promise<boolean> {
  const { testBrowserHash } = connections
  const isFirst = or(isNull(testBrowserHash), eq(testBrowserHash, browserHash))
  const opened = await db
    .update(connections)
    .set({ testBrowserHash: browserHash })
    .where(and(inProgress(id), eq(connections.testHash, testHash), isFirst))
    .returning({ id: connections.id })
  return opened.length === 1
}

/** Whether a test of the connection is in progress in this browser. */
export async function isTestOpen(db: Db, id: string, browserHash: Buffer): Promise<boolean> {
  const found = await db
    .select({ id: connections.id })
    .from(connections)
    .where(and(inProgress(id), eq(connections.testBrowserHash, browserHash)))
  return found.length === 1
}

/**
 * Whether the user who has requested the test may still set up the connection: an admin of the account, if no
 * higher authority has set it up, a platform administrator, or an operator who changes things in the console.
 * A test that a service has requested goes on.
 */
const IS_REQUESTED_STILL = sql`(${connections.testRequestedBy} is null or exists (
  select from membership_roles r
  join systems s on s.id = r.system_id
  join users u on u.id = r.user_id
  join system_users su on su.user_id = r.user_id and su.system_id = r.system_id
  where r.user_id = ${connections.testRequestedBy} and r.is_admin and r.active
    and not u.disabled and not su.disabled
    and (s.platform or (r.account_id = ${connections.accountId} and ${connections.setBy} = 'account'))
) or exists (
  select from operators o join users u on u.id = o.user_id
  where o.user_id = ${connections.testRequestedBy} and o.level = 'admin' and not u.disabled
    and (o.system_id is null or (o.system_id = ${connections.systemId} and ${connections.setBy} <> 'platform'))
))`

/**
 * Stores the result of the test that is in progress in this browser, unless it has ended meanwhile: by
 * another test, by a change of the settings, by its success, or because whoever has requested it has lost the
 * right. One that failed can be tried again.
 */
export async function endTest(
  tx: Db,
  id: string,
  browserHash: Buffer,
  refused: string | undefined,
): Promise<boolean> {
  const result =
    refused === undefined
      ? {
          ...WITHOUT_TEST,
          testedAt: sql`now()`,
          testedBy: sql`${connections.testRequestedBy}`,
          lastError: null,
        }
      : { lastError: refused }
  const ended = await tx
    .update(connections)
    .set(result)
    .where(and(inProgress(id), eq(connections.testBrowserHash, browserHash), IS_REQUESTED_STILL))
    .returning({ id: connections.id })
  return ended.length === 1
}

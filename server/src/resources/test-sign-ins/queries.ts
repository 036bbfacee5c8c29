/** The SQL statements of tests of a sign-in. */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, getTableColumns, isNull, or, sql } from '../../database/drizzle.ts'
import { accounts, memberships, systems, type TestResult, testSignIns, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'
import { demandQuota } from '../../http/quotas.ts'
import { isUsable } from '../memberships/standing.ts'
import { rights, rightsOf } from '../sessions/queries.ts'

/** 10 minutes, in seconds. */
const LIFETIME = 600

/** The secret of a link, as it is stored. */
export const hashTestSecret = (seal: Seal, secret: string): Buffer => seal.hash(secret, 'test-sign-in')

type Row = typeof testSignIns.$inferSelect
type NewTest = Pick<Row, 'systemId' | 'secretHash' | 'accountId' | 'userId' | 'request' | 'createdBy'>

const isOpen = sql`${testSignIns.expiresAt} > now()`

/** The system is row-locked. Throws `limit_reached`, and `account_not_found` for one of another system. */
export async function insertTestSignIn(tx: Db, test: NewTest): Promise<Row> {
  const others = sql<number>`(select count(*)::int from ${testSignIns} o
    where o.system_id = ${test.systemId} and o.expires_at > now())`
  const [inserted] = await tx
    .insert(testSignIns)
    .values({ ...test, expiresAt: sql`now() + make_interval(secs => ${LIFETIME})` })
    .returning({ ...getTableColumns(testSignIns), others })
  const { others: before, ...row } = inserted!
  demandQuota('testSignInsOfSystem', before + 1)
  return row
}

/** Throws `test_sign_in_not_found`. */
export async function findTest(db: Db, systemId: string, id: string) {
  const [row] = await db
    .select({
      id: testSignIns.id,
      systemId: testSignIns.systemId,
      accountId: testSignIns.accountId,
      request: testSignIns.request,
      status: sql<'open' | 'shared' | 'expired'>`case when ${testSignIns.sharedAt} is not null then 'shared'
        when ${isOpen} then 'open' else 'expired' end`,
      createdAt: testSignIns.createdAt,
      expiresAt: testSignIns.expiresAt,
      sharedAt: testSignIns.sharedAt,
      result: testSignIns.result,
    })
    .from(testSignIns)
    .where(and(eq(testSignIns.id, id), eq(testSignIns.systemId, systemId)))
  if (!row) throw new Failure('test_sign_in_not_found')
  return row
}

export type Test = Awaited<ReturnType<typeof findTest>>

/** The id of the unexpired test of a system with this secret. */
export async function findTestBySecret(
  db: Db,
  systemId: string,
  secretHash: Buffer,
): Promise<string | undefined> {
  const [row] = await db
    .select({ id: testSignIns.id })
    .from(testSignIns)
    .where(and(eq(testSignIns.secretHash, secretHash), eq(testSignIns.systemId, systemId), isOpen))
  return row?.id
}

/** An unexpired test, with the address of the user who has created it. */
export async function findOpenTest(db: Db, id: string) {
  const [row] = await db
    .select({
      id: testSignIns.id,
      systemId: testSignIns.systemId,
      userId: testSignIns.userId,
      sharedAt: testSignIns.sharedAt,
      creator: users.email,
    })
    .from(testSignIns)
    .leftJoin(users, eq(users.id, testSignIns.createdBy))
    .where(and(eq(testSignIns.id, id), isOpen))
  return row
}

/** Stores the result that a user shares. False if the test is of another user, is shared, or has expired. */
export async function storeTestResult(
  tx: Db,
  id: string,
  { userId, result }: { userId: string; result: TestResult },
): Promise<boolean> {
  const stored = await tx
    .update(testSignIns)
    .set({ userId, result, sharedAt: sql`now()` })
    .where(
      and(
        eq(testSignIns.id, id),
        or(isNull(testSignIns.userId), eq(testSignIns.userId, userId)),
        isNull(testSignIns.sharedAt),
        isOpen,
      ),
    )
    .returning({ id: testSignIns.id })
  return stored.length > 0
}

/** An active membership of a user, with what its tokens contain. */
export async function findRightsOfMember(db: Db, membershipId: string, userId: string) {
  const [row] = await db
    .select({
      membershipId: memberships.id,
      accountId: memberships.accountId,
      accountName: accounts.name,
      clientId: systems.clientId,
      ...rights,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .innerJoin(systems, eq(systems.id, memberships.systemId))
    .where(
      and(
        eq(memberships.id, membershipId),
        eq(memberships.userId, userId),
        isUsable(memberships.status, memberships.accountId),
      ),
    )
  if (!row) return undefined
  const { rights: read, ...membership } = row
  return { ...membership, ...rightsOf(read) }
}

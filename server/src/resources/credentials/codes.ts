/** SQL statements of the codes that are emailed during a sign-in. */
import type { Db } from '../../database/database.ts'
import { and, eq, gt, isNull, sql } from '../../database/drizzle.ts'
import { oneTimeTokens } from '../../database/schema.ts'

export type MailedCode = { id: string; hash: Buffer }
type OfSignIn = { userId: string; interactionHash: Buffer }

/**
 * The condition of a valid code: of this sign-in, not expired, not used, sent to the current address of the
 * user.
 */
const good = ({ userId, interactionHash }: OfSignIn) =>
  and(
    eq(oneTimeTokens.purpose, 'email_otp'),
    eq(oneTimeTokens.userId, userId),
    eq(oneTimeTokens.interactionHash, interactionHash),
    isNull(oneTimeTokens.consumedAt),
    gt(oneTimeTokens.triesLeft, 0),
    sql`${oneTimeTokens.expiresAt} > now()`,
    sql`exists (select from users u where u.id = ${oneTimeTokens.userId} and u.email = ${oneTimeTokens.email})`,
  )

type NewCode = OfSignIn & MailedCode & { email: string; triesLeft: number }

/** Inserts a code that expires after `expiresIn` seconds, and deletes those of the same sign-in. */
export async function replaceCode(
  tx: Db,
  { userId, interactionHash, ...code }: NewCode,
  expiresIn: number,
): Promise<void> {
  await tx
    .delete(oneTimeTokens)
    .where(
      and(
        eq(oneTimeTokens.purpose, 'email_otp'),
        eq(oneTimeTokens.userId, userId),
        eq(oneTimeTokens.interactionHash, interactionHash),
      ),
    )
  await tx.insert(oneTimeTokens).values({
    ...code,
    userId,
    interactionHash,
    purpose: 'email_otp',
    expiresAt: sql`now() + make_interval(secs => ${expiresIn})`,
  })
}

/** Whether this sign-in has a valid code. */
export async function hasCode(db: Db, signIn: OfSignIn): Promise<boolean> {
  const [row] = await db.select({ id: oneTimeTokens.id }).from(oneTimeTokens).where(good(signIn))
  return row !== undefined
}

/** Uses one attempt of the code of a sign-in, atomically; undefined if no attempt is left. */
export async function takeTry(db: Db, signIn: OfSignIn): Promise<MailedCode | undefined> {
  const [row] = await db
    .update(oneTimeTokens)
    .set({ triesLeft: sql`${oneTimeTokens.triesLeft} - 1` })
    .where(good(signIn))
    .returning({ id: oneTimeTokens.id, hash: oneTimeTokens.hash })
  return row
}

/** Consumes a code. True for exactly one caller. */
export async function consumeCode(tx: Db, id: string): Promise<boolean> {
  const used = await tx
    .update(oneTimeTokens)
    .set({ consumedAt: sql`now()` })
    .where(and(eq(oneTimeTokens.id, id), isNull(oneTimeTokens.consumedAt)))
    .returning({ id: oneTimeTokens.id })
  return used.length === 1
}

import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq } from '../../database/drizzle.ts'
import { isSealedElsewhere, RESEAL_BATCH, resealed, resealRows } from '../../database/reseal.ts'
import { mail } from '../../database/schema.ts'
import { emailContextOf } from './enqueue.ts'

/** Encrypts queued emails again under SECRET_KEY. */
export function resealEmails(db: Db, seal: Seal): Promise<number> {
  const { id, sealedMessage } = mail
  return resealRows({
    next: () =>
      db
        .select({ id, sealedMessage })
        .from(mail)
        .where(isSealedElsewhere(seal, sealedMessage))
        .limit(RESEAL_BATCH),
    replace: (row) =>
      db
        .update(mail)
        .set({ sealedMessage: resealed(seal, row.sealedMessage!, emailContextOf(row.id)) })
        .where(and(eq(id, row.id), eq(sealedMessage, row.sealedMessage!))),
  })
}

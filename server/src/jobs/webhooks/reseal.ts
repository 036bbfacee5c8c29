import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq, or } from '../../database/drizzle.ts'
import { isSealedElsewhere, RESEAL_BATCH, resealed, resealRows } from '../../database/reseal.ts'
import { webhooks } from '../../database/schema.ts'
import { webhookContextOf } from './secrets.ts'

/** Encrypts the secrets of webhooks again under SECRET_KEY. */
export function resealWebhooks(db: Db, seal: Seal): Promise<number> {
  const { id, sealedSecret, previousSealedSecret } = webhooks
  return resealRows({
    next: () =>
      db
        .select({ id, sealedSecret, previousSealedSecret })
        .from(webhooks)
        .where(or(isSealedElsewhere(seal, sealedSecret), isSealedElsewhere(seal, previousSealedSecret)))
        .limit(RESEAL_BATCH),
    replace: (row) =>
      db
        .update(webhooks)
        .set({
          sealedSecret: resealed(seal, row.sealedSecret, webhookContextOf(row.id)),
          previousSealedSecret:
            row.previousSealedSecret && resealed(seal, row.previousSealedSecret, webhookContextOf(row.id)),
        })
        .where(and(eq(id, row.id), eq(sealedSecret, row.sealedSecret))),
  })
}

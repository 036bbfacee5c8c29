import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq } from '../../database/drizzle.ts'
import { isSealedElsewhere, RESEAL_BATCH, resealed, resealRows } from '../../database/reseal.ts'
import { totpFactors } from '../../database/schema.ts'
import { totpContextOf } from './totp-secret.ts'

/** Encrypts the secrets of authenticator apps again under SECRET_KEY. */
export function resealTotpSecrets(db: Db, seal: Seal): Promise<number> {
  const { id, userId, sealedSecret } = totpFactors
  return resealRows({
    next: () =>
      db
        .select({ id, userId, sealedSecret })
        .from(totpFactors)
        .where(isSealedElsewhere(seal, sealedSecret))
        .limit(RESEAL_BATCH),
    replace: (row) =>
      db
        .update(totpFactors)
        .set({ sealedSecret: resealed(seal, row.sealedSecret, totpContextOf(row.userId)) })
        .where(and(eq(id, row.id), eq(sealedSecret, row.sealedSecret))),
  })
}

/** The client secrets of connections, encrypted: they are sent to the provider and to nothing else. */
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { and, eq } from '../../database/drizzle.ts'
import { isSealedElsewhere, RESEAL_BATCH, resealed, resealRows } from '../../database/reseal.ts'
import { connections } from '../../database/schema.ts'

const contextOf = (id: string) => `connection:${id}`

export const sealedWith = (seal: Seal, id: string, secret: string): Buffer => seal.seal(secret, contextOf(id))

export const openedSecret = (
  seal: Seal,
  { id, sealedSecret }: { id: string; sealedSecret: Buffer },
): string => seal.open(sealedSecret, contextOf(id))

/** Encrypts the secrets of connections again under SECRET_KEY. */
export function resealConnections(db: Db, seal: Seal): Promise<number> {
  const { id, sealedSecret } = connections
  return resealRows({
    next: () =>
      db
        .select({ id, sealedSecret })
        .from(connections)
        .where(isSealedElsewhere(seal, sealedSecret))
        .limit(RESEAL_BATCH),
    replace: (row) =>
      db
        .update(connections)
        .set({ sealedSecret: resealed(seal, row.sealedSecret!, contextOf(row.id)) })
        .where(and(eq(id, row.id), eq(sealedSecret, row.sealedSecret!))),
  })
}

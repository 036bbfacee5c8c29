import type { Db } from './database.ts'

type Config = Parameters<Db['transaction']>[1]

/** Runs `work` in one transaction: all of it is committed, or none of it. */
export const inTransaction = <T>(db: Db, work: (tx: Db) => Promise<T>, config?: Config): Promise<T> =>
  db.transaction((tx) => work(tx), config)

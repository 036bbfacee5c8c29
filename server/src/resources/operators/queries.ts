/** All SQL statements of the resource. */
import type { Db } from '../../database/database.ts'
import { eq, inArray, sql } from '../../database/drizzle.ts'
import { type Listed, listPage } from '../../database/lists.ts'
import type { PageRequest } from '../../database/pages.ts'
import { operators, systems, users } from '../../database/schema.ts'
import { Failure } from '../../errors.ts'

type NewOperator = Pick<typeof operators.$inferInsert, 'userId' | 'systemId' | 'level'>

const columns = {
  id: operators.id,
  userId: operators.userId,
  systemId: operators.systemId,
  level: operators.level,
  createdAt: operators.createdAt,
  email: users.email,
  name: users.name,
  systemName: systems.name,
}

const select = (db: Db) =>
  db
    .select(columns)
    .from(operators)
    .innerJoin(users, eq(users.id, operators.userId))
    .leftJoin(systems, eq(systems.id, operators.systemId))

export type Operator = Awaited<ReturnType<typeof findOperator>>

/** A page of the operators, newest first, and how many there are. */
export async function listOperators(db: Db, page: PageRequest): Promise<Listed<Operator>> {
  const matching = { all: sql`select id, ${operators.createdAt} as time from ${operators}` }
  return listPage(db, page, matching, (ids) => select(db).where(inArray(operators.id, ids)))
}

/** Throws `operator_not_found`. */
async function findOperator(db: Db, id: string) {
  const [operator] = await select(db).where(eq(operators.id, id))
  if (!operator) throw new Failure('operator_not_found')
  return operator
}

export async function insertOperator(tx: Db, values: NewOperator): Promise<Operator> {
  const [row] = await tx.insert(operators).values(values).returning({ id: operators.id })
  return findOperator(tx, row!.id)
}

/** The deleted row. Throws `operator_not_found`. */
export async function deleteOperator(tx: Db, id: string): Promise<NewOperator> {
  const [row] = await tx.delete(operators).where(eq(operators.id, id)).returning()
  if (!row) throw new Failure('operator_not_found')
  return row
}

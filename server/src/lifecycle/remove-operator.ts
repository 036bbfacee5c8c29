/** The end of the right of an operator, with the invitations that the operator has sent. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { revokeLost } from '../resources/invitations/changes.ts'
import { deleteOperator } from '../resources/operators/queries.ts'

/** Throws `operator_not_found`. */
export async function removeOperator(tx: Db, actor: Actor, id: string): Promise<void> {
  const { userId, systemId, level } = await deleteOperator(tx, id)
  await revokeLost(tx, actor, { invitedBy: userId })
  await record(tx, actor, {
    action: 'operator.deleted',
    target: { type: 'user', id: userId },
    systemId: systemId ?? null,
    changes: { level: [level, null] },
  })
}

/** Whether a sign-in that is valid everywhere is enough for the administration of one system. */
import type { Db } from '../database/database.ts'
import { findEnabledUser } from '../resources/sign-ins/queries.ts'
import { amrOf, type Proof, validProofs } from './proofs.ts'

/**
 * `disabled`: the system has disabled the user. `too_old`: it accepts later sign-ins only. `factor_missing`:
 * it requires a second factor, and none was verified.
 */
export type Acceptance = 'accepted' | 'disabled' | 'too_old' | 'factor_missing'

/** Checks the proofs of a browser session by the rules of a system. */
export async function acceptanceOf(
  db: Db,
  { userId, proofs }: { userId: string; proofs: readonly Proof[] },
  { systemId, needsFactor }: { systemId: string; needsFactor: boolean },
): Promise<Acceptance> {
  const user = await findEnabledUser(db, userId, systemId)
  if (!user) return 'disabled'
  const accepted = validProofs(proofs, user, systemId)
  if (!accepted.some(({ primary }) => primary)) return 'too_old'
  return needsFactor && !amrOf(accepted).includes('mfa') ? 'factor_missing' : 'accepted'
}

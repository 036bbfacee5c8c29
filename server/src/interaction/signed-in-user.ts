import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import type { Step } from '../oidc/interaction.ts'
import { type EnabledUser, findEnabledUser } from '../oidc/storage/queries.ts'

/**
 * The user who has completed the login step. Throws `interaction_not_found` if they
 * were disabled or deleted since.
 */
export async function signedInUser({
  parts,
  request,
  interaction,
}: Step): Promise<{ user: EnabledUser; actor: Actor }> {
  const user = await findEnabledUser(parts.db, interaction.session?.accountId ?? '')
  if (!user) throw new Failure('interaction_not_found')
  return { user, actor: { ...request.actor, type: 'user', id: user.id } }
}

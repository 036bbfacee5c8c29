/** A change of a profile, with the tokens of the members who have it. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { difference, record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { demandTokenSize } from '../resources/memberships/token-size.ts'
import { type Profile, type ProfileInput, updateProfile } from '../resources/profiles/queries.ts'

/**
 * Changes a row-locked profile. Throws `profile_name_taken`, and `limit_reached` if a token of a member would
 * be too large.
 */
export async function changeProfile(
  tx: Db,
  actor: Actor,
  before: Profile,
  patch: Partial<ProfileInput>,
): Promise<Profile> {
  const { systemId } = before
  const changes = difference(before, { ...before, ...patch })
  if (Object.keys(changes).length === 0) return before
  const after = await updateProfile(tx, before.id, patch)
  if ('name' in changes) await demandTokenSize(tx, { profileId: before.id })
  // The application does not use the description.
  if (changes.name || changes.attributes)
    await enqueueAccess(tx, actor, 'user.access_updated', { profileId: before.id })
  await record(tx, actor, {
    action: 'profile.updated',
    target: { type: 'profile', id: before.id },
    systemId,
    changes,
  })
  return after
}

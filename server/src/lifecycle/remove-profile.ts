/** The deletion of a profile, with its assignments to members. */
import type { Db } from '../database/database.ts'
import type { Actor } from '../http/authority.ts'
import { record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { removeProfileFromMemberships } from '../resources/memberships/queries.ts'
import { deleteProfile, type Profile } from '../resources/profiles/queries.ts'

/** Deletes a row-locked profile. */
export async function removeProfile(tx: Db, actor: Actor, { id, systemId, name }: Profile): Promise<void> {
  const membershipIds = await removeProfileFromMemberships(tx, id)
  await deleteProfile(tx, id)
  await enqueueAccess(tx, actor, 'user.access_updated', { membershipIds })
  await record(tx, actor, {
    action: 'profile.deleted',
    target: { type: 'profile', id },
    systemId,
    changes: { name: [name, null] },
  })
}

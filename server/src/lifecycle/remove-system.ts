/**
 * The deletion of a system. One that owns few rows is deleted in one transaction. Of another one the
 * transaction deletes the row in `systems`, so that nothing finds the system any more, and ends all sessions;
 * a job does the rest in batches: the entries and events of sessions and memberships, and all other rows.
 */
import type { Db } from '../database/database.ts'
import { Failure } from '../errors.ts'
import type { Actor } from '../http/authority.ts'
import type { LogoutReceiver } from '../jobs/backchannel-logout/queries.ts'
import { insertJob, type Job } from '../jobs/background/queries.ts'
import type { JobStep } from '../jobs/background/worker.ts'
import { record } from '../journal/audit/record.ts'
import { enqueueAccess } from '../journal/events/enqueue-access.ts'
import { deleteAccountsOf, lockAccounts } from '../resources/accounts/queries.ts'
import { deleteMemberships, lockSomeOf } from '../resources/memberships/delete-queries.ts'
import { lockMemberships } from '../resources/memberships/locks.ts'
import { deleteRegistrationsOf } from '../resources/registrations/queries.ts'
import {
  deleteSessionEnd,
  deleteSessionsOf,
  findSessionEnd,
  insertSessionEnd,
} from '../resources/sessions/end-queries.ts'
import { countOwned, ownsMany } from '../resources/systems/owned-queries.ts'
import { deleteOwned, deleteSystem, type System } from '../resources/systems/queries.ts'
import { deleteStatedOf } from '../resources/users/stated-addresses.ts'
import { deleteSystemUsersOf } from '../resources/users/system-users.ts'
import { deleteDeliveriesOf, disableWebhooksOf } from '../resources/webhooks/queries.ts'
import { endCovered, endEverySession } from './end-sessions.ts'

const REASON = 'system_removed'

/** Deletes a row-locked system. Throws `platform_system`. */
export async function removeSystem(tx: Db, actor: Actor, system: System): Promise<void> {
  if (system.platform) throw new Failure('platform_system')
  await ((await ownsMany(tx, system.id)) ? removeByJob : removeAtOnce)(tx, actor, system)
  await record(tx, actor, {
    action: 'system.deleted',
    target: { type: 'system', id: system.id },
    systemId: system.id,
    changes: { name: [system.name, null], clientId: [system.clientId, null] },
  })
}

async function removeAtOnce(tx: Db, actor: Actor, { id: systemId }: System): Promise<void> {
  await lockAccounts(tx, { systemId })
  await lockMemberships(tx, { systemId })
  await endEverySession(tx, actor, { systemId }, REASON)
  await enqueueAccess(tx, actor, 'user.access_revoked', { systemId })
  await deleteSystem(tx, systemId)
  await deleteOwned(tx, systemId)
}

async function removeByJob(tx: Db, actor: Actor, system: System): Promise<void> {
  const { id: systemId, clientId, idTokenAlg, backchannelLogoutUri } = system
  const jobId = await insertJob(tx, {
    kind: 'delete_system',
    systemId,
    target: { type: 'system', id: systemId },
    actor,
    total: await countOwned(tx, systemId),
    parameters: { clientId, idTokenAlg, backchannelLogoutUri } satisfies LogoutReceiver,
  })
  await insertSessionEnd(tx, { jobId, filter: { systemId }, reason: REASON, forever: true })
  await disableWebhooksOf(tx, systemId)
  await deleteSystem(tx, systemId)
}

/** Rows of a batch. FEW and SOME: foreign keys delete further rows with each. */
const FEW = 200
const SOME = 500
const MANY = 1_000

/** The rows that a batch has done, of those that `countOwned` counts; whether it was the last of its kind. */
type Batch = { done: number; isLast: boolean; cursor?: string | null }
/** Where the next batch begins: a place in STEPS, and in the sessions. */
type Cursor = { step: number; from: string | null }
type Part = (tx: Db, job: Job, from: string | null) => Promise<Batch>

const deleting =
  (of: (tx: Db, systemId: string, limit: number) => Promise<number>, limit: number, counted = true): Part =>
  async (tx, { target }) => {
    const deleted = await of(tx, target.id, limit)
    return { done: counted ? deleted : 0, isLast: deleted < limit }
  }

const endSessionsOfSystem: Part = async (tx, job, from) => {
  const stored = await findSessionEnd(tx, job.id)
  if (!stored) return { done: 0, isLast: true }
  return endCovered(tx, job, from, stored, job.parameters as LogoutReceiver)
}

const revokeAccess: Part = async (tx, { target, actor }) => {
  const membershipIds = await lockSomeOf(tx, target.id, SOME)
  await enqueueAccess(tx, actor, 'user.access_revoked', { membershipIds })
  await deleteMemberships(tx, membershipIds)
  return { done: membershipIds.length, isLast: membershipIds.length < SOME }
}

/** The parts in the order of foreign keys: no batch deletes more rows by them than belong to its own rows. */
const STEPS: Part[] = [
  endSessionsOfSystem,
  deleting(deleteSessionsOf, MANY),
  revokeAccess,
  deleting(deleteAccountsOf, FEW),
  deleting(deleteSystemUsersOf, SOME),
  deleting(deleteStatedOf, MANY, false),
  deleting(deleteDeliveriesOf, MANY, false),
  deleting(deleteRegistrationsOf, MANY, false),
]

/** A batch of the job `delete_system`. */
export const deletionBatch: JobStep = async (tx, job) => {
  const { step, from } = (job.cursor as Cursor | null) ?? { step: 0, from: null }
  const part = STEPS[step]
  if (part) {
    const { done, isLast, cursor = null } = await part(tx, job, from)
    const next: Cursor = isLast ? { step: step + 1, from: null } : { step, from: cursor }
    return { done, cursor: next, wait: 0 }
  }
  await deleteSessionEnd(tx, job.id)
  await deleteOwned(tx, job.target.id)
  return { done: 0, cursor: null, wait: undefined }
}

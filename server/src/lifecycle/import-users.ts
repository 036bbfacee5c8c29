/**
 * Imports many users by one request. Each batch of lines is one transaction, which creates the users whose
 * address is free, each with an audit entry and an event. The caller creates memberships with the returned
 * ids. A dry run responds the same and writes nothing.
 */
import { setImmediate } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Seal } from '../crypto/seal.ts'
import type { Db } from '../database/database.ts'
import { failureOf } from '../database/faults.ts'
import { inTransaction } from '../database/transaction.ts'
import { Failure } from '../errors.ts'
import { type Caller, scopeOf } from '../http/authority.ts'
import { demandAnswers } from '../resources/users/asked-addresses.ts'
import { type DryRun, startDryRun } from '../resources/users/import-dry-run.ts'
import {
  type CheckedLine,
  checkLine,
  createdLine,
  failedLine,
  type ImportedLine,
  type Line,
} from '../resources/users/import-lines.ts'
import type { CreatedUser } from '../resources/users/queries.ts'
import { createUsers } from './create-user.ts'

/** Lines per transaction: the embedded database runs one transaction at a time. */
const BATCH = 100

type Import = { db: Db; seal: Seal; app: FastifyInstance; request: FastifyRequest; isDryRun: boolean }

/** Imports the lines of a request, and returns the text of the response in parts. */
export async function* importUsers({ db, seal, app, request, isDryRun }: Import, lines: Line[]) {
  const { caller, log } = request
  const create = isDryRun ? startDryRun(db, scopeOf(caller)) : creating(db, seal, caller)
  const answers = (addresses: string[]) => demandAnswers(db, caller, addresses)
  const work: Work = { demandAnswers: answers, create, log, fault: undefined }
  for (let from = 0; from < lines.length; from += BATCH) {
    await setImmediate() // lets other requests run: the embedded database works in this thread
    const batch = lines.slice(from, from + BATCH).map((line) => checkLine(app, request, line))
    const text = (await importBatch(work, batch, isDryRun)).map((answer) => `${JSON.stringify(answer)}\n`)
    yield text.join('')
  }
}

type Given = CreatedUser & { id: string }

/** Creates the users of a batch whose address is free, in one transaction. */
const creating = (db: Db, seal: Seal, caller: Caller) => (users: Given[]) => {
  const scope = scopeOf(caller)
  const entry = { action: 'user.created', systemId: scope } as const
  return inTransaction(db, (tx) => createUsers(tx, seal, caller.actor, scope, users, entry))
}

const EXPECTED = new Set<string>(['limit_reached', 'too_many_requests'])

/** `fault`: the failure after which no further batch is tried. */
type Work = {
  demandAnswers(addresses: string[]): Promise<void>
  create: DryRun | ReturnType<typeof creating>
  log: FastifyBaseLogger
  fault: Failure | undefined
}

async function importBatch(work: Work, batch: CheckedLine[], isDryRun: boolean): Promise<ImportedLine[]> {
  const users = batch.flatMap((each) => ('user' in each ? [each.user] : []))
  const created = new Set<string>()
  try {
    if (!work.fault) await work.demandAnswers(users.map(({ email }) => email))
    if (!work.fault) for (const { id } of await work.create(users)) created.add(id)
  } catch (error) {
    work.fault = failureOf(error) ?? new Failure('internal')
    if (!EXPECTED.has(work.fault.code)) work.log.error({ err: error }, work.fault.code)
  }
  const { fault = new Failure('email_taken') } = work
  return batch.map((each) => {
    if ('failure' in each) return failedLine(each.line, each.failure)
    const { id, email } = each.user
    return created.has(id)
      ? createdLine(each.line, isDryRun ? { email } : { id }, each.ignoredFields)
      : failedLine(each.line, fault)
  })
}

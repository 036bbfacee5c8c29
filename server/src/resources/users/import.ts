/**
 * Imports many users by one request. Each batch of lines is one transaction, which creates the users whose
 * address is free, each with an audit entry and an event. The caller creates memberships with the returned
 * ids. A dry run responds the same and writes nothing.
 */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failureOf } from '../../database/faults.ts'
import { inTransaction } from '../../database/transaction.ts'
import { Failure, failures } from '../../errors.ts'
import { type Caller, scopeOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { validatorOf } from '../../http/schema-compilers.ts'
import { type CreatedUser, createUsers } from './create.ts'
import { DOCS } from './docs.ts'
import { type DryRun, startDryRun } from './import-dry-run.ts'
import {
  type CheckedLine,
  checkLine,
  createdLine,
  failedLine,
  ImportedLine,
  readLines,
} from './import-lines.ts'
import { NewUser } from './schemas.ts'

const NDJSON = /^application\/(x-ndjson|jsonl)\s*(;\s*charset="?utf-8"?\s*)?$/i
/** Lines per transaction: the embedded database runs one transaction at a time. */
const BATCH = 100

type Parts = { db: Db }

const importUsers = ({ db }: Parts) =>
  operation({
    method: 'POST',
    url: '/import',
    config: { authority: ['platform', 'system'], share: 'long', docs: DOCS.importUsers },
    // the body is a stream; its lines are validated
    validatorCompiler: (part) =>
      part.httpPart === 'body' ? () => true : validatorOf({ ...part, schema: Object(part.schema) }),
    schema: {
      querystring: Type.Object({
        dryRun: Type.Optional(
          Type.Boolean({
            description: 'If true, nothing is changed: the response says what the import would do.',
          }),
        ),
      }),
      body: { content: { 'application/x-ndjson': { schema: NewUser } } },
      response: {
        200: {
          description: 'What became of each line.',
          content: { 'application/x-ndjson': { schema: ImportedLine } },
        },
        ...failures('invalid_request', 'payload_too_large', 'unsupported_media_type'),
      },
    },
    handler: async (request, reply) => {
      const lines = request.body instanceof Readable ? await readLines(request.body) : []
      if (lines.length === 0) throw new Failure('invalid_request', { detail: 'The body has no user.' })
      async function* answers() {
        const { caller, log } = request
        const isDryRun = request.query.dryRun === true
        const create = isDryRun ? startDryRun(db, scopeOf(caller)) : creating(db, caller)
        const work: Work = { create, log, fault: undefined }
        for (let from = 0; from < lines.length; from += BATCH) {
          await setImmediate() // lets other requests run: the embedded database works in this thread
          const batch = lines
            .slice(from, from + BATCH)
            .map((line) => checkLine(request.server, request, line))
          const text = (await importBatch(work, batch, isDryRun)).map(
            (answer) => `${JSON.stringify(answer)}\n`,
          )
          yield text.join('')
        }
      }
      // A closed connection stops the import between two batches.
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(answers()) as never)
    },
  })

export const importRoutes: FastifyPluginAsync<Parts> = async (app, parts) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(NDJSON, (_request, body, done) => done(null, body))
  addOperations(app, parts, [importUsers])
}

type Given = CreatedUser & { id: string }

/** Creates the users of a batch whose address is free, in one transaction. */
const creating = (db: Db, caller: Caller) => (users: Given[]) => {
  const scope = scopeOf(caller)
  const entry = { action: 'user.created', systemId: scope } as const
  return inTransaction(db, (tx) => createUsers(tx, caller.actor, scope, users, entry))
}

/** `fault`: the failure after which no further batch is tried. */
type Work = {
  create: DryRun | ReturnType<typeof creating>
  log: FastifyBaseLogger
  fault: Failure | undefined
}

async function importBatch(work: Work, batch: CheckedLine[], isDryRun: boolean): Promise<ImportedLine[]> {
  const users = batch.flatMap((each) => ('user' in each ? [each.user] : []))
  const created = new Set<string>()
  try {
    if (!work.fault) for (const { id } of await work.create(users)) created.add(id)
  } catch (error) {
    work.fault = failureOf(error) ?? new Failure('internal')
    if (work.fault.code !== 'limit_reached') work.log.error({ err: error }, work.fault.code)
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

/**
 * The audit log, read-only. Mounted at /admin/audit, behind the admin guard; the key of its checkpoints is
 * public. A system reads its own entries,
 * the admin of an account those of the account.
 */

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Seal } from '../../crypto/seal.ts'
import type { Db } from '../../database/database.ts'
import { Failure, failures } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { pageOf, pageRequestOf } from '../../http/cursors.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { momentOf } from '../../http/query-values.ts'
import { Id, Nullable, oneOf, PageOf, PageQuery, Time, timeOf } from '../../http/schemas.ts'
import { openCheckpointKey } from './chain/checkpoint.ts'
import { findNewestBlock } from './chain/queries.ts'
import { DOCS } from './docs.ts'
import { type Entry, type EntryFilter, listEntries, readEntries } from './queries.ts'
import { record } from './record.ts'

const Text = (description: string) => Type.String({ minLength: 1, maxLength: 300, description })
const Outcome = oneOf(['success', 'failure'], { title: 'AuditOutcome', description: 'The outcome.' })
const ActorType = oneOf(['user', 'service', 'anonymous', 'server'], {
  title: 'ActorType',
  description: 'Who acted: `service` is a client, `server` the process itself or its operator.',
})

const AuditEntry = Type.Object(
  {
    id: Id,
    time: Time,
    action: Type.String({ description: 'What happened, as `noun.verb` in the past: `membership.blocked`.' }),
    outcome: Outcome,
    actor: Type.Object(
      {
        type: ActorType,
        id: Nullable(Type.String({ description: 'The id of a user, the clientId of a service.' })),
        ip: Nullable(Type.String()),
        userAgent: Nullable(Type.String()),
        via: Nullable(
          oneOf(['console', 'account_pages'], {
            title: 'ActorVia',
            description:
              'Where the user acted: in the console, or on the pages below `/account`, which include those of an organization; null for a token and in a sign-in.',
          }),
        ),
      },
      { title: 'AuditActor' },
    ),
    target: Type.Object(
      { type: Nullable(Type.String()), id: Nullable(Type.String()) },
      { title: 'AuditTarget' },
    ),
    systemId: Nullable(Id),
    accountId: Nullable(Id),
    changes: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
      description:
        'The old and the new value of each field. Of more than 2 kB: `bytes` and `sha256` of the JSON of the value.',
    }),
    requestId: Nullable(
      Type.String({ description: 'The same in all entries of one request and in its error response.' }),
    ),
  },
  { title: 'AuditEntry' },
)
const AuditCheckpoint = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'The number of the newest block.' }),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 hash of the block.' }),
    closedAt: Time,
    checkpoint: Type.String({
      description: 'The three values, signed: a JWS in compact serialization, with the key of `/audit/jwks`.',
    }),
  },
  { title: 'AuditCheckpoint' },
)
const AuditEntryList = PageOf(AuditEntry, 'AuditEntryList')

const FILTERS = {
  action: Type.Optional(Text('Returns only entries of this action.')),
  outcome: Type.Optional(Outcome),
  reason: Type.Optional(
    Text(
      'Returns only failures with this `reason` in their changes, such as `password`. `provider` and `other`: the refused sign-ins that `GET /admin/stats/summary` counts as these.',
    ),
  ),
  actorType: Type.Optional(ActorType),
  actorId: Type.Optional(Text('Returns only actions of this actor.')),
  targetType: Type.Optional(Text('Returns only entries with a target of this type.')),
  targetId: Type.Optional(Text('Returns only entries with this target.')),
  systemId: Type.Optional(Id),
  accountId: Type.Optional(Id),
  requestId: Type.Optional(Text('Returns only entries of this request.')),
  from: Type.Optional(timeOf('Returns only entries of this time and later.')),
  to: Type.Optional(timeOf('Returns only entries before this time.')),
  ip: Type.Optional(Text('Returns only entries of this IP address.')),
  actor: Type.Optional(
    Type.String({
      'x-unicode': 'NFC',
      minLength: 3,
      maxLength: 254,
      pattern: '^[^\\u0000]*$',
      'x-message': 'must be a text of 3 to 254 characters',
      description:
        'Returns only actions of users whose email address contains this text, and of clients whose id starts with it. Of up to 50 users that the caller can read.',
    }),
  ),
}
type Filters = Static<ReturnType<typeof Type.Object<typeof FILTERS>>>

/** The greatest number of entries in an export. */
const EXPORTED_MAX = 100_000
/** Entries per statement. */
const BATCH = 1_000

/** Throws `invalid_request`. */
const filterOf = ({ from, to, ...rest }: Filters): EntryFilter => ({
  ...rest,
  ...(from && { from: momentOf('from', from) }),
  ...(to && { to: momentOf('to', to) }),
})

const answerOf = ({
  actorType,
  actorId,
  actorIp,
  actorUserAgent,
  actorVia,
  targetType,
  targetId,
  time,
  ...rest
}: Entry) => ({
  ...rest,
  time: time.toISOString(),
  actor: { type: actorType, id: actorId, ip: actorIp, userAgent: actorUserAgent, via: actorVia },
  target: { type: targetType, id: targetId },
})

type Parts = { db: Db }

const OWN_ACTORS = {
  system: 'the entries of its system; of actors who are not its own only the type',
  account: 'the entries of the account; of actors who are not its own only the type',
}

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: {
      authority: ['platform', 'system', 'account'],
      reach: OWN_ACTORS,
      docs: DOCS.listAuditEntries,
    },
    schema: {
      querystring: Type.Object({ ...PageQuery, ...FILTERS }),
      response: { 200: AuditEntryList, ...failures('invalid_request') },
    },
    handler: async (request) => {
      const page = pageRequestOf(request)
      const asked = { ...filterOf(request.query), ...page }
      const listed = await listEntries(db, reachOf(request.caller), asked)
      return pageOf(page, listed, listed.rows.map(answerOf))
    },
  })

const exportEntries = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/export',
    config: {
      authority: ['platform', 'system', 'account'],
      reach: OWN_ACTORS,
      share: 'long',
      writes: true,
      docs: DOCS.exportAuditEntries,
    },
    schema: {
      querystring: Type.Object(FILTERS),
      response: {
        200: {
          description: 'One entry on each line.',
          content: { 'application/x-ndjson': { schema: AuditEntry } },
        },
        ...failures('invalid_request'),
      },
    },
    handler: async (request, reply) => {
      const { actor, systemId, accountId } = request.caller
      const reach = reachOf(request.caller)
      const filter = filterOf(request.query)
      const filters = Object.keys(request.query)
      await record(db, actor, {
        action: 'audit.exported',
        systemId,
        accountId,
        ...(filters.length > 0 && { changes: { filters: [null, filters] as [null, string[]] } }),
      })
      async function* lines() {
        for await (const entries of readEntries(db, reach, filter, { max: EXPORTED_MAX, batch: BATCH })) {
          yield entries.map((entry) => `${JSON.stringify(answerOf(entry))}\n`).join('')
          await setImmediate() // lets other requests run: the embedded database works in this thread
        }
      }
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('content-disposition', 'attachment; filename="audit.ndjson"')
        .send(Readable.from(lines()) as never)
    },
  })

const readCheckpoint = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/checkpoint',
    config: { authority: ['platform'], docs: DOCS.readAuditCheckpoint },
    schema: { response: { 200: AuditCheckpoint, ...failures('checkpoint_not_found') } },
    handler: async () => {
      const newest = await findNewestBlock(db)
      if (!newest) throw new Failure('checkpoint_not_found')
      const { number, hash, closedAt, checkpoint } = newest
      return { number, hash: hash.toString('hex'), closedAt, checkpoint }
    },
  })

const AuditKeys = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.String())) },
  { title: 'AuditKeys' },
)

/** GET /audit/jwks, public. */
export const auditKeysRoutes: FastifyPluginAsync<{ seal: Seal }> = async (app, { seal }) => {
  const { jwk } = await openCheckpointKey(seal)
  const keys = () =>
    operation({
      method: 'GET',
      url: '/audit/jwks',
      config: { authority: 'public', docs: DOCS.readAuditKeys },
      schema: { response: { 200: AuditKeys } },
      handler: async () => ({ keys: [jwk as Record<string, string>] }),
    })
  addOperations(app, {}, [keys])
}

export const auditRoutes: FastifyPluginAsync<Parts> = async (app, parts) =>
  addOperations(app, parts, [list, exportEntries, readCheckpoint])

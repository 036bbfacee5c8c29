/**
 * The audit log, read-only. Mounted at /admin/audit, behind the admin guard. A system reads its own entries,
 * the admin of an account those of the account.
 */
import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../../database/database.ts'
import { failures, invalid } from '../../errors.ts'
import { reachOf } from '../../http/authority.ts'
import { addOperations, operation } from '../../http/operation.ts'
import { Id, Nullable, oneOf, PageOf, PageQuery, pageOf, Time, timeOf } from '../../http/schemas.ts'
import { DOCS } from './docs.ts'
import { type Entry, listEntries } from './queries.ts'

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
      description: 'The old and the new value of each field.',
    }),
    requestId: Nullable(
      Type.String({ description: 'The same in all entries of one request and in its error response.' }),
    ),
  },
  { title: 'AuditEntry' },
)
const AuditEntryList = PageOf(AuditEntry, 'AuditEntryList')

const Filters = Type.Object({
  ...PageQuery,
  action: Type.Optional(Text('Returns only entries of this action.')),
  outcome: Type.Optional(Outcome),
  actorType: Type.Optional(ActorType),
  actorId: Type.Optional(Text('Returns only actions of this actor.')),
  targetType: Type.Optional(Text('Returns only entries with a target of this type.')),
  targetId: Type.Optional(Text('Returns only entries with this target.')),
  systemId: Type.Optional(Id),
  accountId: Type.Optional(Id),
  requestId: Type.Optional(Text('Returns only entries of this request.')),
  from: Type.Optional(timeOf('Returns only entries of this time and later.')),
  to: Type.Optional(timeOf('Returns only entries before this time.')),
})

const answerOf = ({
  actorType,
  actorId,
  actorIp,
  actorUserAgent,
  targetType,
  targetId,
  time,
  ...rest
}: Entry) => ({
  ...rest,
  time: time.toISOString(),
  actor: { type: actorType, id: actorId, ip: actorIp, userAgent: actorUserAgent },
  target: { type: targetType, id: targetId },
})

type Parts = { db: Db }

const list = ({ db }: Parts) =>
  operation({
    method: 'GET',
    url: '/',
    config: { authority: ['platform', 'system', 'account'], docs: DOCS.listAuditEntries },
    schema: {
      querystring: Filters,
      response: { 200: AuditEntryList, ...failures('invalid_request') },
    },
    handler: async (request) => {
      const { from, to, ...rest } = request.query
      const period = { ...(from && { from: momentOf('from', from) }), ...(to && { to: momentOf('to', to) }) }
      const { rows, total } = await listEntries(db, reachOf(request.caller), { ...rest, ...period })
      return pageOf(request.query, rows.map(answerOf), total)
    },
  })

export const auditRoutes: FastifyPluginAsync<Parts> = async (app, parts) => addOperations(app, parts, [list])

/** The format allows times that JavaScript (a leap second) or PostgreSQL (the year 0) does not. */
function momentOf(name: string, text: string): Date {
  const moment = new Date(text)
  const year = moment.getUTCFullYear()
  if (!(year >= 1 && year <= 9999))
    throw invalid(`/query/${name}`, 'must be a date and time of the years 1 to 9999')
  return moment
}
